// The tables of the store, as migration steps. A released step is never changed; a new one is added.
import { existsSync, renameSync, rmSync } from 'node:fs'
import { Fault } from '../../errors.ts'
import { type Database, transaction } from './database.ts'
import { createPrivately } from './read-only.ts'

/**
 * Events lie in the order of their arrival, whatever their stream, so that a commit writes few pages.
 * Objects are rows with an id, so that a reference is three small numbers; `size` is null when the bytes are gone.
 * Links are the references of nodes, as refs are those of events.
 */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    digest TEXT NOT NULL,
    sealed INTEGER NOT NULL DEFAULT -1,
    UNIQUE (tenant, stream)
  );
  CREATE INDEX streams_unsealed ON streams (tenant) WHERE seq > sealed;
  CREATE TABLE events (
    stream_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (stream_id, seq)
  );
  CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    digest BLOB NOT NULL,
    written_at TEXT NOT NULL,
    size INTEGER,
    bytes BLOB,
    UNIQUE (tenant, digest)
  );
  CREATE TABLE chunks (
    object_id INTEGER NOT NULL,
    n INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (object_id, n)
  );
  CREATE TABLE uploads (
    id INTEGER PRIMARY KEY,
    started_at TEXT NOT NULL
  );
  CREATE TABLE refs (
    stream_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    object_id INTEGER NOT NULL,
    PRIMARY KEY (stream_id, seq, object_id)
  ) WITHOUT ROWID;
  CREATE INDEX refs_object ON refs (object_id);
  CREATE TABLE answers (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (tenant, key)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE links (
    parent_id INTEGER NOT NULL,
    object_id INTEGER NOT NULL,
    PRIMARY KEY (parent_id, object_id)
  ) WITHOUT ROWID;
  CREATE INDEX links_object ON links (object_id);
  `,
]

/** Brings the file to these tables, after keeping a copy of it as it was. One that a newer version wrote is left alone. */
export function migrate(database: Database, path: string, steps: readonly string[] = STEPS): void {
  const found = versionOf(database)
  if (found > steps.length) throw new Fault('store_newer', { path, found, known: steps.length })
  if (found === steps.length) return
  if (found > 0) {
    checkOurs(database, path, found)
    keepCopy(database, `${path}.before-${found + 1}`)
  }
  stepForward(database, path, steps)
}

function stepForward(database: Database, path: string, steps: readonly string[]): void {
  transaction(database, () => {
    // Another process may have been quicker.
    const now = versionOf(database)
    checkOurs(database, path, now)
    for (const step of steps.slice(now)) database.exec(step)
    database.exec(`PRAGMA user_version = ${steps.length}`)
  })
}

/** The same for a record that is a copy already. */
export function bringForward(database: Database, path: string): void {
  const found = versionOf(database)
  if (found > 0 && found < STEPS.length) stepForward(database, path, STEPS)
}

/** For read-only callers: the tables must be exactly this version's. */
export function checkVersion(database: Database, path: string): void {
  const found = versionOf(database)
  if (found > STEPS.length) throw new Fault('store_newer', { path, found, known: STEPS.length })
  if (found < STEPS.length) throw new Fault('store_older', { path, found, known: STEPS.length })
}

const versionOf = (database: Database): number => (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

/** Other programs number their tables, too. */
function checkOurs(database: Database, path: string, version: number): void {
  const { all, ours } = database.prepare("SELECT COUNT(*) AS 'all', TOTAL(name = 'streams') AS ours FROM sqlite_master").get() as {
    all: number
    ours: number
  }
  if (version === 0 ? all > 0 : ours === 0) throw new Fault('store_corrupt', { path, reason: 'it holds tables that are not a record’s' })
}

function keepCopy(database: Database, path: string): void {
  if (existsSync(path)) return
  const unfinished = `${path}.${process.pid}`
  rmSync(unfinished, { force: true })
  createPrivately(unfinished)
  try {
    database.prepare('VACUUM INTO ?').run(unfinished)
    renameSync(unfinished, path)
  } finally {
    rmSync(unfinished, { force: true })
  }
}
