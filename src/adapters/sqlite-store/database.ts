// Opens SQLite: with Node's own driver where it exists, else with a package of the same API.
import { createRequire } from 'node:module'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { guarded, isBusy } from './faults.ts'
import { createPrivately, type Driver, isReadOnly, openReader } from './read-only.ts'

export type Database = DatabaseSyncInstance
export type Statement = ReturnType<Database['prepare']>

const require = createRequire(import.meta.url)

function loadDriver(): { DatabaseSync: Driver } {
  const builtIn = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule?.('node:sqlite')
  return (builtIn ?? require('@photostructure/sqlite')) as { DatabaseSync: Driver }
}

/** How long to wait for another process before giving up. */
export const BUSY_MS = 10_000
const PAUSE_MS = 10

export const openDatabase = (path: string): Database =>
  guarded(path, () => {
    const { DatabaseSync } = loadDriver()
    if (isReadOnly(path)) return openReader(DatabaseSync, path)
    createPrivately(path)
    const database = new DatabaseSync(path)
    try {
      prepare(database)
      return emptyingLog(database)
    } catch (error) {
      database.close()
      throw error
    }
  })

/** Erased data is overwritten with zeros (secure_delete). Page size counts only for a new file. */
function prepare(database: Database): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA page_size = 8192`)
  // If two processes open a new file at once, one turns it to WAL; the other gets SQLITE_BUSY at once, without waiting.
  patiently(() => database.exec('PRAGMA journal_mode = WAL'))
  database.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON')
}

/**
 * One driver keeps the file open after `close` for as long as a statement lives. SQLite then never sees the last connection leave, and
 * the last writes stay in the log beside the file. Empty the log first: a closed file is whole, unless another process has it open.
 */
function emptyingLog(database: Database): Database {
  const close = database.close.bind(database)
  const closeEmptied = () => {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
      database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // A full disk, or one that may not be written to: the log stays, and the next one to open the file reads it.
    }
    close()
  }
  return Object.defineProperty(database, 'close', { value: closeEmptied })
}

function patiently(work: () => void): void {
  const deadline = Date.now() + BUSY_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}

/** A private database on disk that is deleted when it is closed. */
export function openScratch(): Database {
  const database = new (loadDriver().DatabaseSync)('')
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF')
  return database
}

/** All of it or nothing. */
export function transaction<T>(database: Database, work: () => T, begin = (on: Database) => on.exec('BEGIN IMMEDIATE')): T {
  begin(database)
  try {
    const done = work()
    database.exec('COMMIT')
    return done
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
