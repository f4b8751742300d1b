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
  const validator = new Validator(adapt(schema), '2020-12', false)
  for (const other of others) validator.addSchema(adapt(other))
  return value => leaves(validator.validate(value).errors).map(toError)
}

/**
 * Copies, because the interpreter writes into its schemas. It does not support $dynamicRef, which is read as a $ref: that is correct
 * unless a schema overrides the anchor.
 */
const adapt = (schema: Json): Schema =>
  JSON.parse(JSON.stringify(schema), (_, value) => {
    if (typeof value?.$dynamicAnchor === 'string') value.$anchor ??= value.$dynamicAnchor
    if (typeof value?.$dynamicRef === 'string') value.$ref ??= value.$dynamicRef
    return value
  })

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
])

function leaves(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  const parents = new Set<string>()
  for (const { keywordLocation } of errors) {
    for (let at = keywordLocation.lastIndexOf('/'); at > 0; at = keywordLocation.lastIndexOf('/', at - 1)) {
      const parent = keywordLocation.slice(0, at)
      if (parents.has(parent)) break
      parents.add(parent)
    }
  }
  const isLeaf = ({ keyword, keywordLocation }: OutputUnit) =>
    !(WRAPPERS.has(keyword) && parents.has(keywordLocation)) && keyword !== 'false'
  // The keyword with the schema `false` reports its own error; only when it is the whole schema, there is no other error.
  return errors.every(({ keyword }) => keyword === 'false') ? errors : errors.filter(isLeaf)
}

const toError = ({ instanceLocation, keyword, error }: OutputUnit): SchemaError => ({
  pointer: parsePointer(instanceLocation.replace(/^#/, '')),
  keyword,
  message: error.replace(/^Instance /, '').replace(/\.$/, ''),
})
