// /v1/runs/{runId}/prefix: how much of a node's requests stays the same from step to step, what breaks the prefix, and the cost. Contains no prompt
// text.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { prefixOfRun } from '../../../engine/prefix/prefix.ts'
import { prefixAnswer, prefixQuery } from '../../../wire/onbook/prefix-schema.ts'
import { runParams } from '../../../wire/onbook/runs.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

export function runPrefixRoutes(app: FastifyInstance, { store, questions }: QuestionRouteParts): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof prefixQuery> }>(
    '/v1/runs/:runId/prefix',
    {
      schema: {
        operationId: 'getPrefix',
        params: runParams,
        querystring: prefixQuery,
        response: answers(prefixAnswer, 'One for each node and model: its steps in order, each with what it kept of the one before.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      principalOf(request, 'record:read')
      const { runId } = request.params
      return { items: await questions.askOfRuns(tenant, [runId], pause => prefixOfRun(store, tenant, runId, { ...request.query, pause })) }
    },
  )
}
