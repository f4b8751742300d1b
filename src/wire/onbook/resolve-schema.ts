// Schema of a resolve request. The answer explains a malformed ref; the schema refuses only input that is too large.
import { Type } from 'typebox'
import { MOST_REF } from '../../core/resolve/prompt-ref.ts'
import { MOST_REFS } from '../../core/workflow/fields.ts'
import { anyJson, CLOSED, MOST_KEYS } from './schema-parts.ts'

const scalar = [Type.Number(), Type.Boolean(), Type.Null()]
const refObject = Type.Record(Type.String(), anyJson, { maxProperties: 10 })
const ref = Type.Union([
  Type.String({ maxLength: MOST_REF }),
  refObject,
  ...scalar,
  // An array is not a ref. The answer says so.
  Type.Array(anyJson, { maxItems: MOST_REFS }),
])
const refs = Type.Union([Type.Array(ref, { maxItems: MOST_REFS }), Type.String({ maxLength: MOST_REF }), refObject, ...scalar])

export const refsByKind = Type.Object(
  { system: Type.Optional(ref), user: Type.Optional(ref), 'few-shot': Type.Optional(ref), 'schema-hint': Type.Optional(ref) },
  CLOSED,
)

/** The config of a node. Nodes of other products may have further keys. */
export const nodeConfig = Type.Object(
  {
    systemPromptRef: Type.Optional(ref),
    userPromptRef: Type.Optional(ref),
    schemaHintPromptRef: Type.Optional(ref),
    fewShotPromptRefs: Type.Optional(refs),
    additionalPromptRefs: Type.Optional(refs),
  },
  { additionalProperties: anyJson, maxProperties: MOST_KEYS },
)
