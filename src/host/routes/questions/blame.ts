// /v1/runs/{runId}/blame: the source of every span of a prompt. Text is included only as far as the host shows prompts.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type BlameAnswer, blameRun } from '../../../engine/blame/blame.ts'
import { blameAnswer, stepQuery } from '../../../wire/onbook/blame-schema.ts'
import { runParams } from '../../../wire/onbook/runs.ts'
import type { Observability } from '../../../wire/openwop/run-event.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

export function runBlameRoutes(app: FastifyInstance, { store, questions }: QuestionRouteParts, observability: Observability): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof stepQuery> }>(
    '/v1/runs/:runId/blame',
    {
      schema: {
        operationId: 'getBlame',
        params: runParams,
        querystring: stepQuery,
        response: answers(blameAnswer, 'One for each node: its newest step, unless another is named. Every byte of its prompt, in spans.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      // The answer contains file paths and session configs.
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
