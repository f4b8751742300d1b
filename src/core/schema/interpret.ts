// JSON Schema by interpretation: no eval, so it runs in a browser and at a cold start. Patterns can still backtrack: for foreign schemas
// the caller must be able to stop it.
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { Json } from '../digest/digest.ts'
import { type Pointer, parsePointer } from './pointer.ts'

export interface SchemaError {
  readonly pointer: Pointer
  readonly keyword: string
  readonly message: string
}

export type Check = (value: Json) => readonly SchemaError[]

/** `others`: every further schema that `schema` may refer to. */
export function interpretSchema(schema: Json, others: readonly Json[] = []): Check {
  const validator = new Validator(schema as Schema, '2020-12', false)
  for (const other of others) validator.addSchema(other as Schema)
  return value => (validator.validate(value).errors as OutputUnit[]).filter(isLeaf).map(toError)
}

/** The interpreter reports a failing property at every level above it as well. */
const WRAPPERS = new Set([
  'properties',
  'items',
  'prefixItems',
  '$ref',
  '$dynamicRef',
  'allOf',
  'additionalProperties',
  'patternProperties',
  'dependentSchemas',
  'contains',
])
const isLeaf = (error: OutputUnit, index: number, all: readonly OutputUnit[]): boolean =>
  !(WRAPPERS.has(error.keyword) && all.some((other, at) => at > index && other.keywordLocation.startsWith(`${error.keywordLocation}/`)))

const toError = ({ instanceLocation, keyword, error }: OutputUnit): SchemaError => ({
  pointer: parsePointer(instanceLocation.replace(/^#/, '')),
  keyword,
  message: error,
})
