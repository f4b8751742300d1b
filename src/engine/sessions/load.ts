// A session as its events have left it. What was folded before is folded no further back.

import { fromRecorded, type SessionEvent, sessionStream } from '../../core/session/events.ts'
import { foldSession } from '../../core/session/reduce.ts'
import { emptySession, type SessionState } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import { keptFolds } from '../reading/kept-folds.ts'

export interface LoadedSession {
  readonly state: SessionState
  /** Of the last event; -1 when there is none. */
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

/** As it was when it was last looked at here: for whoever is told by the store when somebody else has written since. */
export const keptSession = async (store: Store, tenant: string, session: string): Promise<LoadedSession> =>
  folds.get(store, tenant, session) ?? loadSession(store, tenant, session)

export const keepSession = folds.keep
