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
const NONE: LoadedSession = { state: emptySession, seq: -1 }

export async function loadSession(store: Store, tenant: string, session: string): Promise<LoadedSession> {
  const from = keptOf(store).get(JSON.stringify([tenant, session])) ?? NONE
  const added: SessionEvent[] = []
  let { seq } = from
  for await (const { event } of store.read(tenant, sessionStream(session), from.seq)) {
    added.push(fromRecorded(event))
    seq = event.seq
  }
  const loaded = added.length === 0 ? from : { state: foldSession(added, from.state), seq }
  keepSession(store, tenant, session, loaded)
  return loaded
}

/** As it was when it was last looked at here: for whoever is told by the store when somebody else has written since. */
export const keptSession = async (store: Store, tenant: string, session: string): Promise<LoadedSession> =>
  keptOf(store).get(JSON.stringify([tenant, session])) ?? loadSession(store, tenant, session)

export function keepSession(store: Store, tenant: string, session: string, loaded: LoadedSession): void {
  const kept = keptOf(store)
  const key = JSON.stringify([tenant, session])
  // Whoever read slowly has read what was.
  const newest = (kept.get(key)?.seq ?? -1) > loaded.seq ? kept.get(key)! : loaded
  kept.delete(key)
  if (newest.seq >= 0) kept.set(key, newest)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
}

function keptOf(store: Store): Map<string, LoadedSession> {
  const kept = folded.get(store) ?? new Map<string, LoadedSession>()
  folded.set(store, kept)
  return kept
}
