// Every statement, prepared once.
import type { Database } from './database.ts'

export interface HeadRow {
  readonly id: number
  readonly stream: string
  readonly seq: number
  readonly digest: string
}

export type Statements = ReturnType<typeof statementsOf>

export const statementsOf = (database: Database) => ({
  head: database.prepare('SELECT id, stream, seq, digest FROM streams WHERE tenant = ? AND stream = ?'),
  streams: database.prepare('SELECT id, stream, seq, digest FROM streams WHERE tenant = ? ORDER BY stream'),
  addStream: database.prepare('INSERT INTO streams (tenant, stream, seq, digest) VALUES (?, ?, ?, ?) RETURNING id'),
  moveStream: database.prepare('UPDATE streams SET seq = ?, digest = ? WHERE id = ?'),
  addEvent: database.prepare('INSERT INTO events (stream_id, seq, bytes) VALUES (?, ?, ?)'),
  events: database.prepare(
    'SELECT seq, bytes FROM events WHERE stream_id = (SELECT id FROM streams WHERE tenant = ? AND stream = ?) AND seq > ? ORDER BY seq LIMIT ?',
  ),
  object: database.prepare('SELECT bytes FROM objects WHERE tenant = ? AND digest = ?'),
  hasObject: database.prepare('SELECT 1 FROM objects WHERE tenant = ? AND digest = ?'),
  // Writing again refreshes the age.
  addObject: database.prepare(
    'INSERT INTO objects (tenant, digest, bytes, written_at) VALUES (?, ?, ?, ?) ON CONFLICT (tenant, digest) DO UPDATE SET written_at = excluded.written_at',
  ),
  addRef: database.prepare('INSERT OR IGNORE INTO refs (tenant, digest, stream_id, seq) VALUES (?, ?, ?, ?)'),
  answer: database.prepare('SELECT answer FROM answers WHERE tenant = ? AND key = ?'),
  addAnswer: database.prepare('INSERT INTO answers (tenant, key, answer) VALUES (?, ?, ?)'),
})
