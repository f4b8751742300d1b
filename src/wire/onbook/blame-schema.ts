// Schema of the blame answer: the source of each span of a prompt.
import { Type } from 'typebox'
import { BLOCKS } from '../../core/compose/parts.ts'
import { LAYERS } from '../../core/resolve/layers.ts'
import { CLOSED, digest, nullable } from './schema-parts.ts'
import { kindSchema } from './template-schema.ts'

const count = Type.Integer({ minimum: 0 })
const ordinal = Type.String({ pattern: '^[1-9][0-9]{0,8}$' })
const text = nullable(Type.String())

export const stepQuery = Type.Object(
  { nodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })), visit: Type.Optional(ordinal), step: Type.Optional(ordinal) },
  CLOSED,
)

const place = { file: text, line: nullable(count), column: nullable(count) }
const span = Type.Object(
  {
    start: Type.Integer({ minimum: 0, description: 'In bytes of UTF-8.' }),
    end: count,
    text: nullable(Type.String({ description: 'Null where the host does not show prompts.' })),
    block: nullable(Type.Enum([...BLOCKS])),
    part: text,
    template: text,
    layer: nullable(Type.Enum([...LAYERS])),
    kind: nullable(kindSchema),
    variable: text,
    source: nullable(Type.Object({ from: Type.String(), name: text }, CLOSED)),
    trust: Type.Enum(['trusted', 'untrusted']),
    secret: text,
    ...place,
  },
  CLOSED,
)
const message = Type.Object(
  {
    digest,
    from: Type.Enum(['workspace', 'run']),
    name: text,
    role: Type.String(),
    spans: Type.Array(span),
    attached: Type.Array(Type.String()),
    reason: text,
  },
  CLOSED,
)
export const blameAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          runId: Type.String(),
          nodeId: Type.String(),
          visit: count,
          step: count,
          sequence: count,
          at: Type.String(),
          promptHash: digest,
          sent: Type.Object({ kind: Type.Enum(['full', 'delta']), reason: Type.String(), start: count, end: count }, CLOSED),
          workspace: nullable(Type.Object({ workspace: Type.String(), version: count, root: digest }, CLOSED)),
          spans: Type.Array(span, { description: 'Contiguous, and together the whole prompt.' }),
          prelude: Type.Array(message),
          tools: Type.Array(Type.Object({ name: Type.String(), description: text, from: Type.String(), ...place, reason: text }, CLOSED)),
          origins: Type.Array(Type.Object({ ref: Type.String(), from: Type.String(), file: text, reason: text }, CLOSED)),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)
