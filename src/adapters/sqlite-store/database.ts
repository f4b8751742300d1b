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

export function openDatabase(path: string): Database {
  const { DatabaseSync } = loadDriver()
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON`)
  return database
}
