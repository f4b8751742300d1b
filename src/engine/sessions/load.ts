// Loads a session by folding its events. A cached fold is extended instead of starting again from the first event.

import { fromRecorded, type SessionEvent, sessionStream } from '../../core/session/events.ts'
import { foldSession } from '../../core/session/reduce.ts'
import { emptySession, type SessionState } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import { keptFolds } from '../reading/kept-folds.ts'

export interface LoadedSession {
  readonly state: SessionState
  /** The sequence of the last event; -1 for a session without events. */
  readonly seq: number
}

const folds = keptFolds<LoadedSession>(1_000)
const NONE: LoadedSession = { state: emptySession, seq: -1 }

export async function loadSession(store: Store, tenant: string, session: string): Promise<LoadedSession> {
  const from = folds.get(store, tenant, session) ?? NONE
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

/** The cached state, which may be old. Use it only where the store reports that another process has written since. */
export const keptSession = async (store: Store, tenant: string, session: string): Promise<LoadedSession> =>
  folds.get(store, tenant, session) ?? loadSession(store, tenant, session)

export const keepSession = folds.keep
