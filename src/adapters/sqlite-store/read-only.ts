// Opens a record that cannot be written: evidence on a read-only disk, or in a folder of another user. Creates no file beside it.
import { accessSync, closeSync, constants, copyFileSync, existsSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Database } from './database.ts'

export type Driver = new (path: string, options?: { readonly readOnly: boolean }) => Database

const readers = new WeakSet<Database>()
export const isReader = (database: Database): boolean => readers.has(database)

/** Whether there is a record that this user can read and not write. */
export function isReadOnly(path: string): boolean {
  return existsSync(path) && !(isWritable(dirname(path)) && isWritable(path))
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

export function openReader(Driver: Driver, path: string): Database {
  const reader = openShared(Driver, path) ?? (hasLog(path) ? openCopy(Driver, path) : openUnchanging(Driver, path))
  reader.exec('PRAGMA query_only = ON')
  readers.add(reader)
  return reader
}

/** As a reader among others: works beside a host. Null where SQLite would have to write for that. */
function openShared(Driver: Driver, path: string): Database | null {
  let database: Database | null = null
  try {
    database = new Driver(path, { readOnly: true })
    database.prepare('SELECT COUNT(*) FROM sqlite_master').get()
    return database
  } catch {
    database?.close()
    return null
  }
}

const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/** SQLite takes no lock and looks for no log. Right only where there is no log: everything is in the file. */
function openUnchanging(Driver: Driver, path: string): Database {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return new Driver(url.href, { readOnly: true })
}

/** A log that a crash has left holds what was written last. SQLite reads it only where it can write: in a copy, which goes when it is closed. */
function openCopy(Driver: Driver, path: string): Database {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-reading-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'onbook.db')
    for (const end of ['', '-wal']) {
      createPrivately(`${copy}${end}`)
      copyFileSync(`${path}${end}`, `${copy}${end}`)
    }
    const database = new Driver(copy)
    process.once('exit', remove)
    const close = database.close.bind(database)
    return Object.defineProperty(database, 'close', {
      value: () => {
        close()
        process.off('exit', remove)
        remove()
      },
    })
  } catch (error) {
    remove()
    throw error
  }
}

const OWNER_ONLY = 0o600

/** SQLite gives what it makes beside a file the mode of that file, and a file that it makes itself to all users. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch {
    // It is there, or SQLite says what is wrong.
  }
}
