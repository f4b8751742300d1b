// Compiles a pack to templates. The input of a pack is the user message, so there is no template for that.
import type { Json } from '../digest/digest.ts'
import { sortedJson } from '../digest/indented-json.ts'
import { isObject } from '../digest/is-object.ts'
import type { Schemas } from '../schema/schemas.ts'
import type { Pack, Variable } from './pack.ts'

export const PROMPT_KINDS = ['system', 'user', 'few-shot', 'schema-hint'] as const
export type PromptKind = (typeof PROMPT_KINDS)[number]

/** Named, versioned text with variables, of one kind. */
export interface Template {
  readonly id: string
  readonly version: string
  readonly kind: PromptKind
  readonly text: string
  readonly variables: readonly Variable[]
}

export function compilePack(pack: Pack, schemas: Schemas): readonly Template[] {
  const template = (kind: PromptKind, text: string, variables: readonly Variable[] = []): Template => ({
    id: kind === 'system' ? pack.agentId : `${pack.agentId}.${kind}`,
    version: pack.version,
    kind,
    text,
    variables,
  })
  const shown = (pack.examples ?? []).filter(example => example.expectedOutput !== undefined)
  const output = schemas.get(pack.outputSchema)
  return [
    template('system', pack.systemPrompt, pack.variables ?? []),
    ...(shown.length === 0
      ? []
      : [template('few-shot', shown.map(({ name, input, expectedOutput }) => shot(name, input, expectedOutput!)).join('\n\n'))]),
    ...(output === undefined || isText(output.schema) ? [] : [template('schema-hint', hint(output.schema))]),
  ]
}

/** A reply that is any text needs no hint: a model answers with text anyway. */
export const isText = (schema: Json): boolean => isObject(schema) && schema.type === 'string'

const shot = (name: string, input: Json, output: Json): string =>
  `Example: ${literal(name)}\nInput:\n${jsonText(input)}\nOutput:\n${jsonText(output)}`

const hint = (schema: Json): string => `Answer with one JSON value, and nothing else, that matches this JSON Schema:\n${jsonText(schema)}`

/** Adjacent braces occur only inside a JSON string; as an escape they mean the same and open no tag. */
const jsonText = (value: Json): string => sortedJson(value).replaceAll('{{', '{\\u007b')

const literal = (text: string): string => text.replace(/\{(?=\{)/g, '{ ')
