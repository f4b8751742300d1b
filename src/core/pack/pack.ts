// A pack as its author wrote it: read from YAML, checked against the format, and kept with the place of every field.
import { type Digest, digestJson, type Json } from '../digest/digest.ts'
import { interpretSchema, type SchemaError } from '../schema/interpret.ts'
import { packFormat } from './format.ts'
import { readYaml, type YamlDocument } from './yaml.ts'

export type VariableType = 'string' | 'number' | 'boolean' | 'array' | 'object'

export interface Variable {
  readonly name: string
  readonly type: VariableType
  readonly required?: boolean
  readonly default?: Json
  readonly description?: string
  readonly volatile?: boolean
}

export interface Example {
  readonly name: string
  readonly input: Json
  readonly expectedOutput?: Json
  readonly variables?: Readonly<Record<string, Json>>
  readonly ignore?: readonly string[]
}

export interface Pack {
  readonly $schema?: string
  readonly id: string
  readonly agentId: string
  readonly version: string
  readonly meta?: { readonly name?: string; readonly description?: string; readonly author?: string; readonly lastUpdated?: string }
  readonly systemPrompt: string
  readonly variables?: readonly Variable[]
  readonly inputSchema: string
  readonly outputSchema: string
  readonly examples?: readonly Example[]
  readonly constraints?: readonly string[]
  readonly refusalRules?: readonly string[]
}

/** An item of a list, with the index it stands at: invalid neighbours are left out. */
export type Listed<T> = T & { readonly index: number }

/** What of a pack can be relied on, however broken the rest is. A field that breaks the format is left out. */
export interface PackDraft extends Partial<Omit<Pack, 'variables' | 'examples'>> {
  readonly variables: readonly Listed<Variable>[]
  readonly examples: readonly Listed<Example>[]
}

export interface ReadPack {
  readonly document: YamlDocument
  readonly draft: PackDraft
  readonly errors: readonly SchemaError[]
  /** Whole and valid, or null. */
  readonly pack: Pack | null
}

const checkFormat = interpretSchema(packFormat)
const BUILT_IN = ['constraints', 'refusalRules'] as const

export function readPack(text: string): ReadPack {
  const document = readYaml(text)
  const { value } = document
  if (value === undefined) return { document, draft: { variables: [], examples: [] }, errors: [], pack: null }
  const errors = checkFormat(value)
  const valid = errors.length === 0 && document.problems.length === 0
  return { document, draft: draftOf(value, errors), errors, pack: valid ? (value as unknown as Pack) : null }
}

function draftOf(value: Json, errors: readonly SchemaError[]): PackDraft {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { variables: [], examples: [] }
  const fields = value as Readonly<Record<string, Json>>
  const isBroken = (...pointer: (string | number)[]) =>
    errors.some(error => error.pointer.length > 0 && pointer.every((part, index) => error.pointer[index] === part))
  const isListBroken = (name: string) =>
    !Array.isArray(fields[name]) || errors.some(({ pointer }) => pointer.length === 1 && pointer[0] === name)
  const items = <T extends object>(name: string): Listed<T>[] =>
    isListBroken(name) ? [] : (fields[name] as unknown as T[]).flatMap((item, index) => (isBroken(name, index) ? [] : [{ ...item, index }]))
  const sound = Object.fromEntries(Object.entries(fields).filter(([name]) => !isBroken(name)))
  return { ...sound, variables: items<Variable>('variables'), examples: items<Example>('examples') }
}

/** Names that every prompt may use although nobody declares them. Decision 26: never injected, always at hand. */
export const builtInValues = (pack: Pick<PackDraft, 'constraints' | 'refusalRules'>): Readonly<Record<string, Json>> =>
  Object.fromEntries(BUILT_IN.map(name => [name, pack[name] ?? []]))

export const isBuiltIn = (name: string): boolean => (BUILT_IN as readonly string[]).includes(name)

/** The name of what a pack means: the same whatever the order of keys, the comments, the quotes and `meta.lastUpdated`. */
export function semanticDigest(pack: Pack): Digest {
  const { lastUpdated: _, ...meta } = pack.meta ?? {}
  return digestJson({ ...pack, meta } as unknown as Json)
}
