// SQLite, whichever this Node has: its own where there is one, else the same API as a package.
import { createRequire } from 'node:module'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'

export type Database = DatabaseSyncInstance

const require = createRequire(import.meta.url)

function loadDriver(): { DatabaseSync: new (path: string) => Database } {
  const builtIn = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule?.('node:sqlite')
  return (builtIn ?? require('@photostructure/sqlite')) as { DatabaseSync: new (path: string) => Database }
}

/** How long to wait for another process before giving up. */
const BUSY_MS = 10_000
const PAUSE_MS = 10
const SQLITE_BUSY = 5

export function openDatabase(path: string): Database {
  const { DatabaseSync } = loadDriver()
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  // Of two processes that open a new file at once, one turns it to WAL; SQLite tells the other that it is busy without waiting.
  patiently(() => database.exec('PRAGMA journal_mode = WAL'))
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  return database
}

function patiently(work: () => void): void {
  const deadline = Date.now() + BUSY_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      const { errcode } = error as { errcode?: number }
      if (errcode === undefined || (errcode & 0xff) !== SQLITE_BUSY || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
