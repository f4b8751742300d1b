// Rebuilds projections in a scratch database, for comparison with a store. It grows on disk, not in memory.
import type { RecordedEvent } from '../../../core/record/event.ts'
import { type Projection, projectorOf, type RowChange } from '../../../core/record/projection.ts'
import { signedHeads } from '../../../core/record/projections.ts'
import type { ProjectionTables } from '../../../ports.ts'
import { openScratch } from '../database.ts'
import { createTables, projecting } from '../projection-tables.ts'

interface Pending {
  readonly change: RowChange
  readonly seq: number
}

/** Rows that are held back: most are changed again by the next event of their stream, and written once. */
const MOST_PENDING = 5_000

/** With a table of every signed head beside those that are asked for. */
export function scratchTables(declared: readonly Projection[]): ProjectionTables {
  const projections = [...declared, signedHeads]
  const database = openScratch()
  database.exec('CREATE TABLE streams (id INTEGER PRIMARY KEY, tenant TEXT, stream TEXT, UNIQUE (tenant, stream))')
  createTables(database, projections)
  const tables = projecting(database, projections)
  const project = projectorOf(projections)
  const addStream = database.prepare('INSERT INTO streams (tenant, stream) VALUES (?, ?) RETURNING id')
  const pending = new Map<string, Pending>()
  let at = { tenant: '', stream: '', id: 0 }
  database.exec('BEGIN')

  const flush = (): void => {
    for (const { change, seq } of pending.values()) tables.write(change, at.tenant, at.id, seq)
    pending.clear()
  }
  const enter = ({ tenant, stream }: RecordedEvent): void => {
    if (at.tenant === tenant && at.stream === stream) return
    flush()
    at = { tenant, stream, id: (addStream.get(tenant, stream) as { id: number }).id }
  }
  const hold = (change: RowChange, seq: number): void => {
    const row = JSON.stringify([change.table, ...change.key])
    const before = pending.get(row)
    // Only the same declaration names the same columns: another one's change has to find this one in the table.
    if (before !== undefined && before.change.by !== change.by) flush()
    pending.set(row, { change, seq })
    if (pending.size > MOST_PENDING) flush()
  }

  return {
    apply(event) {
      const changes = project(event)
      if (changes.length > 0) enter(event)
      for (const change of changes) hold(change, event.seq)
    },
    rows(table) {
      flush()
      return tables.allRows(table)
    },
    rowsBy(table, tenant, by) {
      flush()
      return tables.rows(table, tenant, {}, { by })
    },
    close: () => database.close(),
  }
}
