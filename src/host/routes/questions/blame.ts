// /v1/runs/{runId}/blame: every word of what an agent was told, with who said it and where it is written. Words are shown as far as the host shows prompts.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { BLOCKS } from '../../../core/compose/parts.ts'
import { LAYERS } from '../../../core/resolve/layers.ts'
import { type BlameAnswer, blameRun } from '../../../engine/blame/blame.ts'
import { runParams } from '../../../wire/onbook/runs-schema.ts'
import { CLOSED, digest, nullable } from '../../../wire/onbook/schema-parts.ts'
import { kindSchema } from '../../../wire/onbook/template-schema.ts'
import type { Observability } from '../../../wire/openwop/run-event.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

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
const blameAnswer = Type.Object(
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

export function runBlameRoutes(app: FastifyInstance, { store, questions }: QuestionRouteParts, observability: Observability): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof stepQuery> }>(
    '/v1/runs/:runId/blame',
    {
      schema: {
        params: runParams,
        querystring: stepQuery,
        response: answers(blameAnswer, 'One for each node: its newest step, unless another is named. Every byte of its prompt, in spans.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      // Paths of files, and what sessions were set to.
      principalOf(request, 'record:read')
      const { nodeId, visit, step } = request.query
      const numbered = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value))
      const question = { nodeId, visit: numbered(visit), step: numbered(step) }
      const { runId } = request.params
      const found = await questions.askOfRuns(tenant, [runId], pause => blameRun(store, tenant, runId, question, pause))
      return { items: observability === 'full' ? found : found.map(withoutWords) }
    },
  )
}

const withoutWords = ({ spans, prelude, tools, ...answer }: BlameAnswer): object => ({
  ...answer,
  spans: spans.map(one => ({ ...one, text: null })),
  prelude: prelude.map(one => ({ ...one, spans: one.spans.map(each => ({ ...each, text: null })) })),
  tools: tools.map(one => ({ ...one, description: null })),
})
