// A run as it happens, for whoever follows it: which events a mode shows, several at a time or the whole run, and pieces of replies on their way.
import { type RunEvent, runEvent, runStream } from '../core/run/events.ts'
import { isBusy, isEnded } from '../core/run/state.ts'
import { type LoadedRun, loadRun } from '../engine/runs/load.ts'
import { childSession } from '../engine/runs/start-node.ts'
import { workflowNow } from '../engine/runs/world.ts'
import { Fault } from '../errors.ts'
import type { Store } from '../ports.ts'
import type { Observability, RunEventDoc } from '../wire/openwop/run-event.ts'
import type { EventStream } from './event-stream.ts'
import type { Live } from './hosted-sessions.ts'
import { runDocument, runSnapshot } from './run-documents.ts'

const MOST_IN_BATCH = 1_000

const MODES = ['values', 'updates', 'messages', 'debug'] as const
export type StreamMode = (typeof MODES)[number]
/** By the types of the record. Of `debug` is everything, and the end of the run of every mode. */
const OF_MODE: Readonly<Record<'updates' | 'messages', RegExp>> = {
  updates: /^(?:run|node|approval|handoff)\.|^edge\.created$|^tool\.(?:waiting|answered)$|^log\.appended$/,
  messages: /^(?:step|tool)\./,
}
const LAST = /^run\.(?:completed|failed|cancelled)$/

export interface RunFollowed {
  readonly store: Store
  readonly live: Live
  readonly observability: Observability
  readonly tenant: string
  readonly runId: string
}

export interface FollowOptions {
  readonly modes: readonly StreamMode[]
  /** The last sequence that is known. */
  readonly after: number
  /** 0: each by itself. */
  readonly bufferMs: number
}

/** Until the run is over, or nobody listens any more. */
export async function followRun(
  followed: RunFollowed,
  run: LoadedRun,
  reader: EventStream,
  { modes, after, bufferMs }: FollowOptions,
): Promise<void> {
  if (modes.includes('values')) return sendValues(followed, reader, after)
  const seen = modes.includes('messages') || modes.includes('debug') ? await hearReplies(followed, reader, run) : () => {}
  await sendDocuments(reader, documentsOf(followed, reader, { after, modes, seen }), bufferMs)
}

export function modesOf(given: string): readonly StreamMode[] {
  const names = given.split(',')
  const known = names.filter((name): name is StreamMode => (MODES as readonly string[]).includes(name))
  if (known.length < names.length || (known.includes('values') && known.length > 1))
    throw new Fault('unsupported_stream_mode', { given: given.slice(0, 100).toWellFormed(), supported: MODES })
  return known
}

const isOf = (modes: readonly StreamMode[], type: string): boolean =>
  LAST.test(type) || modes.some(mode => mode === 'debug' || (mode !== 'values' && OF_MODE[mode].test(type)))

async function* documentsOf(
  { store, tenant, runId, observability }: RunFollowed,
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
async function sendValues({ store, tenant, runId }: RunFollowed, reader: EventStream, after: number): Promise<void> {
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
  { store, live, tenant, runId }: RunFollowed,
  reader: EventStream,
  { state }: LoadedRun,
): Promise<(event: RunEvent) => void> {
  const workflow = await workflowNow(store, tenant, state)
  const busy = new Set(Object.keys(state.nodes).filter(id => isBusy(state.nodes[id]!)))
  const heard = new Set<string>()
  const hear = (nodeId: string, session: string | null): void => {
    heard.add(nodeId)
    live.hear(tenant, session ?? childSession(runId, nodeId), reader.closed, delta => {
      if (session === null || busy.has(nodeId)) reader.mention('onbook.message.chunk', JSON.stringify({ runId, nodeId, ...delta }))
    })
  }
  for (const { id, session } of workflow.nodes) hear(id, session)
  return event => {
    if (event.type === 'node.spawned' && !heard.has(event.nodeId)) hear(event.nodeId, null)
    if (event.type === 'node.started') busy.add(event.nodeId)
    if (event.type === 'node.completed' || event.type === 'node.failed' || event.type === 'node.cancelled') busy.delete(event.nodeId)
  }
}
