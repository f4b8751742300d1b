// All SQL statements of the store, prepared once.
import type { Database } from './database.ts'
import { READ_TIMEOUT } from './when-free.ts'

export interface HeadRow {
  readonly id: number
  readonly stream: string
  readonly seq: number
  readonly digest: string
}

export interface EventRow {
  readonly seq: number
  readonly bytes: Uint8Array
}

export interface ObjectRow {
  readonly id: number
  readonly written_at: string
  /** Null when the bytes are gone. */
  readonly size: number | null
  /** Null when they are in chunks. */
  readonly bytes?: Uint8Array | null
}

/** The tenants of a table from one to the next along its index: asked often, and a tenant may have millions of rows. */
const stepping = (name: string, table: string): string =>
  `${name} (tenant) AS (SELECT MIN(tenant) FROM ${table} UNION
   SELECT (SELECT MIN(tenant) FROM ${table} WHERE ${table}.tenant > ${name}.tenant) FROM ${name} WHERE tenant IS NOT NULL)`

/** Rows in one statement: a commit brings a few, and each statement costs as much as a row. */
const ROWS = [16, 4, 1] as const

/** @returns a function that inserts any number of rows, whose values follow one another */
function insertingInto(database: Database, into: string, columns: number): (values: readonly (number | Uint8Array)[]) => void {
  const row = `(${Array(columns).fill('?').join(', ')})`
  const sized = ROWS.map(rows => ({
    length: rows * columns,
    statement: database.prepare(`INSERT INTO ${into} VALUES ${Array(rows).fill(row).join(', ')}`),
  }))
  return values => {
    let at = 0
    for (const { length, statement } of sized)
      for (; values.length - at >= length; at += length) statement.run(...values.slice(at, at + length))
  }
}

export type Statements = ReturnType<typeof statementsOf>

export const statementsOf = (database: Database) => ({
  begin: database.prepare('BEGIN IMMEDIATE'),
  end: database.prepare('COMMIT'),
  undo: database.prepare('ROLLBACK'),
  /** Empties the log beside the file into it, so that what was erased is nowhere. */
  empty: database.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
  waitNever: database.prepare('PRAGMA busy_timeout = 0'),
  waitBriefly: database.prepare('PRAGMA busy_timeout = 20'),
  waitToRead: database.prepare(READ_TIMEOUT),
  /** Another number when another connection has written. */
  version: database.prepare('PRAGMA data_version'),
  head: database.prepare('SELECT id, stream, seq, digest FROM streams WHERE tenant = ? AND stream = ?'),
  tenants: database.prepare(
    `WITH RECURSIVE ${stepping('speakers', 'streams')}, ${stepping('keepers', 'objects')}
     SELECT tenant FROM speakers WHERE tenant IS NOT NULL UNION SELECT tenant FROM keepers WHERE tenant IS NOT NULL ORDER BY tenant`,
  ),
  /** The same from every row, for a caller that does not trust the index. */
  tenantsOfRows: database.prepare('SELECT tenant FROM streams UNION SELECT tenant FROM objects ORDER BY tenant'),
  streams: database.prepare('SELECT id, stream, seq, digest FROM streams WHERE tenant = ? AND stream > ? ORDER BY stream LIMIT ?'),
  unsealed: database.prepare(
    'SELECT id, stream, seq, digest FROM streams WHERE tenant = ? AND seq > sealed AND stream <> ? AND stream > ? ORDER BY stream LIMIT ?',
  ),
  addStream: database.prepare('INSERT INTO streams (tenant, stream, seq, digest) VALUES (?, ?, ?, ?) RETURNING id'),
  moveStream: database.prepare('UPDATE streams SET seq = ?, digest = ? WHERE id = ?'),
  sealStream: database.prepare('UPDATE streams SET sealed = ? WHERE tenant = ? AND stream = ?'),
  addEvents: insertingInto(database, 'events (stream_id, seq, bytes)', 3),
  events: database.prepare(
    `SELECT seq, bytes FROM events WHERE stream_id = (SELECT id FROM streams WHERE tenant = ? AND stream = ?)
     AND seq > ? ORDER BY seq LIMIT ?`,
  ),
  object: database.prepare('SELECT id, written_at, size, bytes FROM objects WHERE tenant = ? AND digest = ?'),
  findObject: database.prepare('SELECT id, written_at, size FROM objects WHERE tenant = ? AND digest = ?'),
  /** Adds a row, or fills one whose bytes were erased. */
  putObject: database.prepare(
    `INSERT INTO objects (tenant, digest, written_at, size, bytes) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tenant, digest) DO UPDATE SET written_at = excluded.written_at, size = excluded.size, bytes = excluded.bytes RETURNING id`,
  ),
  touchObject: database.prepare('UPDATE objects SET written_at = ? WHERE id = ?'),
  emptyObject: database.prepare('UPDATE objects SET size = NULL, bytes = NULL WHERE id = ?'),
  dropObject: database.prepare('DELETE FROM objects WHERE id = ?'),
  chunk: database.prepare('SELECT bytes FROM chunks WHERE object_id = ? AND n = ?'),
  addChunk: database.prepare('INSERT INTO chunks (object_id, n, bytes) VALUES (?, ?, ?)'),
  dropChunks: database.prepare('DELETE FROM chunks WHERE object_id = ?'),
  moveChunks: database.prepare('UPDATE chunks SET object_id = ? WHERE object_id = ?'),
  addUpload: database.prepare('INSERT INTO uploads (started_at) VALUES (?) RETURNING id'),
  dropUpload: database.prepare('DELETE FROM uploads WHERE id = ?'),
  oldUploads: database.prepare('SELECT id FROM uploads WHERE started_at < ?'),
  addRefs: insertingInto(database, 'refs (stream_id, seq, object_id)', 3),
  addLink: database.prepare('INSERT INTO links (parent_id, object_id) VALUES (?, ?)'),
  links: database.prepare('SELECT object_id AS id FROM links WHERE parent_id = ?'),
  dropLinks: database.prepare('DELETE FROM links WHERE parent_id = ?'),
  /** Between two ids. */
  unreferenced: database.prepare(
    `SELECT id FROM objects WHERE id >= ? AND id <= ? AND written_at < ? AND size IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM refs WHERE object_id = objects.id)
     AND NOT EXISTS (SELECT 1 FROM links WHERE object_id = objects.id) ORDER BY id LIMIT ?`,
  ),
  answer: database.prepare('SELECT answer FROM answers WHERE tenant = ? AND key = ?'),
  addAnswer: database.prepare('INSERT INTO answers (tenant, key, answer) VALUES (?, ?, ?)'),
})
