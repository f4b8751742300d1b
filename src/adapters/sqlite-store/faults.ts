// Turns SQLite errors into faults of this program.
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../../errors.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'

/** Primary result codes; https://sqlite.org/rescode.html. */
const ERROR = 1
const BUSY = 5
const LOCKED = 6
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const PROTOCOL = 15
const NOT_A_DATABASE = 26

/** One driver leaves the number out where many rows are asked for: then these words are all there is. */
const WORDS: Readonly<Record<string, number>> = {
  'database is locked': BUSY,
  'database table is locked': LOCKED,
  'attempt to write a readonly database': READ_ONLY,
  'disk I/O error': IO_ERROR,
  'database disk image is malformed': CORRUPT,
  'database or disk is full': FULL,
  'unable to open database file': CANNOT_OPEN,
  'locking protocol': PROTOCOL,
  'file is not a database': NOT_A_DATABASE,
}

const primaryCode = (error: unknown): number | null => {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return null
  const { errcode, message } = error as { errcode?: unknown; message: string }
  return typeof errcode === 'number' ? errcode & 0xff : (WORDS[message] ?? null)
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Fault ? error.code === 'store_busy' : primaryCode(error) === BUSY || primaryCode(error) === LOCKED

/** The fault for an error; the error itself if neither the disk nor the file caused it. */
export function faultOf(path: string, error: unknown): unknown {
  const cause = { cause: error }
  const { message } = (error ?? {}) as Error
  switch (primaryCode(error)) {
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return new Fault('store_busy', { path }, cause)
    case READ_ONLY:
      return new Fault('store_read_only', { path }, cause)
    case FULL:
      return new Fault('store_full', { path }, cause)
    case CORRUPT:
    case NOT_A_DATABASE:
      return new Fault('store_corrupt', { path, reason: message }, cause)
    case ERROR:
      // Every statement is part of this program: a missing table was removed, or the file belongs to another program.
      return /^no such (table|column|index)/.test(message) ? new Fault('store_corrupt', { path, reason: message }, cause) : error
    case IO_ERROR:
      return new Fault('store_failed', { path, reason: message }, cause)
    case CANNOT_OPEN:
      return unopened(path, error)
    default:
      return error
  }
}

/** SQLite says only that it could not. The file, or the folder it would write its log to, says why. */
function unopened(path: string, error: unknown): Fault {
  const cause = { cause: error }
  const because = (reason: string) => new Fault('store_failed', { path, reason }, cause)
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return because('it is a folder')
    accessSync(dirname(path), constants.F_OK)
  } catch (problem) {
    return because(codeOf(problem) === 'ENOENT' ? 'its folder does not exist' : reasonOf(problem))
  }
  try {
    accessSync(dirname(path), constants.W_OK)
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) accessSync(path, constants.R_OK)
  } catch (problem) {
    return codeOf(problem) === 'ENOENT' ? because('it was taken away') : new Fault('store_read_only', { path }, cause)
  }
  return because((error as Error).message)
}

export function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw faultOf(path, error)
  }
}

/** As `guarded`; and a statement that does not fit the tables, or a number that no record can hold, means that something was at the file. */
export function doubting<T>(path: string, work: () => T): T {
  try {
    return guarded(path, work)
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    if (code !== 'ERR_SQLITE_ERROR' && code !== 'ERR_OUT_OF_RANGE') throw error
    throw new Fault('store_corrupt', { path, reason: message }, { cause: error })
  }
}

/** One by one, each step guarded. */
export async function* asynchronously<T>(path: string, items: Iterable<T>): AsyncIterable<T> {
  const iterator = items[Symbol.iterator]()
  for (;;) {
    const { done, value } = doubting(path, () => iterator.next())
    if (done) return
    yield value
  }
}
