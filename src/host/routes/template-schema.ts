// A prompt template as it is sent and received. OpenWOP RFC 0027, closed.
import { Type } from 'typebox'

export const TEMPLATE_ID = '^[a-z0-9][a-z0-9._-]{0,127}$'
export const VERSION = '^\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$'
const PACK_NAME = '^(core|vendor|community|private)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$'
/** In an event a digest names an object, so no free text may be one. */
export const NO_DIGEST = '^(?!sha256:[0-9a-f]{64}$)'
const CLOSED = { additionalProperties: false }

export const kindSchema = Type.Enum(['system', 'user', 'few-shot', 'schema-hint'])
export const originSchema = Type.Enum(['host', 'pack', 'user'])

const variableSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$' }),
    type: Type.Enum(['string', 'number', 'boolean', 'array', 'object']),
    required: Type.Boolean(),
    source: Type.Optional(Type.Enum(['input', 'variable', 'secret', 'context'])),
    extractPath: Type.Optional(Type.String({ maxLength: 500 })),
    defaultValue: Type.Optional(Type.Unknown()),
    description: Type.Optional(Type.String({ maxLength: 500 })),
  },
  CLOSED,
)

const metaSchema = Type.Object(
  {
    author: Type.Optional(Type.String({ maxLength: 200 })),
    createdAt: Type.Optional(Type.String({ maxLength: 40, format: 'date-time' })),
    updatedAt: Type.Optional(Type.String({ maxLength: 40, format: 'date-time' })),
    source: Type.Optional(originSchema),
    packName: Type.Optional(Type.String({ maxLength: 256, pattern: PACK_NAME })),
    packVersion: Type.Optional(Type.String({ pattern: VERSION })),
  },
  CLOSED,
)

export const templateSchema = Type.Object(
  {
    templateId: Type.String({ pattern: TEMPLATE_ID }),
    version: Type.String({ pattern: VERSION, maxLength: 128 }),
    kind: kindSchema,
    text: Type.String({ maxLength: 65_536 }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
    variables: Type.Optional(Type.Array(variableSchema, { maxItems: 500 })),
    modelHints: Type.Optional(
      Type.Object(
        {
          modelClass: Type.Optional(Type.String({ maxLength: 100, pattern: NO_DIGEST })),
          temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
          maxTokens: Type.Optional(Type.Integer({ minimum: 1 })),
          envelopeType: Type.Optional(Type.String({ maxLength: 200 })),
        },
        CLOSED,
      ),
    ),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 32 })),
    meta: Type.Optional(metaSchema),
  },
  CLOSED,
)

/** What a request may say about where it works. */
export const workspaceQuery = { workspaceId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })) }
