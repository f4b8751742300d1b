// /v1/runs/{runId}/why: which of the places a prompt could come from won at every node, over what, and what was in force.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { MEANT_BY } from '../../../core/library/meant.ts'
import { LAYERS } from '../../../core/resolve/layers.ts'
import type { StepsInForce } from '../../../core/why/in-force.ts'
import { pacedStore } from '../../../engine/paced-store.ts'
import { whyRun } from '../../../engine/why/why.ts'
import { runParams } from '../../../wire/onbook/runs-schema.ts'
import { CLOSED, digest, nullable } from '../../../wire/onbook/schema-parts.ts'
import { snapshot, snapshotSource } from '../../../wire/onbook/session-schema.ts'
import { kindSchema } from '../../../wire/onbook/template-schema.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

const count = Type.Integer({ minimum: 0 })
const whyQuery = Type.Object(
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
const inForce = Type.Object(
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
          description: 'Of a session that is asked directly: the messages before the history, and where they come from.',
        },
      ),
    ),
    takenFrom: Type.Optional(Type.String({ description: 'The run that a fork took this step over from: it can tell the policy.' })),
  },
  CLOSED,
)
const whyAnswer = Type.Object(
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
          inForce: Type.Array(inForce),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)

export function runWhyRoutes(app: FastifyInstance, { store, questions }: QuestionRouteParts): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof whyQuery> }>(
    '/v1/runs/:runId/why',
    {
      schema: {
        params: runParams,
        querystring: whyQuery,
        response: answers(
          whyAnswer,
          'One for each node and kind, of the newest visit unless another is named: every layer, and what became of it.',
        ),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      const { nodeId, kind, visit } = request.query
      const question = { nodeId, kind, visit: visit === undefined ? undefined : Number(visit) }
      const { runId } = request.params
      const found = await questions.ask(tenant, pause => whyRun(pacedStore(store, pause), tenant, runId, question))
      return { items: found.map(answer => ({ ...answer, inForce: answer.inForce.map(forTenant) })) }
    },
  )
}

/** The policy is the operator's: who changed it is none of a tenant's business. */
const forTenant = ({ policy, ...rest }: StepsInForce): object => ({
  ...rest,
  policy: policy === null ? null : { revision: policy.revision, at: policy.since.at },
})
