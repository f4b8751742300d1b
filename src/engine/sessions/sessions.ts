// Which sessions a tenant has, and which of them have work that is not done.
import type { ProjectedRow, Row } from '../../core/record/projection.ts'
import { sessionStream } from '../../core/session/events.ts'
import { sessionRows } from '../../core/session/projections.ts'
import type { Store } from '../../ports.ts'

export interface SessionSummary {
  readonly session: string
  readonly home: string | null
  readonly phase: string
  readonly run: number | null
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

/** With a run under way, or a sync. */
export async function openSessions(store: Store, tenant: string): Promise<readonly string[]> {
  const open = new Set<string>()
  for (const cells of [{ open: 1 }, { syncing: 1 }] satisfies Row[])
    for await (const row of store.rows(sessionRows.table, tenant, cells)) {
      const summary = summaryOf(row)
      if (summary !== null) open.add(summary.session)
    }
  return [...open]
}

/** Other streams may have events of the same names. */
function summaryOf({ stream, cells }: ProjectedRow): SessionSummary | null {
  const session = cells.session as string | null
  if (session === null || stream !== sessionStream(session)) return null
  return {
    session,
    home: cells.home as string | null,
    phase: String(cells.phase),
    run: cells.run as number | null,
    workspace: cells.workspace as string | null,
    version: cells.version as number | null,
    createdAt: String(cells.createdAt),
    changedAt: String(cells.changedAt),
  }
}
