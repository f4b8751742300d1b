import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { schemaFault } from './schema-fault.ts'

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })
const official = (schema: Json): boolean => ajv.validate('https://json-schema.org/draft/2020-12/schema', schema) === true

const KEYWORDS = [
  ...[
    '$id',
    '$schema',
    '$ref',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$vocabulary',
    '$comment',
    '$defs',
    'prefixItems',
    'items',
    'contains',
  ],
  ...[
    'additionalProperties',
    'properties',
    'patternProperties',
    'dependentSchemas',
    'propertyNames',
    'if',
    'then',
    'else',
    'allOf',
    'anyOf',
    'oneOf',
  ],
  ...[
    'not',
    'unevaluatedItems',
    'unevaluatedProperties',
    'type',
    'const',
    'enum',
    'multipleOf',
    'maximum',
    'exclusiveMaximum',
    'minimum',
    'required',
  ],
  ...[
    'exclusiveMinimum',
    'maxLength',
    'minLength',
    'pattern',
    'maxItems',
    'minItems',
    'uniqueItems',
    'maxContains',
    'minContains',
    'maxProperties',
  ],
  ...[
    'minProperties',
    'dependentRequired',
    'title',
    'description',
    'default',
    'deprecated',
    'readOnly',
    'writeOnly',
    'examples',
    'format',
    'unknown',
  ],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', 'definitions'],
]
const leaf: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  ...[
    0,
    1,
    -1,
    0.5,
    true,
    false,
    null,
    '',
    'a',
    'string',
    'object',
    '#',
    'x#y',
    '1a',
    [],
    ['a'],
    ['a', 'a'],
    ['string', 'null'],
    [1],
    {},
    { a: 1 },
    { a: true },
  ],
  { a: ['b'] },
)
const anySchema: fc.Arbitrary<Json> = fc.letrec<{ schema: Json; value: Json }>(tie => ({
  schema: fc.oneof(
    { weight: 1, arbitrary: leaf },
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...KEYWORDS), tie('value'), { maxKeys: 4 }) },
  ),
  value: fc.oneof(
    leaf,
    tie('schema'),
    fc.array(tie('schema'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
  ),
})).schema

describe('schemaFault', () => {
  it('refuses the extension that would make a schema valid for everything', () =>
    expect(schemaFault({ $async: true, type: 'string' })).toBe('/$async must be left out'))

  it('agrees with the official meta-schema', () => {
    let valid = 0
    fc.assert(
      fc.property(anySchema, schema => {
        // Another dialect is refused by us and unknown to ajv: nothing to compare.
        if (JSON.stringify(schema).includes('"$schema"')) return
        const ours = schemaFault(schema)
        if (ours === null) valid++
        expect(ours === null, ours ?? JSON.stringify(ajv.errors)).toBe(official(schema))
      }),
      { numRuns: 3000 },
    )
    expect(valid).toBeGreaterThan(300)
  })
})
