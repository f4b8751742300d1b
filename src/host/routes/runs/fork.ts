// /v1/runs/{runId}:fork: replays a recorded run, or continues it from one of its events. The result is a new run.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { AskedFork } from '../../../engine/fork/forks.ts'
import type { ForkOverlay } from '../../../engine/fork/overlay.ts'
import { Fault } from '../../../errors.ts'
import { forkBody, forkedAnswer } from '../../../wire/onbook/fork.ts'
import { runParams } from '../../../wire/onbook/runs.ts'
import { principalOf } from '../../access/access.ts'
import { absoluteUrl } from '../../requests/absolute-url.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'
import { createdAnswers } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'
import { freshRunId } from './fresh-run-id.ts'
import { runPlaceOf } from './writes.ts'

type Body = Static<typeof forkBody>

export function runForkRoutes(app: FastifyInstance, { store, sessions }: SessionRouteParts): void {
  app.post<{ Params: Static<typeof runParams>; Body: Body }>(
    '/v1/runs/:runId([A-Za-z0-9._~-]+)::fork',
    {
      schema: {
        operationId: 'forkRun',
        params: runParams,
        body: forkBody,
        response: createdAnswers(
          forkedAnswer,
          'A run, on record. A replay asks no model and no tool; what comes out otherwise is in its events. A branch goes on in earnest.',
        ),
      },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'runs:create')
      // The fork copies the record of another run.
      principalOf(request, 'runs:read')
      principalOf(request, 'record:read')
      const { runId } = request.params
      const asked = askedOf(request.body)
      const place = runPlaceOf(principal, freshRunId())
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const answer = forkedOf(absoluteUrl(request, `/v1/runs/${place.runId}/events`), place.runId, runId, asked)
        const { replayed } = await sessions.forks.fork(place, runId, asked, () => keep(answer))
        return { answer, replayed }
      })
    },
  )
}

function askedOf({ mode, fromSeq, runOptionsOverlay = {} }: Body): AskedFork {
  if (mode === 'branch') {
    if (fromSeq === undefined) throw new Fault('validation_error', { problem: 'A branch needs fromSeq: the event it begins at' })
    return { mode, fromSeq, overlay: runOptionsOverlay as ForkOverlay }
  }
  if (Object.keys(runOptionsOverlay).length > 0)
    throw new Fault('validation_error', {
      problem: 'A replay takes no runOptionsOverlay, because it repeats the run unchanged. Branch instead',
    })
  return { mode, fromSeq: fromSeq ?? 0 }
}

const forkedOf = (eventsUrl: string, forkId: string, sourceRunId: string, { mode, fromSeq }: AskedFork): Answer => ({
  status: 201,
  headers: { location: `/v1/runs/${forkId}` },
  body: { runId: forkId, sourceRunId, fromSeq, mode, status: 'running', eventsUrl },
})
