// The tables, as steps forward. A step that was released is never changed; a new one is added.
import { Fault } from '../../errors.ts'
import type { Database } from './database.ts'

const STEPS: readonly string[] = [
  `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (tenant, stream)
  );
  CREATE TABLE events (
    stream_id INTEGER NOT NULL REFERENCES streams (id),
    seq INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (stream_id, seq)
  ) WITHOUT ROWID;
  CREATE TABLE objects (
    tenant TEXT NOT NULL,
    digest TEXT NOT NULL,
    bytes BLOB NOT NULL,
    written_at TEXT NOT NULL,
    UNIQUE (tenant, digest)
  );
  CREATE TABLE refs (
    tenant TEXT NOT NULL,
    digest TEXT NOT NULL,
    stream_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, digest, stream_id, seq)
  ) WITHOUT ROWID;
  CREATE TABLE answers (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (tenant, key)
  ) WITHOUT ROWID;
  `,
]

/** Brings the file to this version's tables. One that was written by a newer version is left alone. */
export function migrate(database: Database, path: string): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    const { user_version: found } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    if (found > STEPS.length) throw new Fault('store_newer', { path, found, known: STEPS.length })
    for (const step of STEPS.slice(found)) database.exec(step)
    database.exec(`PRAGMA user_version = ${STEPS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
