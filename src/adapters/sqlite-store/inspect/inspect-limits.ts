// The limits of a verification: every stream up to its head at the start, every object that existed then. Kept in temporary tables of this
// connection.
import type { Database } from '../database.ts'

export interface Limits {
  readonly lastObject: number
  /** Whether the stream was written to since, or is new. */
  isMoved(tenant: string, stream: string): boolean
  /** Whether nothing was written since. */
  isQuiet(): boolean
}

export function fixLimits(database: Database): Limits {
  const version = database.prepare('PRAGMA data_version')
  const versionNow = (): number => (version.get() as { data_version: number }).data_version
  // The heads of all streams are of one moment: no checkpoint names an event that comes after them.
  database.exec(`PRAGMA query_only = OFF; BEGIN;
    CREATE TEMP TABLE fixed AS SELECT id, tenant, stream, seq, digest, sealed FROM main.streams NOT INDEXED;
    CREATE INDEX temp.fixed_stream ON fixed (tenant, stream)`)
  const { last } = database.prepare('SELECT MAX(id) AS last FROM objects').get() as { last: number | null }
  const start = versionNow()
  database.exec('COMMIT')
  const moved = database.prepare(
    `SELECT COUNT(*) AS n FROM main.streams AS now LEFT JOIN temp.fixed AS fixed ON fixed.id = now.id
     WHERE now.tenant = ? AND now.stream = ? AND (fixed.id IS NULL OR now.seq > fixed.seq)`,
  )
  return {
    lastObject: last ?? -1,
    isMoved: (tenant, stream) => (moved.get(tenant, stream) as { n: number }).n > 0,
    isQuiet: () => versionNow() === start,
  }
}
