// Lists the sessions of a tenant, and those with an unfinished sync.
import type { ProjectedRow } from '../../core/record/projection.ts'
import { type NodeOfRun, sessionStream } from '../../core/session/events.ts'
import { sessionRows } from '../../core/session/projections.ts'
import type { Store } from '../../ports.ts'

export interface SessionSummary {
  readonly session: string
  /** Its newest run, by number and by id; null before the first. */
  readonly run: number | null
  readonly runId: string | null
  /** Whether that run is at work here. */
  readonly open: boolean
  readonly workspace: string | null
  readonly version: number | null
  readonly createdAt: string
  readonly changedAt: string
}

/** By name. */
export async function* listSessions(store: Store, tenant: string, after = ''): AsyncIterable<SessionSummary> {
  for await (const row of store.rows(sessionRows.table, tenant, {}, { by: 'session', after })) {
    const summary = summaryOf(row)
    if (summary !== null) yield summary
  }
}

/** The newest run of a session; null before the first. */
export const newestRun = async (store: Store, tenant: string, session: string): Promise<string | null> =>
  (await newestNode(store, tenant, session))?.runId ?? null

/** The node that worked in the session last, or works in it now; null before the first. */
export async function newestNode(store: Store, tenant: string, session: string): Promise<NodeOfRun | null> {
  for await (const { stream, cells } of store.rows(sessionRows.table, tenant, { session }))
    if (stream === sessionStream(session) && cells.runId !== null) return { runId: String(cells.runId), nodeId: String(cells.nodeId) }
  return null
}

/** Sessions with an unfinished sync. */
export async function syncingSessions(store: Store, tenant: string): Promise<readonly string[]> {
  const open: string[] = []
  for await (const row of store.rows(sessionRows.table, tenant, { syncing: 1 })) {
    const summary = summaryOf(row)
    if (summary !== null) open.push(summary.session)
  }
  return open
}

/** Other streams may have events of the same names. */
function summaryOf({ stream, cells }: ProjectedRow): SessionSummary | null {
  const session = cells.session as string | null
  if (session === null || stream !== sessionStream(session)) return null
  return {
    session,
    run: cells.run as number | null,
    runId: cells.runId as string | null,
    open: cells.open === 1,
    workspace: cells.workspace as string | null,
    version: cells.version as number | null,
    createdAt: String(cells.createdAt),
    changedAt: String(cells.changedAt),
  }
}
