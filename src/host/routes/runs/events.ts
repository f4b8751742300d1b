// /v1/runs/{runId}/events: the events of a run in OpenWOP's names, in pages, by long poll, or as a stream until the run ends.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { runStream } from '../../../core/run/events.ts'
import { isEnded } from '../../../core/run/state.ts'
import type { Store } from '../../../ports.ts'
import { followQuery, pollAnswer, pollQuery, runParams } from '../../../wire/onbook/runs.ts'
import type { Observability, RunEventDoc } from '../../../wire/openwop/run-event.ts'
import { principalOf } from '../../access/access.ts'
import { type EventStreams, endOfStream } from '../../streams/event-stream.ts'
import { END_ID, endIdOf, followRun, modesOf, OVER_RETRY_MS } from '../../streams/run-stream.ts'
import { answers } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'
import { resumeAfter } from '../streams.ts'
import { existingRun, runDocument } from './run-documents.ts'

type Params = Static<typeof runParams>
const MOST_POLLED = 1_000
const WAIT_SECONDS = '30'

export function runEventRoutes(
  app: FastifyInstance,
  { store, sessions }: SessionRouteParts,
  observability: Observability,
  streams: EventStreams,
): void {
  const poll = async (tenant: string, runId: string, after: number, most: number) => {
    const { state, seq } = await existingRun(store, tenant, runId)
    const events: RunEventDoc[] = []
    let last = after
    for await (const stored of store.read(tenant, runStream(runId), after)) {
      if (events.length === most) break
      events.push(await runDocument(store, tenant, state, stored, observability))
      last = stored.event.seq
    }
    return { seq, answer: { events, isComplete: isEnded(state) && last >= seq } }
  }

  app.get<{ Params: Params; Querystring: Static<typeof pollQuery> }>(
    '/v1/runs/:runId/events/poll',
    {
      schema: {
        operationId: 'pollRunEvents',
        params: runParams,
        querystring: pollQuery,
        response: answers(
          pollAnswer,
          'Events after `lastSequence`, from the first when it is left out. Waits up to `timeout` seconds for one. Complete: nothing will follow.',
        ),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      const { runId } = request.params
      const { lastSequence = '-1', timeout = WAIT_SECONDS, limit = String(MOST_POLLED) } = request.query
      const after = Number(lastSequence)
      const { seq, answer } = await poll(tenant, runId, after, Number(limit))
      // A caller that names an event beyond the last one gets an answer at once: such an event may never come.
      if (answer.events.length > 0 || answer.isComplete || after > seq) return answer
      return streams.hold(request, async closed => {
        await nextEvent(store, tenant, runId, after, AbortSignal.any([closed, AbortSignal.timeout(Number(timeout) * 1_000)]))
        return (await poll(tenant, runId, after, Number(limit))).answer
      })
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof followQuery> }>(
    '/v1/runs/:runId/events',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamRunEvents',
        params: runParams,
        querystring: followQuery,
        response: {
          ...answers(
            Type.String(),
            'Server-sent events until the run is over. `streamMode`: values (`state.snapshot`), updates (unless said otherwise), messages (`ai.message.chunk`), debug (every event), onbook (every event, and `onbook.message.chunk`). With `bufferMs`, several at a time as `batch`. A stream that is complete ends with an id that has no event: a reader that comes back with it is answered 204.',
          ),
          204: { ...Type.Null(), description: 'The reader has seen the end of the stream: nothing will follow.' },
        },
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'runs:read')
      const { runId } = request.params
      const { streamMode = 'updates', bufferMs = '0', lastSequence } = request.query
      const modes = modesOf(streamMode)
      const run = await existingRun(store, tenant, runId)
      const given = request.headers['last-event-id']
      const isOver = isEnded(run.state)
      if (isOver && typeof given === 'string' && END_ID.test(given)) return reply.code(204).send()
      const after = resumeAfter(given ?? lastSequence, run.seq)
      if (isOver && after >= run.seq && !modes.includes('values'))
        return reply
          .type('text/event-stream')
          .header('cache-control', 'no-store')
          .send(endOfStream(endIdOf(run.seq), OVER_RETRY_MS))
      const followed = { store, live: sessions.live, observability, tenant, runId }
      return streams.open(request, reply, reader => followRun(followed, run, reader, { modes, after, bufferMs: Number(bufferMs) }))
    },
  )
}

/** Resolves when there is an event after that sequence, or the signal aborts. */
async function nextEvent(store: Store, tenant: string, runId: string, after: number, signal: AbortSignal): Promise<void> {
  for await (const _ of store.follow(tenant, runStream(runId), after, signal)) return
}
