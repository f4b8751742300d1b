// A lock file for one process at a time. It names its owner from the moment it exists; the next process takes over the lock of a dead
// owner.
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { Fault } from '../../errors.ts'
import { isSameProcess, ownIdentity, type ProcessIdentity } from '../processes/process-identity.ts'
import { reasonOf } from '../processes/reasons.ts'
import { linkNew } from './write-whole.ts'

interface Owner extends ProcessIdentity {
  readonly nonce: string
}

const PATIENCE_MS = 5_000
const PAUSE_MS = 50

/** The nonces of the locks that this process holds: one with our own number and another nonce is from a former life. */
const held = new Set<string>()

export async function exclusively<T>(path: string, name: string, work: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const owner: Owner = { ...ownIdentity(), nonce: randomUUID() }
  const text = JSON.stringify(owner)
  held.add(owner.nonce)
  try {
    await takeLock(path, name, text, patienceMs)
    try {
      return await work()
    } finally {
      await removeLock(path, text)
    }
  } finally {
    held.delete(owner.nonce)
  }
}

async function takeLock(path: string, name: string, text: string, patienceMs: number): Promise<void> {
  const mine = `${path}.${randomUUID()}`
  const deadline = Date.now() + patienceMs
  try {
    await writeFile(mine, text)
    while (!(await linkNew(mine, path))) {
      const found = await readFile(path, 'utf8').catch(() => null)
      if (found !== null && !isAlive(found) && (await removeLock(path, found))) continue
      if (Date.now() > deadline) throw new Fault('busy', { what: name, path })
      await new Promise(resume => setTimeout(resume, PAUSE_MS))
    }
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('file_unwritable', { path: name, reason: reasonOf(error) }, { cause: error })
  } finally {
    await rm(mine, { force: true })
  }
}

/**
 * Removes this very lock and no other. It is moved aside first: should a new owner have come in between, it gets its lock back.
 * @returns false when the lock cannot be moved, as one of another user in a folder that all may write to
 */
async function removeLock(path: string, text: string): Promise<boolean> {
  if ((await readFile(path, 'utf8').catch(() => null)) !== text) return false
  const aside = `${path}.${randomUUID()}`
  const isMoved = await rename(path, aside).then(
    () => true,
    () => false,
  )
  if (!isMoved) return false
  const found = await readFile(aside, 'utf8').catch(() => text)
  if (found !== text) await linkNew(aside, path)
  await rm(aside, { force: true })
  return true
}

function isAlive(text: string): boolean {
  const owner = readOwner(text)
  if (owner === null) return false
  if (owner.pid === process.pid) return held.has(owner.nonce)
  return isSameProcess(owner)
}

/** A lock is whole from the moment it has its name, so what cannot be read is what a crash of the machine left. */
function readOwner(text: string): Owner | null {
  try {
    const { pid, started, nonce } = JSON.parse(text) as Partial<Owner>
    const sound = Number.isSafeInteger(pid) && pid! > 0 && typeof nonce === 'string' // 0 and less are whole groups of processes
    return sound ? { pid: pid!, started: typeof started === 'string' ? started : null, nonce } : null
  } catch {
    return null
  }
}
