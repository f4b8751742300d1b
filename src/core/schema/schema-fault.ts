// Checks that a JSON Schema is valid: each keyword has the type of value that draft 2020-12 requires.
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { type Pointer, pointerText } from './pointer.ts'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

type Kind = readonly [is: (value: Json) => boolean, what: string]

const isSchema = (value: Json) => typeof value === 'boolean' || isObject(value)
const isText = (value: Json) => typeof value === 'string'
const isUnique = (value: readonly Json[]) => new Set(value).size === value.length
const isTexts = (value: Json): boolean => Array.isArray(value) && value.every(isText) && isUnique(value)
const isCount = (value: Json) => typeof value === 'number' && Number.isInteger(value) && value >= 0

function isPattern(value: Json): boolean {
  if (typeof value !== 'string') return false
  try {
    new RegExp(value, 'u')
    return true
  } catch {
    return false
  }
}

const SCHEMA: Kind = [isSchema, 'a schema']
const SCHEMAS: Kind = [value => Array.isArray(value) && value.length > 0 && value.every(isSchema), 'a list of schemas']
const SCHEMA_MAP: Kind = [value => isObject(value) && Object.values(value).every(isSchema), 'an object of schemas']
const PATTERN_MAP: Kind = [
  value => SCHEMA_MAP[0](value) && Object.keys(value as object).every(isPattern),
  'an object of patterns and schemas',
]
const TEXT: Kind = [isText, 'a string']
const TEXTS: Kind = [isTexts, 'a list of different strings']
const BOOLEAN: Kind = [value => typeof value === 'boolean', 'true or false']
const NUMBER: Kind = [value => typeof value === 'number', 'a number']
const COUNT: Kind = [isCount, 'a whole number from 0']
const LIST: Kind = [value => Array.isArray(value), 'a list']
const ANCHOR: Kind = [value => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value as string), 'a name']
const TYPE: Kind = [
  value =>
    Array.isArray(value)
      ? value.length > 0 && isUnique(value) && value.every(one => TYPES.includes(one as string))
      : TYPES.includes(value as string),
  `one of ${TYPES.join(', ')}, or a list of these`,
]

const kinds = (kind: Kind, words: string): [string, Kind][] => words.split(' ').map(word => [word, kind])
const KEYWORDS: ReadonlyMap<string, Kind> = new Map([
  ...kinds(
    SCHEMA,
    'additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties',
  ),
  ...kinds(SCHEMAS, 'allOf anyOf oneOf prefixItems'),
  ...kinds(SCHEMA_MAP, '$defs definitions properties dependentSchemas'),
  ...kinds(PATTERN_MAP, 'patternProperties'),
  ...kinds(TEXT, '$ref $dynamicRef $comment title description format contentEncoding contentMediaType'),
  ...kinds(ANCHOR, '$anchor $dynamicAnchor'),
  ...kinds(BOOLEAN, 'deprecated readOnly writeOnly uniqueItems'),
  ...kinds(NUMBER, 'maximum minimum exclusiveMaximum exclusiveMinimum'),
  ...kinds(COUNT, 'maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties'),
  ...kinds(TEXTS, 'required'),
  ...kinds(LIST, 'enum examples'),
  ['type', TYPE],
  ['pattern', [isPattern, 'a regular expression']],
  ['multipleOf', [value => typeof value === 'number' && value > 0, 'a number above 0']],
  ['dependentRequired', [value => isObject(value) && Object.values(value).every(isTexts), 'an object of lists of strings']],
  ['$vocabulary', [value => isObject(value) && Object.values(value).every(one => typeof one === 'boolean'), 'an object of true and false']],
  // The validator's own extension: such a schema would be valid for everything.
  ['$async', [() => false, 'left out']],
  ['$id', [value => isText(value) && !/#./.test(value as string), 'a URI without a fragment']],
  ['$schema', [value => isText(value) && (value as string).replace(/#$/, '') === DRAFT, DRAFT]],
])

const NESTED = new Set([...KEYWORDS].filter(([, kind]) => kind === SCHEMA || kind === SCHEMAS).map(([name]) => name))
const NESTED_MAPS = new Set([...KEYWORDS].filter(([, kind]) => kind === SCHEMA_MAP || kind === PATTERN_MAP).map(([name]) => name))

/** The fault and its place; null for a valid schema. */
export function schemaFault(schema: Json, at: Pointer = []): string | null {
  if (!isSchema(schema)) return `${pointerText(at) || 'it'} must be a schema`
  if (!isObject(schema)) return null
  for (const [keyword, value] of Object.entries(schema)) {
    const pointer = [...at, keyword]
    const kind = KEYWORDS.get(keyword)
    if (kind !== undefined && !kind[0](value)) return `${pointerText(pointer)} must be ${kind[1]}`
    for (const [place, one] of valuesUnder(keyword, value)) {
      const fault = schemaFault(one, [...pointer, ...place])
      if (fault !== null) return fault
    }
  }
  return null
}

/** The subschemas under a keyword. */
function valuesUnder(keyword: string, value: Json): readonly (readonly [Pointer, Json])[] {
  if (NESTED.has(keyword)) return Array.isArray(value) ? value.map((one, index) => [[index], one]) : [[[], value]]
  return NESTED_MAPS.has(keyword) && isObject(value) ? Object.entries(value).map(([name, one]) => [[name], one]) : []
}

/** The direct subschemas with their places; those that are not objects have no faults and are left out. */
export function subschemasOf(schema: JsonObject): readonly (readonly [Pointer, JsonObject])[] {
  return Object.entries(schema).flatMap(([keyword, value]) =>
    valuesUnder(keyword, value).flatMap(([place, one]) => (isObject(one) ? [[[keyword, ...place], one] as const] : [])),
  )
}
