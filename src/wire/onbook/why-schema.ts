// Schema of the why answer: the result of every layer for a prompt.
import { Type } from 'typebox'
import { MEANT_BY } from '../../core/library/meant.ts'
import { LAYERS } from '../../core/resolve/layers.ts'
import { CLOSED, digest, nullable } from './schema-parts.ts'
import { snapshot, snapshotSource } from './sessions.ts'
import { kindSchema } from './template-schema.ts'

const count = Type.Integer({ minimum: 0 })
export const whyQuery = Type.Object(
  {
    nodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    kind: Type.Optional(kindSchema),
    visit: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,8}$' })),
  },
  CLOSED,
)
const move = Type.Object(
  {
    from: nullable(Type.String()),
    to: nullable(Type.String()),
    why: nullable(Type.String()),
    at: Type.String(),
    actor: Type.String(),
  },
  CLOSED,
)
const since = Type.Object({ stream: Type.String(), sequence: count, type: Type.String(), at: Type.String(), actor: Type.String() }, CLOSED)
const entry = Type.Object(
  {
    layer: Type.Enum([...LAYERS]),
    applied: Type.Boolean(),
    source: Type.Optional(Type.String()),
    code: Type.String(),
    reason: Type.String(),
    library: Type.Optional(Type.String()),
    owner: Type.Optional(Type.Literal('host', { description: "The library is the host's own." })),
    digest: Type.Optional(digest),
    written: Type.Optional(Type.String({ description: 'As its author wrote it, where that is not what it was pinned to.' })),
    meant: Type.Optional(Type.Enum([...MEANT_BY], { description: 'The rule that gave the version.' })),
    snapshot: Type.Optional(snapshotSource),
    adopted: Type.Optional(Type.Array(since)),
    label: Type.Optional(Type.Object({ label: Type.String(), moves: Type.Array(move) }, CLOSED)),
    published: Type.Optional(since),
    definition: Type.Optional(since),
  },
  CLOSED,
)
const active = Type.Object(
  {
    steps: Type.Array(count, { minItems: 2, maxItems: 2, description: 'The first and the last that it held for.' }),
    snapshot: nullable(snapshot),
    adopted: Type.Array(since),
    role: nullable(Type.Object({ name: Type.String(), source: Type.Enum(['repo', 'shipped']), ref: Type.String(), digest, since }, CLOSED)),
    mode: Type.Object({ mode: Type.Enum(['planning', 'implementation']), since }, CLOSED),
    policy: nullable(Type.Object({ revision: count, at: Type.String() }, CLOSED)),
    before: Type.Optional(
      Type.Object(
        { source: Type.Enum(['workspace', 'direct', 'none']), messages: Type.Array(digest) },
        {
          ...CLOSED,
          description: 'Of a session run: the messages before the history, and where they come from.',
        },
      ),
    ),
    takenFrom: Type.Optional(Type.String({ description: 'The run that a fork took this step over from: it can tell the policy.' })),
  },
  CLOSED,
)
export const whyAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          nodeId: Type.String(),
          visit: count,
          kind: kindSchema,
          slot: count,
          agentId: nullable(Type.String()),
          resolved: nullable(Type.String()),
          chain: Type.Array(entry),
          sequence: count,
          at: Type.String(),
          active: Type.Array(active),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)
