// Streams a run to a reader: the events that a mode shows, buffered or one by one, or the whole run, and pieces of unfinished replies.
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { isEnded } from '../../core/run/state.ts'
import { type LoadedRun, loadRun } from '../../engine/runs/load.ts'
import { workflowNow } from '../../engine/runs/start/world.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Observability, RunEventDoc } from '../../wire/openwop/run-event.ts'
import type { Live } from '../hosted-sessions.ts'
import { runDocument, runSnapshot } from '../routes/runs/run-documents.ts'
import type { EventStream } from './event-stream.ts'

const MOST_IN_BATCH = 1_000

/** OpenWOP's four modes, and ours: every event, with pieces of replies in our own format. */
const MODES = ['values', 'updates', 'messages', 'debug', 'onbook'] as const
export type StreamMode = (typeof MODES)[number]
/** By recorded type. Only OpenWOP's own types: it shows vendor types in `debug` only. */
const UPDATES = /^(?:run\.(?:created|paused|resumed|completed|failed|cancelled)|node\.(?:completed|failed))$/
/** The id of a complete stream, sent without an event. A reader that resumes with it has seen everything. */
export const END_ID = /^\d{1,15}-end$/
/** The reconnection time of a complete stream: an EventSource that ignores ids without an event reconnects anyway. */
export const OVER_RETRY_MS = 3_600_000
export const endIdOf = (seq: number): string => `${seq}-end`
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
  /** The last sequence that the reader has. */
  readonly after: number
  /** 0 sends each event by itself. */
  readonly bufferMs: number
}

/** Streams until the run ends, or the reader is gone. */
export async function followRun(
  followed: RunFollowed,
  run: LoadedRun,
  reader: EventStream,
  { modes, after, bufferMs }: FollowOptions,
): Promise<void> {
  if (modes.includes('values')) await sendValues(followed, reader, run)
  else {
    const seen = modes.some(mode => mode !== 'updates') ? await hearReplies(followed, reader, run, modes) : () => {}
    await sendDocuments(reader, documentsOf(followed, run, reader, { after, modes, seen }), bufferMs)
  }
  const { state, seq } = await loadRun(followed.store, followed.tenant, followed.runId)
  if (isEnded(state)) reader.finish(endIdOf(seq), isEnded(run.state) ? OVER_RETRY_MS : null)
}

export function modesOf(given: string): readonly StreamMode[] {
  const names = given.split(',')
  const known = names.filter((name): name is StreamMode => (MODES as readonly string[]).includes(name))
  if (known.length < names.length || (known.includes('values') && known.length > 1))
    throw new Fault('unsupported_stream_mode', { given: given.slice(0, 100).toWellFormed(), supported: MODES })
  return known
}

const isOf = (modes: readonly StreamMode[], type: string): boolean =>
  modes.some(mode => mode === 'debug' || mode === 'onbook' || (mode === 'updates' && UPDATES.test(type)))

async function* documentsOf(
  { store, tenant, runId, observability }: RunFollowed,
  { state }: LoadedRun,
  { closed }: EventStream,
  { after, modes, seen }: { readonly after: number; readonly modes: readonly StreamMode[]; readonly seen: (event: RunEvent) => void },
): AsyncIterable<RunEventDoc> {
  for await (const stored of store.follow(tenant, runStream(runId), after, closed)) {
    seen(runEvent(stored.event))
    if (isOf(modes, stored.event.type)) yield await runDocument(store, tenant, state, stored, observability)
    if (LAST.test(stored.event.type)) return
  }
}

/** Sends each event by itself, or all events within a buffer interval together. */
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

/** Sends the whole run after each change. Changes in the meantime are included in the next one. */
async function sendValues({ store, tenant, runId }: RunFollowed, reader: EventStream, now: LoadedRun): Promise<void> {
  const send = async (run: LoadedRun): Promise<void> =>
    reader.send(run.seq, 'state.snapshot', JSON.stringify(await runSnapshot(store, tenant, run)))
  // Sent first, so that a reader that resumes has the base of the later changes.
  await send(now)
  let sent = now.seq
  if (isEnded(now.state)) return
  for await (const { event } of store.follow(tenant, runStream(runId), sent, reader.closed)) {
    if (event.seq <= sent) continue
    const run = await loadRun(store, tenant, runId)
    sent = run.seq
    await send(run)
    if (isEnded(run.state)) return
  }
}

/** Pieces of unfinished replies of every node. */
async function hearReplies(
  { store, live, tenant, runId }: RunFollowed,
  reader: EventStream,
  { state }: LoadedRun,
  modes: readonly StreamMode[],
): Promise<(event: RunEvent) => void> {
  const inOurWords = modes.includes('onbook')
  const inOpenwops = modes.includes('messages') || modes.includes('debug')
  /** Nodes with an unfinished reply. */
  const speaking = new Set<string>()
  const chunk = (nodeId: string, text: string, isLast: boolean): void =>
    reader.mention('ai.message.chunk', JSON.stringify({ runId, nodeId, chunk: text, isLast }))
  const workflow = await workflowNow(store, tenant, state)
  const heard = new Set<string>()
  const hear = (nodeId: string): void => {
    heard.add(nodeId)
    live.hear({ tenant, runId, nodeId }, reader.closed, delta => {
      if (inOurWords) reader.mention('onbook.message.chunk', JSON.stringify({ runId, nodeId, ...delta }))
      if (!inOpenwops || delta.kind !== 'text') return
      speaking.add(nodeId)
      chunk(nodeId, delta.text, false)
    })
  }
  for (const { id } of workflow.nodes) hear(id)
  return event => {
    if (event.type === 'node.spawned' && !heard.has(event.nodeId)) hear(event.nodeId)
    if (event.type === 'step.settled' && speaking.delete(event.nodeId)) chunk(event.nodeId, '', true)
  }
}
