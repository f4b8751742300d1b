// Folder: The author's YAML with positions, the registry, changes between versions, and the compilation to templates. No text makes it crash.
// Reads a pack from YAML: checked against the format, with the place of every field.
import { type Digest, digestJson, type Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { pointerText } from '../schema/pointer.ts'
import { checkForm, type FormError } from './form.ts'
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

/** An item of a list with its index: invalid neighbours are left out. */
export type Listed<T> = T & { readonly index: number }

/** The valid part of a pack, however broken the rest is. A field that breaks the format is left out. */
export interface PackDraft extends Partial<Omit<Pack, 'variables' | 'examples'>> {
  readonly variables: readonly Listed<Variable>[]
  readonly examples: readonly Listed<Example>[]
  /** The names of all variables, also of those with a broken declaration: one fault, one finding. */
  readonly declared: ReadonlySet<string> | null
}

const NO_DRAFT: PackDraft = { variables: [], examples: [], declared: new Set() }

export interface ReadPack {
  readonly document: YamlDocument
  readonly draft: PackDraft
  readonly errors: readonly FormError[]
  /** Whole and valid, or null. */
  readonly pack: Pack | null
}

const BUILT_IN = ['constraints', 'refusalRules'] as const

export function readPack(text: string): ReadPack {
  const document = readYaml(text)
  const { value } = document
  if (value === undefined) return { document, draft: NO_DRAFT, errors: [], pack: null }
  const errors = checkForm(value, packFormat, 'The pack')
  const valid = errors.length === 0 && document.problems.length === 0
  return { document, draft: draftOf(value, errors), errors, pack: valid ? (value as unknown as Pack) : null }
}

function draftOf(fields: Json, errors: readonly FormError[]): PackDraft {
  if (!isObject(fields)) return NO_DRAFT
  // A prompt that is too short can be looked at all the same.
  const unusable = errors.filter(({ pointer, keyword }) => !(keyword === 'minLength' && pointerText(pointer) === '/systemPrompt'))
  const broken = new Set(unusable.flatMap(({ pointer }) => pointer.map((_, depth) => pointerText(pointer.slice(0, depth + 1)))))
  const items = <T extends object>(name: string): Listed<T>[] => {
    const list = fields[name]
    if (!Array.isArray(list)) return []
    return (list as T[]).flatMap((item, index) => (broken.has(`/${name}/${index}`) ? [] : [{ ...item, index }]))
  }
  const sound = broken.size === 0 ? fields : Object.fromEntries(Object.entries(fields).filter(([name]) => !broken.has(pointerText([name]))))
  return { ...sound, variables: items<Variable>('variables'), examples: items<Example>('examples'), declared: declaredIn(fields.variables) }
}

/** Null when the names are unknown: the field exists and is not a list. */
function declaredIn(variables: Json | undefined): ReadonlySet<string> | null {
  if (variables !== undefined && !Array.isArray(variables)) return null
  const names = ((variables ?? []) as readonly Json[]).map(item => (item as { name?: Json } | null)?.name)
  return new Set(names.filter(name => typeof name === 'string'))
}

/** Names that every prompt may use without a declaration. Decision 26: never injected, always available. */
export const builtInValues = (pack: Pick<PackDraft, 'constraints' | 'refusalRules'>): Readonly<Record<string, Json>> =>
  Object.fromEntries(BUILT_IN.map(name => [name, pack[name] ?? []]))

export const isBuiltIn = (name: string): boolean => (BUILT_IN as readonly string[]).includes(name)

/** The digest of a pack's meaning: independent of the order of keys, comments, quotes and `meta.lastUpdated`. */
export function semanticDigest(pack: Pack): Digest {
  const { lastUpdated: _, ...meta } = pack.meta ?? {}
  return digestJson({ ...pack, meta } as unknown as Json)
}
