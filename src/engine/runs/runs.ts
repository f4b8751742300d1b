// Which runs a tenant has, and which of them are not over.
import type { ProjectedRow, Row } from '../../core/record/projection.ts'
import type { ForkOf } from '../../core/run/fork.ts'
import { runRows } from '../../core/run/projections.ts'
import type { Store } from '../../ports.ts'

export interface RunSummary {
  readonly runId: string
  readonly workflowId: string
  readonly phase: string
  readonly createdAt: string
  readonly changedAt: string
  readonly forkOf?: Pick<ForkOf, 'runId' | 'fromSeq' | 'mode'>
}

export async function openRuns(store: Store, tenant: string): Promise<readonly string[]> {
  const open: string[] = []
  for await (const row of store.rows(runRows.table, tenant, { open: 1 })) open.push(summaryOf(row).runId)
  return open
}

/** By id, from after one on. @param cells what they must have */
export async function* listRuns(store: Store, tenant: string, after = '', cells: Row = {}): AsyncIterable<RunSummary> {
  for await (const row of store.rows(runRows.table, tenant, cells, { by: 'runId', after })) yield summaryOf(row)
}

/** Null when there is no such run. */
export async function findRun(store: Store, tenant: string, runId: string): Promise<RunSummary | null> {
  for await (const row of store.rows(runRows.table, tenant, { runId })) return summaryOf(row)
  return null
}

const summaryOf = ({ cells }: ProjectedRow): RunSummary => ({
  runId: String(cells.runId),
  workflowId: String(cells.workflowId),
  phase: String(cells.phase),
  createdAt: String(cells.createdAt),
  changedAt: String(cells.changedAt),
  ...(cells.forkOf === null
    ? {}
    : { forkOf: { runId: String(cells.forkOf), fromSeq: Number(cells.forkFrom), mode: cells.forkMode as ForkOf['mode'] } }),
})
