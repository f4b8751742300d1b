// Loads a run by folding its events. A cached fold is extended instead of starting again from the first event.
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { foldRun } from '../../core/run/reduce.ts'
import { emptyRun, type RunState } from '../../core/run/state.ts'
import type { Store } from '../../ports.ts'
import { keptFolds } from '../reading/kept-folds.ts'

export interface LoadedRun {
  readonly state: RunState
  /** The sequence of the last event; -1 for a run without events. */
  readonly seq: number
  readonly createdAt: string
  readonly createdBy: string
}

export const NO_RUN: LoadedRun = { state: emptyRun, seq: -1, createdAt: '', createdBy: '' }
const folds = keptFolds<LoadedRun>(2_000)

export async function loadRun(store: Store, tenant: string, runId: string): Promise<LoadedRun> {
  const from = folds.get(store, tenant, runId) ?? NO_RUN
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

/** The cached state, which may be old. Use it only where the store reports that another process has written since. */
export const keptRun = async (store: Store, tenant: string, runId: string): Promise<LoadedRun> =>
  folds.get(store, tenant, runId) ?? loadRun(store, tenant, runId)

export const keepRun = folds.keep
