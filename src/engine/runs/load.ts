// A run as its events have left it. What was folded before is folded no further back.
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { foldRun } from '../../core/run/reduce.ts'
import { emptyRun, type RunState } from '../../core/run/state.ts'
import type { Store } from '../../ports.ts'

export interface LoadedRun {
  readonly state: RunState
  /** Of the last event; -1 when there is none. */
  readonly seq: number
  readonly createdAt: string
  readonly createdBy: string
}

const MOST_KEPT = 2_000
export const NO_RUN: LoadedRun = { state: emptyRun, seq: -1, createdAt: '', createdBy: '' }
const folded = new WeakMap<Store, Map<string, LoadedRun>>()

export async function loadRun(store: Store, tenant: string, runId: string): Promise<LoadedRun> {
  const kept = keptOf(store)
  const key = JSON.stringify([tenant, runId])
  const from = kept.get(key) ?? NO_RUN
  const added: RunEvent[] = []
  let { seq, createdAt, createdBy } = from
  for await (const { event } of store.read(tenant, runStream(runId), from.seq)) {
    if (event.seq === 0) [createdAt, createdBy] = [event.at, event.actor]
    added.push(runEvent(event))
    seq = event.seq
  }
  const loaded = added.length === 0 ? from : { state: foldRun(added, from.state), seq, createdAt, createdBy }
  keepRun(store, tenant, runId, loaded)
  return loaded
}

/** As it was when it was last looked at here: for whoever is told by the store when somebody else has written since. */
export const keptRun = async (store: Store, tenant: string, runId: string): Promise<LoadedRun> =>
  keptOf(store).get(JSON.stringify([tenant, runId])) ?? loadRun(store, tenant, runId)

export function keepRun(store: Store, tenant: string, runId: string, loaded: LoadedRun): void {
  const kept = keptOf(store)
  const key = JSON.stringify([tenant, runId])
  // Whoever read slowly has read what was.
  const newest = (kept.get(key)?.seq ?? -1) > loaded.seq ? kept.get(key)! : loaded
  kept.delete(key)
  if (newest.seq >= 0) kept.set(key, newest)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
}

function keptOf(store: Store): Map<string, LoadedRun> {
  const kept = folded.get(store) ?? new Map<string, LoadedRun>()
  folded.set(store, kept)
  return kept
}
