// Schema of the replay answer.
import { Type } from 'typebox'
import { CLOSED, digest } from './schema-parts.ts'

const count = Type.Integer({ minimum: 0 })
export const replayQuery = Type.Object({ level: Type.Optional(Type.Enum(['1', '2'])) }, CLOSED)
const text = Type.Optional(Type.String())
const divergence = Type.Object(
  {
    sequence: count,
    point: Type.String({ description: 'Which event would have been written otherwise, or what of the record is not what it says.' }),
    stream: text,
    nodeId: text,
    step: Type.Optional(Type.Number()),
    kind: text,
    layer: text,
    block: text,
    template: text,
    variable: text,
    field: text,
    span: Type.Optional(Type.Object({ start: count, end: count }, CLOSED)),
    expected: Type.Unknown({ description: 'On record. Null for words of a prompt, where the host does not show prompts.' }),
    found: Type.Unknown(),
  },
  CLOSED,
)
export const replayAnswer = Type.Object(
  {
    runId: Type.String(),
    level: Type.Integer({ minimum: 1, maximum: 2 }),
    identical: Type.Boolean(),
    events: count,
    prompts: count,
    verdicts: count,
    believed: Type.Array(Type.String({ description: 'What was taken from the record, and not decided again.' })),
    phase: Type.String(),
    stateHash: digest,
    divergences: Type.Array(divergence),
    left: Type.Integer({ minimum: 0, description: 'How many more there are.' }),
    rotations: Type.Array(Type.Object({ kind: Type.String(), expected: Type.Unknown(), found: Type.Unknown() }, CLOSED)),
  },
  CLOSED,
)
