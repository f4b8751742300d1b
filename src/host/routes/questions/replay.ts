// /v1/runs/{runId}/replay: replays a run from its record, and reports where the result differs. Asks no model, and writes nothing.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { withoutWords } from '../../../core/replay/divergence.ts'
import { type Replayed, replayRun } from '../../../engine/replay/replay.ts'
import { replayAnswer, replayQuery } from '../../../wire/onbook/replay-schema.ts'
import { runParams } from '../../../wire/onbook/runs.ts'
import type { Observability } from '../../../wire/openwop/run-event.ts'
import { principalOf } from '../../access/access.ts'
import type { HostConfig } from '../../config.ts'
import { answers } from '../answers.ts'
import type { QuestionRouteParts } from './long-questions.ts'

export function runReplayRoutes(
  app: FastifyInstance,
  { store, questions }: QuestionRouteParts,
  { hostDefaults, observability }: Pick<HostConfig, 'hostDefaults' | 'observability'>,
): void {
  app.get<{ Params: Static<typeof runParams>; Querystring: Static<typeof replayQuery> }>(
    '/v1/runs/:runId/replay',
    {
      schema: {
        operationId: 'replayRun',
        params: runParams,
        querystring: replayQuery,
        response: answers(replayAnswer, 'What a replay of the record comes to. Level 2 unless level 1 is named.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      // The answer shows prompts and permissions of sessions.
      principalOf(request, 'record:read')
      const { runId } = request.params
      const level = request.query.level === '1' ? 1 : 2
      const replayed = await questions.askOfRuns(tenant, [runId], pause => replayRun(store, tenant, runId, { level, hostDefaults, pause }))
      return shown(replayed, observability)
    },
  )
}

const shown = (replayed: Replayed, observability: Observability): Replayed =>
  observability === 'full' ? replayed : { ...replayed, divergences: replayed.divergences.map(withoutWords) }
