// Schema of a prompt template: OpenWOP RFC 0027, without further fields.
import { Type } from 'typebox'
import { BUNDLE_NAME, VARIABLE_NAME } from '../../core/bundle/format.ts'
import { NO_DIGEST } from '../../core/digest/digest.ts'
import { TEMPLATE_ORIGINS, VALUE_TYPES, VARIABLE_SOURCES } from '../../core/library/template.ts'
import { PROMPT_KINDS } from '../../core/pack/compile.ts'
import { MOST_VERSION, PATTERNS } from '../../core/resolve/prompt-ref.ts'
import { NAME } from '../../core/session/config-format.ts'
import { anyJson, CLOSED, digest } from './schema-parts.ts'

export const { templateId: TEMPLATE_ID, version: VERSION } = PATTERNS

export const kindSchema = Type.Enum([...PROMPT_KINDS])
export const originSchema = Type.Enum([...TEMPLATE_ORIGINS])

const variableSchema = Type.Object(
  {
    name: Type.String({ pattern: VARIABLE_NAME }),
    type: Type.Enum([...VALUE_TYPES]),
    required: Type.Boolean(),
    source: Type.Optional(Type.Enum([...VARIABLE_SOURCES])),
    extractPath: Type.Optional(Type.String({ maxLength: 500 })),
    defaultValue: Type.Optional(anyJson),
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
    packName: Type.Optional(Type.String({ maxLength: 256, pattern: BUNDLE_NAME })),
    packVersion: Type.Optional(Type.String({ pattern: VERSION, maxLength: MOST_VERSION })),
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

export const promptVersionsAnswer = Type.Object(
  {
    templateId: Type.String(),
    versions: Type.Array(
      Type.Object(
        {
          version: Type.String(),
          libraryId: Type.String(),
          kind: kindSchema,
          digest,
          source: originSchema,
          retired: Type.Boolean({ description: 'It can be read, and never becomes active again.' }),
        },
        CLOSED,
      ),
      { description: 'Newest first.' },
    ),
  },
  CLOSED,
)

/** The session of an agent. The packs of its snapshot decide which version a ref without a version means. */
export const sessionField = {
  session: Type.Optional(Type.String({ pattern: NAME, description: 'The session of the agent that is meant.' })),
}

export const workspaceQuery = { workspaceId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })) }
