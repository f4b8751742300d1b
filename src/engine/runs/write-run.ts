// One change to a run, and to the session of one of its nodes: decided on what is there, committed together, decided again when somebody was quicker.

import { type RunEvent, runDraft, runStream } from '../../core/run/events.ts'
import type { RunState } from '../../core/run/state.ts'
import { type SessionEvent, sessionDraft, sessionStream } from '../../core/session/events.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { SessionState } from '../../core/session/state.ts'
import { Fault } from '../../errors.ts'
import type { Commit, Store } from '../../ports.ts'
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
  readonly run: { readonly state: RunState; readonly events: readonly RunEvent[]; readonly objects: readonly StoredText[] }
  readonly session?: {
    readonly session: string
    readonly seq: number
    readonly state: SessionState
    readonly events: readonly SessionEvent[]
  }
  readonly objects?: readonly Uint8Array[]
  /** Most of these are in the record already: runs of one workflow say the same in many steps. */
  readonly texts?: readonly StoredText[]
  readonly idempotency?: Commit['idempotency']
  /** What whoever asked for it wants to know. */
  readonly answer: T
}

export interface WrittenRun<T> {
  readonly run: LoadedRun
  readonly answer: T
  readonly replayed: boolean
}

/** The session of a node, as fresh as the run is. */
export type LoadNode = (session: string) => Promise<LoadedSession>

const encoder = new TextEncoder()

/**
 * The run's stream is part of every commit, with or without events: whoever claimed the run since has moved it, and the commit is refused.
 * @param decide null when there is nothing to write
 * @param isNew there is no such run yet; should there be one, that is found out
 */
export async function writeRun<T>(
  store: Store,
  { tenant, runId, actor, cause = null }: RunPlace,
  decide: (run: LoadedRun, load: LoadNode) => Promise<RunChange<T> | null>,
  isNew = false,
): Promise<WrittenRun<T> | null> {
  // What is kept here is right unless somebody else has written: then the commit is refused, and everything is read.
  for (let isFresh = false; ; isFresh = true) {
    const loaded = isNew && !isFresh ? NO_RUN : await (isFresh ? loadRun : keptRun)(store, tenant, runId)
    const change = await decide(loaded, session => (isFresh ? loadSession : keptSession)(store, tenant, session))
    if (change === null) return null
    const { run, session, objects = [], texts = [], idempotency, answer } = change
    if (run.events.length === 0 && (session?.events.length ?? 0) === 0) return { run: loaded, answer, replayed: false }
    try {
      const appends = [{ stream: runStream(runId), expected: loaded.seq, entries: run.events.map(event => runDraft(event, actor, cause)) }]
      if (session !== undefined && session.events.length > 0) {
        const entries = session.events.map(event => sessionDraft(event, actor, cause))
        appends.push({ stream: sessionStream(session.session), expected: session.seq, entries })
      }
      const known = knownTo(store)
      const unknown = [...texts, ...run.objects].filter(text => isFresh || !known.has(nameIn(tenant, text)))
      const { replayed, at } = await store.commit({
        tenant,
        objects: [...objects, ...unknown.map(({ text }) => encoder.encode(text))],
        appends,
        ...(idempotency === undefined ? {} : { idempotency }),
      })
      if (replayed !== null) return { run: loaded, answer, replayed: true }
      remember(known, tenant, unknown)
      const seq = loaded.seq + run.events.length
      const born = loaded.seq < 0 ? { createdAt: at, createdBy: actor } : {}
      const written = { ...loaded, ...born, state: run.state, seq }
      keepRun(store, tenant, runId, written)
      if (session !== undefined)
        keepSession(store, tenant, session.session, { state: session.state, seq: session.seq + session.events.length })
      return { run: written, answer, replayed: false }
    } catch (error) {
      // Somebody was quicker; or has erased what was there.
      const mayBe = error instanceof Fault && (error.code === 'stream_moved' || (error.code === 'object_missing' && !isFresh))
      if (!mayBe) throw error
    }
  }
}

/** Texts that were written from here, and that events speak of since: they are not sent again. */
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
