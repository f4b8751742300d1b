// Builds projections that are new or declared differently, and rebuilds them on demand: drops them, then fills them from the streams.
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { readCheckpoint } from '../../core/record/checkpoint.ts'
import { parseEvent } from '../../core/record/event.ts'
import { type Projection, readProjections } from '../../core/record/projection.ts'
import { RECORD_PROJECTIONS } from '../../core/record/projections.ts'
import { Fault } from '../../errors.ts'
import { type Database, transaction } from './database.ts'
import { createTables, dropTables, projecting } from './projection-tables.ts'

/** The one row of `settings`. */
export const SETTING = 'projections'

/** The projections that the tables in the file were made from. A caller without projections of its own maintains these. */
export function declaredIn(database: Database, path: string): readonly Projection[] {
  const found = database.prepare('SELECT value FROM settings WHERE name = ?').get(SETTING) as { value: string } | undefined
  const declared = found === undefined ? [] : readProjections(found.value)
  if (declared === null) throw new Fault('store_corrupt', { path, reason: 'the declaration of its projections cannot be read' })
  // The record's own are never taken from the file.
  const own = new Set(RECORD_PROJECTIONS.map(({ table }) => table))
  return [...RECORD_PROJECTIONS, ...declared.filter(({ table }) => !own.has(table))]
}

const declarationOf = (projections: readonly Projection[]): string => canonicalJson(projections as unknown as Json)

/** Asks whether the tables are still these: another version may have come and made its own. */
export function currentTables(database: Database, projections: readonly Projection[]): () => boolean {
  const declared = declarationOf(projections)
  const setting = database.prepare('SELECT value = ? AS same FROM settings WHERE name = ?')
  return () => (setting.get(declared, SETTING) as { same: number } | undefined)?.same === 1
}

export function makeTables(database: Database, projections: readonly Projection[]): void {
  if (!currentTables(database, projections)()) rebuild(database, projections, true)
}

/** One transaction: readers see the old rows until the new ones are all there. How many events it read. */
export function rebuild(database: Database, projections: readonly Projection[], onlyWhenOther = false): number {
  return transaction(database, () => {
    if (onlyWhenOther && currentTables(database, projections)()) return 0 // another process was quicker
    dropTables(database)
    createTables(database, projections)
    const read = fill(database, projections)
    database.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)').run(SETTING, declarationOf(projections))
    return read
  })
}

function fill(database: Database, projections: readonly Projection[]): number {
  const tables = projecting(database, projections)
  const seal = database.prepare('UPDATE streams SET sealed = ? WHERE tenant = ? AND stream = ?')
  let read = 0
  database.exec('UPDATE streams SET sealed = -1')
  for (const row of database.prepare('SELECT stream_id, bytes FROM events ORDER BY stream_id, seq').iterate()) {
    read++
    // `verify` reports unreadable events: they are skipped here.
    const { stream_id: streamId, bytes } = row as { stream_id: number; bytes: Uint8Array }
    const event = parseEvent(bytes)
    if (event === null) continue
    tables.apply(event, streamId)
    for (const { stream, seq } of readCheckpoint(event)?.statement.heads ?? []) seal.run(seq, event.tenant, stream)
  }
  return read
}
