// What a valid JSON Schema (2020-12) looks like, as one schema without dynamic references, so that it can be interpreted: a compiler
// would spend more time on the official one than on all schemas of a workspace. A test holds it against the official one.
import type { Json } from '../digest/digest.ts'
import { interpretSchema } from './interpret.ts'
import { pointerText } from './pointer.ts'

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const schema = { $ref: '#' }
const each = (names: readonly string[], value: Json) => Object.fromEntries(names.map(name => [name, value]))

const metaSchema: Json = {
  $schema: DIALECT,
  $id: 'https://onbook.dev/schemas/json-schema-2020-12.json',
  $defs: {
    schemas: { type: 'array', minItems: 1, items: schema },
    schemaMap: { type: 'object', additionalProperties: schema },
    count: { type: 'integer', minimum: 0 },
    strings: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    anchor: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
    type: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
  },
  type: ['object', 'boolean'],
  properties: {
    $id: { type: 'string', pattern: '^[^#]*#?$' },
    $vocabulary: { type: 'object', additionalProperties: { type: 'boolean' } },
    type: { anyOf: [ref('type'), { type: 'array', items: ref('type'), minItems: 1, uniqueItems: true }] },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    dependentRequired: { type: 'object', additionalProperties: ref('strings') },
    dependencies: { type: 'object', additionalProperties: { anyOf: [schema, ref('strings')] } },
    ...each(['$schema', '$ref', '$dynamicRef', '$recursiveRef', '$comment', 'pattern', 'format', 'title', 'description'], {
      type: 'string',
    }),
    ...each(['contentEncoding', 'contentMediaType'], { type: 'string' }),
    ...each(['$anchor', '$dynamicAnchor', '$recursiveAnchor'], ref('anchor')),
    ...each(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas'], ref('schemaMap')),
    ...each(['items', 'contains', 'additionalProperties', 'propertyNames', 'if', 'then', 'else', 'not'], schema),
    ...each(['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'], schema),
    ...each(['prefixItems', 'allOf', 'anyOf', 'oneOf'], ref('schemas')),
    ...each(['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'], { type: 'number' }),
    ...each(
      ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxContains', 'minContains', 'maxProperties', 'minProperties'],
      ref('count'),
    ),
    ...each(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], { type: 'boolean' }),
    ...each(['enum', 'examples'], { type: 'array' }),
    required: ref('strings'),
  },
}

const check = interpretSchema(metaSchema)

/** Why this is no schema we can use; null when it is one. */
export function whyInvalid(candidate: Json): string | null {
  const declared = (candidate as { $schema?: Json } | null)?.$schema
  if (typeof declared === 'string' && declared.replace(/#$/, '') !== DIALECT) return `it declares ${declared}; only ${DIALECT} is read`
  const error = check(candidate).find(({ keyword }) => keyword !== 'anyOf')
  return error === undefined ? null : `it is not a valid JSON Schema: ${pointerText(error.pointer) || 'the schema'} ${error.message}`
}
