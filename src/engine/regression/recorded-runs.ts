// Lists the recorded runs that a proposal is compared with. Reads none of them.
import type { Store } from '../../ports.ts'
import { listRuns, type RunSummary } from '../runs/runs.ts'

export interface RunChoice {
  readonly workflowId?: string | undefined
  /** Created then or later. */
  readonly since?: string | undefined
}

/**
 * By id: those that the host has named come in the order in which they were created.
 * @param leftOut called for every replay: it repeats the prompts of its source
 */
export async function* chosenRuns(
  store: Store,
  tenant: string,
  { workflowId, since }: RunChoice,
  leftOut: () => void = () => {},
): AsyncIterable<RunSummary> {
  for await (const run of listRuns(store, tenant)) {
    if ((workflowId !== undefined && run.workflowId !== workflowId) || (since !== undefined && run.createdAt < since)) continue
    if (run.forkOf?.mode === 'replay') leftOut()
    else yield run
  }
}

export interface NewestRuns {
  /** Oldest first. */
  readonly runIds: readonly string[]
  /** How many more there are. */
  readonly older: number
}

/** Holds no more than twice as many as are wanted. */
export async function newestRuns(runs: AsyncIterable<RunSummary>, limit: number): Promise<NewestRuns> {
  const newest: RunSummary[] = []
  let count = 0
  for await (const run of runs) {
    count += 1
    newest.push(run)
    if (newest.length >= 2 * limit) newest.sort(byTime).splice(0, newest.length - limit)
  }
  const runIds = newest
    .sort(byTime)
    .slice(-limit)
    .map(({ runId }) => runId)
  return { runIds, older: count - runIds.length }
}

const byTime = (one: RunSummary, other: RunSummary): number =>
  one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : one.runId < other.runId ? -1 : 1
