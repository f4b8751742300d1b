// One process at a time. The lock file names its owner from the moment it exists; one whose owner is gone is taken over.
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { Fault } from '../errors.ts'
import { codeOf, reasonOf } from './reasons.ts'

const PATIENCE_MS = 5_000
const PAUSE_MS = 50

export async function exclusively<T>(path: string, name: string, work: () => Promise<T>): Promise<T> {
  await takeLock(path, name)
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function takeLock(path: string, name: string): Promise<void> {
  const mine = `${path}.${randomUUID()}`
  const deadline = Date.now() + PATIENCE_MS
  try {
    await writeFile(mine, String(process.pid))
    while (!(await tryLink(mine, path))) {
      if (Date.now() > deadline) throw new Fault('busy', { what: name })
      const owner = await readFile(path, 'utf8').catch(() => null)
      if (owner !== null && !isAlive(owner)) await removeStale(path, owner)
      else await new Promise(resume => setTimeout(resume, PAUSE_MS))
    }
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('file_unwritable', { path: name, reason: reasonOf(error) }, { cause: error })
  } finally {
    await rm(mine, { force: true })
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Moves the lock aside before it is removed: should a new owner have come in between, it gets its lock back. */
async function removeStale(path: string, owner: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => undefined)
  const found = await readFile(aside, 'utf8').catch(() => owner)
  if (found !== owner) await tryLink(aside, path)
  await rm(aside, { force: true })
}

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
