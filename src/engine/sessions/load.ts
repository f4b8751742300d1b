// A session as its events have left it. What was folded before is folded no further back.

import { fromRecorded, type SessionEvent, sessionStream } from '../../core/session/events.ts'
import { foldSession } from '../../core/session/reduce.ts'
import { emptySession, type SessionState } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'

export interface LoadedSession {
  readonly state: SessionState
  /** Of the last event; -1 when there is none. */
  readonly seq: number
}

const MOST_KEPT = 1_000
const folded = new WeakMap<Store, Map<string, LoadedSession>>()

export async function loadSession(store: Store, tenant: string, session: string): Promise<LoadedSession> {
  const kept = folded.get(store) ?? new Map<string, LoadedSession>()
  folded.set(store, kept)
  const key = JSON.stringify([tenant, session])
  const from = kept.get(key) ?? { state: emptySession, seq: -1 }
  const added: SessionEvent[] = []
  let { seq } = from
  for await (const { event } of store.read(tenant, sessionStream(session), from.seq)) {
    added.push(fromRecorded(event))
    seq = event.seq
  }
  const loaded = added.length === 0 ? from : { state: foldSession(added, from.state), seq }
  kept.delete(key)
  if (loaded.seq >= 0) kept.set(key, loaded)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
  return loaded
}
