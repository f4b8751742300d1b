// /v1/runs/{runId}/events: what happened in a run, in OpenWOP's words. In pages, or as it happens, until the run is over.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { runStream } from '../../core/run/events.ts'
import { isEnded } from '../../core/run/state.ts'
import type { Observability, RunEventDoc } from '../../wire/openwop/run-event.ts'
import { principalOf } from '../access.ts'
import type { EventStreams } from '../event-stream.ts'
import { existingRun, runDocument } from '../run-documents.ts'
import { followRun, modesOf } from '../run-stream.ts'
import { answers } from './answers.ts'
import { followQuery, pollAnswer, pollQuery, runParams } from './runs-schema.ts'
import type { SessionRouteParts } from './session-writes.ts'
import { resumeAfter } from './streams.ts'

type Params = Static<typeof runParams>
const MOST_POLLED = 1_000

export function runEventRoutes(
  app: FastifyInstance,
  { store, sessions }: SessionRouteParts,
  observability: Observability,
  streams: EventStreams,
): void {
  app.get<{ Params: Params; Querystring: Static<typeof pollQuery> }>(
    '/v1/runs/:runId/events/poll',
    {
      schema: {
        params: runParams,
        querystring: pollQuery,
        response: answers(pollAnswer, 'Events after `lastSequence`, from the first when it is left out. Complete: nothing will follow.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      const { runId } = request.params
      const { lastSequence = '-1', limit } = request.query
      const { state, seq } = await existingRun(store, tenant, runId)
      const most = Number(limit ?? MOST_POLLED)
      const events: RunEventDoc[] = []
      let last = Number(lastSequence)
      for await (const stored of store.read(tenant, runStream(runId), last)) {
        if (events.length === most) break
        events.push(await runDocument(store, tenant, stored, observability))
        last = stored.event.seq
      }
      return { events, isComplete: isEnded(state) && last >= seq }
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof followQuery> }>(
    '/v1/runs/:runId/events',
    {
      exposeHeadRoute: false,
      schema: {
        params: runParams,
        querystring: followQuery,
        response: {
          ...answers(
            Type.String(),
            'Server-sent events: every event as it comes, until the run is over. `streamMode`: values, updates (unless said otherwise), messages, debug. With `bufferMs`, several at a time as `batch`. Pieces of replies on their way are `onbook.message.chunk`, without an id.',
          ),
          204: { ...Type.Null(), description: 'The run is over, and the last event is known: nothing will follow.' },
        },
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'runs:read')
      const { runId } = request.params
      const { streamMode = 'updates', bufferMs = '0', lastSequence } = request.query
      const modes = modesOf(streamMode)
      const run = await existingRun(store, tenant, runId)
      const after = resumeAfter(request.headers['last-event-id'] ?? lastSequence, run.seq)
      if (isEnded(run.state) && after >= run.seq) return reply.code(204).send()
      const followed = { store, live: sessions.live, observability, tenant, runId }
      return streams.open(request, reply, reader => followRun(followed, run, reader, { modes, after, bufferMs: Number(bufferMs) }))
    },
  )
}
