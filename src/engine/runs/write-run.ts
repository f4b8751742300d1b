// Writes one change to a run and to the sessions that record it, in one commit. Decides again when another writer commits first.
import { draftRun, type RunDraft, type SessionRecord } from '../../core/run/draft.ts'
import { runDraft, runStream } from '../../core/run/events.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { decide } from '../../core/session/decide.ts'
import { type SessionEvent, sessionDraft, sessionStream } from '../../core/session/events.ts'
import type { StoredText } from '../../core/session/history.ts'
import { reduce } from '../../core/session/reduce.ts'
import type { SessionState } from '../../core/session/state.ts'
import { Fault } from '../../errors.ts'
import type { Append, Commit, Store } from '../../ports.ts'
import { keepSession, keptSession, type LoadedSession, loadSession } from '../sessions/load.ts'
import { keepRun, keptRun, type LoadedRun, loadRun, NO_RUN } from './load.ts'

/** Which run, and who asks. */
export interface RunPlace {
  readonly tenant: string
  readonly runId: string
  readonly actor: string
  readonly cause?: string | null
}

export interface RunChange<T> {
  readonly draft: RunDraft
  readonly objects?: readonly Uint8Array[]
  /** Most of these are in the record already: runs of one workflow repeat texts in many steps. */
  readonly texts?: readonly StoredText[]
  readonly idempotency?: Commit['idempotency']
  /** For the caller. */
  readonly answer: T
}

export interface WrittenRun<T> {
  readonly run: LoadedRun
  readonly answer: T
  readonly replayed: boolean
  /** Whether there was anything to write. */
  readonly wrote: boolean
}

/** A session, as fresh as the run is. */
export type LoadSession = (session: string) => Promise<LoadedSession>

/** A change that writes nothing. */
export const unchanged = <T>({ state }: LoadedRun, answer: T): RunChange<T> => ({ draft: draftRun(state), answer })

const encoder = new TextEncoder()

/**
 * The run's stream is part of every commit, with or without events: if another process has claimed the run since, the commit is refused.
 * @param decide null when there is nothing to write
 * @param isNew the run does not exist yet; the commit is refused if it does
 */
export async function writeRun<T>(
  store: Store,
  { tenant, runId, actor, cause = null }: RunPlace,
  decide: (run: LoadedRun, load: LoadSession) => Promise<RunChange<T> | null>,
  isNew = false,
): Promise<WrittenRun<T> | null> {
  // The cached fold is right unless another process has written: then the commit is refused, and everything is read again.
  for (let isFresh = false; ; isFresh = true) {
    const load: LoadSession = session => (isFresh ? loadSession : keptSession)(store, tenant, session)
    const loaded = isNew && !isFresh ? NO_RUN : await (isFresh ? loadRun : keptRun)(store, tenant, runId)
    const change = await decide(loaded, load)
    if (change === null) return null
    const { draft, objects = [], texts = [], idempotency, answer } = change
    if (draft.events.length === 0) return { run: loaded, answer, replayed: false, wrote: false }
    const sessions = await recordedIn(load, draft.sessions)
    try {
      const appends: Append[] = [
        { stream: runStream(runId), expected: loaded.seq, entries: draft.events.map(event => runDraft(event, actor, cause)) },
        ...sessions.map(({ session, seq, events }) => ({
          stream: sessionStream(session),
          expected: seq,
          entries: events.map(event => sessionDraft(event, actor, cause)),
        })),
      ]
      const known = knownTo(store)
      const made = [...texts, ...draft.objects, ...sessions.flatMap(one => one.objects)]
      const unknown = made.filter(text => isFresh || !known.has(nameIn(tenant, text)))
      const { replayed, at } = await store.commit({
        tenant,
        objects: [...objects, ...unknown.map(({ text }) => encoder.encode(text))],
        appends,
        ...(idempotency === undefined ? {} : { idempotency }),
      })
      if (replayed !== null) return { run: loaded, answer, replayed: true, wrote: false }
      remember(known, tenant, unknown)
      const born = loaded.seq < 0 ? { createdAt: at, createdBy: actor } : {}
      const written = { ...loaded, ...born, state: draft.state, seq: loaded.seq + draft.events.length }
      keepRun(store, tenant, runId, written)
      for (const { session, seq, events, state } of sessions) keepSession(store, tenant, session, { state, seq: seq + events.length })
      return { run: written, answer, replayed: false, wrote: true }
    } catch (error) {
      // Another process wrote first, or an object was erased in the meantime.
      const mayBe = error instanceof Fault && (error.code === 'stream_moved' || (error.code === 'object_missing' && !isFresh))
      if (!mayBe) throw error
    }
  }
}

interface RecordedIn {
  readonly session: string
  readonly seq: number
  readonly state: SessionState
  readonly events: readonly SessionEvent[]
  readonly objects: readonly StoredText[]
}

/**
 * The events that each session records for the change. A session without events is part of the commit too: it must be unchanged since it
 * was read.
 */
async function recordedIn(load: LoadSession, records: readonly SessionRecord[]): Promise<readonly RecordedIn[]> {
  const found = new Map<string, RecordedIn>()
  for (const { session, command } of records) {
    const before = found.get(session) ?? { session, ...(await load(session)), events: [], objects: [] }
    found.set(session, recorded(before, command))
  }
  return [...found.values()]
}

function recorded(before: RecordedIn, command: SessionCommand): RecordedIn {
  const decided = decide(before.state, command)
  if (!decided.ok) throw new Fault('internal_error', { problem: `session ${before.session} refuses ${command.type}: ${decided.message}` })
  return {
    ...before,
    state: decided.events.reduce(reduce, before.state),
    events: [...before.events, ...decided.events],
    objects: [...before.objects, ...decided.objects],
  }
}

/** Texts that were written from here, and that events name since: they are not sent again. */
const written = new WeakMap<Store, Set<string>>()
const MOST_KNOWN = 50_000
const nameIn = (tenant: string, { digest }: StoredText): string => `${tenant} ${digest}`

function knownTo(store: Store): Set<string> {
  const known = written.get(store) ?? new Set<string>()
  written.set(store, known)
  return known
}

/** The oldest are forgotten first. */
function remember(known: Set<string>, tenant: string, texts: readonly StoredText[]): void {
  for (const text of texts) known.add(nameIn(tenant, text))
  for (const oldest of known) {
    if (known.size <= MOST_KNOWN) break
    known.delete(oldest)
  }
}
