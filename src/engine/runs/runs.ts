// Lists the runs of a tenant, and those that have not ended.
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

export interface RunQuery {
  /** The id that the list was left at. */
  readonly after?: string | undefined
  /** Cells that a run must have. */
  readonly cells?: Row
  /** Ids begin with the time of their creation, so the last id is the newest run. */
  readonly newestFirst?: boolean
  /** Only runs that were created then or later. */
  readonly since?: string | undefined
  /** Only runs whose id begins so. */
  readonly prefix?: string | undefined
}

/** By id. Reads rows of the table and no stream. */
export async function* listRuns(
  store: Store,
  tenant: string,
  { after, cells = {}, newestFirst = false, since = '', prefix = '' }: RunQuery = {},
): AsyncIterable<RunSummary> {
  const order = { by: 'runId', descending: newestFirst, ...startOf(after, prefix, newestFirst) }
  for await (const row of store.rows(runRows.table, tenant, cells, order)) {
    const run = summaryOf(row)
    const isSeen = newestFirst ? run.runId < prefix || run.createdAt < since : prefix !== '' && run.runId > `${prefix}~`
    if (isSeen) return
    if (run.createdAt >= since) yield run
  }
}

/** Ids are ASCII without a tilde, which comes after every letter. */
function startOf(after: string | undefined, prefix: string, newestFirst: boolean): { readonly after?: string } {
  if (after !== undefined) return { after }
  if (newestFirst) return prefix === '' ? {} : { after: `${prefix}~` }
  return { after: prefix === '' ? '' : `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) - 1)}~` }
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
