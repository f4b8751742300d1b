// /v1/runs/{runId}/why: which source of a prompt won at every node, over which others, and which versions were active.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { ActiveSteps } from '../../../core/why/active-since.ts'
import { pacedStore } from '../../../engine/reading/paced-store.ts'
import { whyRun } from '../../../engine/why/why.ts'
import { runParams } from '../../../wire/onbook/runs.ts'
import { whyAnswer, whyQuery } from '../../../wire/onbook/why-schema.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

export function runWhyRoutes(app: FastifyInstance, { store, questions }: QuestionRouteParts): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof whyQuery> }>(
    '/v1/runs/:runId/why',
    {
      schema: {
        operationId: 'getWhy',
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
      return { items: found.map(answer => ({ ...answer, active: answer.active.map(forTenant) })) }
    },
  )
}

/** The policy belongs to the operator: a tenant does not see who changed it. */
const forTenant = ({ policy, ...rest }: ActiveSteps): object => ({
  ...rest,
  policy: policy === null ? null : { revision: policy.revision, at: policy.since.at },
})
