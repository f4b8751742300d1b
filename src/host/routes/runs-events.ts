// /v1/runs/{runId}/events: what happened in a run, in OpenWOP's words. In pages, or as it happens, until the run is over.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { isBusy, isEnded } from '../../core/run/state.ts'
import { loadFrozen } from '../../engine/runs/frozen.ts'
import { type LoadedRun, loadRun } from '../../engine/runs/load.ts'
import { childSession } from '../../engine/runs/start-node.ts'
import { Fault } from '../../errors.ts'
import type { Observability, RunEventDoc } from '../../wire/openwop/run-event.ts'
import { principalOf } from '../access.ts'
import type { EventStream, EventStreams } from '../event-stream.ts'
import { existingRun, runDocument, runSnapshot } from '../run-documents.ts'
import { answers } from './answers.ts'
import { followQuery, pollAnswer, pollQuery, runParams } from './runs-schema.ts'
import type { SessionRouteParts } from './session-writes.ts'
import { resumeAfter } from './streams.ts'

type Params = Static<typeof runParams>
const MOST_POLLED = 1_000
const MOST_IN_BATCH = 1_000

const MODES = ['values', 'updates', 'messages', 'debug'] as const
type StreamMode = (typeof MODES)[number]
/** By the types of the record. Of `debug` is everything, and the end of the run of every mode. */
const OF_MODE: Readonly<Record<'updates' | 'messages', RegExp>> = {
  updates: /^(?:run|node|approval)\.|^log\.appended$/,
  messages: /^(?:step|tool)\./,
}
const LAST = /^run\.(?:completed|failed|cancelled)$/

interface Desk extends SessionRouteParts {
  readonly observability: Observability
  readonly tenant: string
  readonly runId: string
}

export function runEventRoutes(app: FastifyInstance, parts: SessionRouteParts, observability: Observability, streams: EventStreams): void {
  const { store } = parts

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
      const desk = { ...parts, observability, tenant, runId }
      return streams.open(request, reply, async reader => {
        if (modes.includes('values')) return sendValues(desk, reader, after)
        const seen = modes.includes('messages') || modes.includes('debug') ? await hearReplies(desk, reader, run) : () => {}
        await sendDocuments(reader, documentsOf(desk, reader, { after, modes, seen }), Number(bufferMs))
      })
    },
  )
}

function modesOf(given: string): readonly StreamMode[] {
  const names = given.split(',')
  const known = names.filter((name): name is StreamMode => (MODES as readonly string[]).includes(name))
  if (known.length < names.length || (known.includes('values') && known.length > 1))
    throw new Fault('unsupported_stream_mode', { given: given.slice(0, 100).toWellFormed(), supported: MODES })
  return known
}

const isOf = (modes: readonly StreamMode[], type: string): boolean =>
  LAST.test(type) || modes.some(mode => mode === 'debug' || (mode !== 'values' && OF_MODE[mode].test(type)))

async function* documentsOf(
  { store, tenant, runId, observability }: Desk,
  { closed }: EventStream,
  { after, modes, seen }: { readonly after: number; readonly modes: readonly StreamMode[]; readonly seen: (event: RunEvent) => void },
): AsyncIterable<RunEventDoc> {
  for await (const stored of store.follow(tenant, runStream(runId), after, closed)) {
    seen(runEvent(stored.event))
    if (isOf(modes, stored.event.type)) yield await runDocument(store, tenant, stored, observability)
    if (LAST.test(stored.event.type)) return
  }
}

/** One by one, or what comes within so many milliseconds together. */
async function sendDocuments(reader: EventStream, documents: AsyncIterable<RunEventDoc>, bufferMs: number): Promise<void> {
  let batch: RunEventDoc[] = []
  let timer: NodeJS.Timeout | null = null
  const flush = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const together = batch
    batch = []
    if (together.length > 0) await reader.send(together.at(-1)!.sequence, 'batch', JSON.stringify(together))
  }
  for await (const document of documents) {
    if (bufferMs === 0) {
      await reader.send(document.sequence, document.type, JSON.stringify(document))
      continue
    }
    batch.push(document)
    if (batch.length >= MOST_IN_BATCH) await flush()
    else timer ??= setTimeout(() => void flush(), bufferMs)
  }
  await flush()
}

/** The whole run whenever something has happened in it; what happened meanwhile is in it. */
async function sendValues({ store, tenant, runId }: Desk, reader: EventStream, after: number): Promise<void> {
  let sent = after
  for await (const { event } of store.follow(tenant, runStream(runId), after, reader.closed)) {
    if (event.seq <= sent) continue
    const run = await loadRun(store, tenant, runId)
    sent = run.seq
    await reader.send(run.seq, 'values', JSON.stringify(await runSnapshot(store, tenant, run)))
    if (isEnded(run.state)) return
  }
}

/** A session of the run's own says nothing else; one that lasts is heard while its node is at work. */
async function hearReplies(
  { store, sessions, tenant, runId }: Desk,
  reader: EventStream,
  { state }: LoadedRun,
): Promise<(event: RunEvent) => void> {
  const { workflow } = await loadFrozen(store, tenant, state.frozen!)
  const busy = new Set(Object.keys(state.nodes).filter(id => isBusy(state.nodes[id]!)))
  for (const { id: nodeId, session } of workflow.nodes)
    sessions.live.hear(tenant, session ?? childSession(runId, nodeId), reader.closed, delta => {
      if (session === null || busy.has(nodeId)) reader.mention('onbook.message.chunk', JSON.stringify({ runId, nodeId, ...delta }))
    })
  return event => {
    if (event.type === 'node.started') busy.add(event.nodeId)
    if (event.type === 'node.completed' || event.type === 'node.failed' || event.type === 'node.cancelled') busy.delete(event.nodeId)
  }
}
