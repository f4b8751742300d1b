// The format of pack.json: OpenWOP's manifest with a few limits of our own. A test compares it with the published schema.
import { NO_DIGEST } from '../digest/digest.ts'
import { TEMPLATE_ORIGINS, VALUE_TYPES, VARIABLE_SOURCES } from '../library/template.ts'
import { PROMPT_KINDS } from '../pack/compile.ts'
import { PATTERNS } from '../resolve/prompt-ref.ts'

export const VARIABLE_NAME = '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$'
export const BUNDLE_NAME = '^(core|vendor|community|private)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$'

const text = { type: 'string' }
const textOf = (maxLength: number) => ({ type: 'string', maxLength })
const uri = { type: 'string', format: 'uri' }
const date = { type: 'string', format: 'date-time' }
const name = { type: 'string', pattern: BUNDLE_NAME, maxLength: 256 }
const version = { type: 'string', pattern: PATTERNS.version, maxLength: 128 }
/** semver reads a range by expressions that were not made for books. */
const range = textOf(200)
const closed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})

const variable = closed(
  {
    name: { type: 'string', pattern: VARIABLE_NAME },
    type: { enum: VALUE_TYPES },
    required: { type: 'boolean' },
    source: { enum: VARIABLE_SOURCES },
    extractPath: textOf(500),
    defaultValue: {},
    description: textOf(500),
  },
  ['name', 'type', 'required'],
)

const template = closed(
  {
    templateId: { type: 'string', pattern: PATTERNS.templateId },
    version,
    kind: { enum: PROMPT_KINDS },
    text: textOf(65_536),
    name: textOf(200),
    description: textOf(2000),
    variables: { type: 'array', items: variable, maxItems: 500 },
    modelHints: closed({
      // Not a digest: the value appears in an event, where a digest would reference an object.
      modelClass: { type: 'string', maxLength: 100, pattern: NO_DIGEST },
      temperature: { type: 'number', minimum: 0, maximum: 2 },
      maxTokens: { type: 'integer', minimum: 1 },
      envelopeType: text,
    }),
    tags: { type: 'array', maxItems: 32, items: { type: 'string', minLength: 1, maxLength: 64 } },
    meta: {
      ...closed({
        author: text,
        createdAt: date,
        updatedAt: date,
        source: { enum: TEMPLATE_ORIGINS },
        packName: name,
        packVersion: version,
      }),
      if: { properties: { source: { const: 'pack' } }, required: ['source'] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ['packName', 'packVersion'] },
    },
  },
  ['templateId', 'version', 'kind', 'text'],
)

export const manifestFormat = closed(
  {
    name,
    version,
    kind: { const: 'prompt' },
    description: textOf(1024),
    author: text,
    license: text,
    homepage: uri,
    repository: uri,
    keywords: { type: 'array', maxItems: 50, items: textOf(64) },
    engines: { type: 'object', required: ['openwop'], properties: { openwop: range } },
    dependencies: { type: 'object', propertyNames: name, maxProperties: 100, additionalProperties: range },
    prompts: { type: 'array', minItems: 1, items: template },
    signing: closed({ publicKeyRef: text, signatureRef: text, method: { enum: ['manual', 'sigstore'] } }),
  },
  ['name', 'version', 'kind', 'engines', 'prompts'],
)
