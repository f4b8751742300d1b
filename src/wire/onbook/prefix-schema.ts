// Schema of the prefix answer: the share of a request that stays the same from step to step.
import { Type } from 'typebox'
import { BLOCKS } from '../../core/compose/parts.ts'
import { LAYERS } from '../../core/resolve/layers.ts'
import { CLOSED, nullable } from './schema-parts.ts'

const count = Type.Integer({ minimum: 0 })
const text = nullable(Type.String())
export const prefixQuery = Type.Object({ nodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }, CLOSED)
const tokens = Type.Object(
  { tokens: count, estimated: Type.Boolean({ description: 'Whether the provider did not say: then a quarter of the bytes.' }) },
  CLOSED,
)
const breaker = {
  part: Type.Enum(['tools', 'system', 'prelude', 'history', 'user']),
  index: count,
  name: text,
  block: nullable(Type.Enum([...BLOCKS])),
  template: text,
  layer: nullable(Type.Enum([...LAYERS])),
  variable: text,
  at: nullable(count),
  of: nullable(count),
}
const step = Type.Object(
  {
    visit: count,
    step: count,
    sequence: count,
    bytes: count,
    resumed: Type.Boolean(),
    inputTokens: nullable(count),
    cachedTokens: nullable(count),
    previous: Type.Optional(count),
    kept: Type.Optional(count),
    broken: Type.Optional(nullable(Type.Object(breaker, CLOSED))),
    lost: Type.Optional(tokens),
  },
  CLOSED,
)
const summary = Type.Object(
  {
    compared: count,
    share: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    lost: tokens,
    worst: nullable(Type.Object({ ...breaker, times: count, bytes: count }, CLOSED)),
    hint: text,
  },
  CLOSED,
)
export const prefixAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          runId: Type.String(),
          nodeId: Type.String(),
          session: nullable(Type.String({ description: 'The lasting session that the node works in.' })),
          provider: Type.String(),
          model: Type.String(),
          steps: Type.Array(step),
          summary,
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)
