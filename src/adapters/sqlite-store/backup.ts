// Makes a consistent copy of a store in use, and restores one. Neither ever replaces a file.
import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { copyFile, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Fault } from '../../errors.ts'
import { linkNew } from '../folder/write-whole.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'
import { openDatabase } from './database.ts'
import { doubting, guarded } from './faults.ts'
import { createPrivately } from './read-only.ts'
import { bringForward } from './schema.ts'

/** Files that SQLite keeps beside an open database. */
const COMPANIONS = ['-wal', '-shm']

/** @param approve looks at the finished copy before it gets its name; false, and there is no copy */
export async function backupStore(path: string, to: string, approve: (copy: string) => Promise<boolean>): Promise<boolean> {
  checkFree(to)
  return placeCopy(to, approve, async copy => {
    const database = openDatabase(path)
    createPrivately(copy)
    try {
      // A reader of a read-only file may not write anything, this copy included.
      database.exec('PRAGMA query_only = OFF')
      guarded(to, () => database.prepare('VACUUM INTO ?').run(copy))
    } finally {
      database.close()
    }
  })
}

export async function restoreStore(from: string, path: string, approve: (copy: string) => Promise<boolean>): Promise<boolean> {
  const found = statSync(from, { throwIfNoEntry: false })
  if (found === undefined) throw new Fault('path_missing', { path: from })
  if (!found.isFile()) throw new Fault('file_unreadable', { path: from, reason: 'it is not a file' })
  if (found.size === 0) throw new Fault('file_unreadable', { path: from, reason: 'it is empty' })
  // The last writes are still in the log beside it, and would be left behind.
  if (existsSync(`${from}-wal`))
    throw new Fault('file_unreadable', { path: from, reason: 'it is in use; "onbook store backup" makes a copy of it' })
  checkFree(path)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(unwritable(path))
  return placeCopy(path, approve, async copy => {
    await copyFile(from, copy)
    bringCopyForward(copy)
  })
}

/** `approve` reports a copy that is damaged or not a record. */
function bringCopyForward(copy: string): void {
  try {
    const database = openDatabase(copy)
    try {
      doubting(copy, () => bringForward(database, copy))
    } finally {
      database.close()
    }
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'store_corrupt')) throw error
  }
}

/** The leavings of another store would be read as part of this one. */
function checkFree(path: string): void {
  for (const there of [path, ...COMPANIONS.map(end => `${path}${end}`)])
    if (existsSync(there)) throw new Fault('path_exists', { path: there })
}

async function placeCopy(to: string, approve: (copy: string) => Promise<boolean>, make: (copy: string) => Promise<void>): Promise<boolean> {
  const copy = `${to}.${randomUUID()}`
  try {
    await make(copy)
    if (!(await approve(copy))) return false
    const handle = await open(copy, 'r+')
    await handle
      .chmod(0o600)
      .then(() => handle.sync())
      .finally(() => handle.close())
    if (!(await linkNew(copy, to))) throw new Fault('path_exists', { path: to })
    return true
  } catch (error) {
    return unwritable(to)(error)
  } finally {
    for (const end of ['', ...COMPANIONS]) await rm(`${copy}${end}`, { force: true })
  }
}

const unwritable = (path: string) => (error: unknown) => {
  if (codeOf(error) === undefined || error instanceof Fault) throw error
  throw new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
}
