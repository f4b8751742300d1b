// One set-up at a time. The lock is a file naming the processes that hold it; when all of them are gone it is free, however they went.
// @ts-check
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** @typedef {{ pid: number, started: string | null }} Holder `started` tells a process from a later one with the same number */

const POLL_MS = 100
/** Creating and filling a lock takes microseconds. One that is still unreadable after this long was left by a crash in between. */
const UNREADABLE_MS = 5000
/** A process nobody has collected yet. In a container without an init it stays for ever. */
const ENDED = 'ended'

/**
 * @param {string} path
 * @returns {Promise<{ share: (pid: number) => void, release: () => void }>} `share` keeps the lock for a child that may outlive us
 */
export async function takeLock(path) {
  const me = { pid: process.pid, started: startOf(process.pid) }
  let announced = false
  while (!create(path, me)) {
    const holder = holderOf(path)
    if (holder === null) removeDead(path)
    else {
      if (!announced && holder.pid > 0) {
        console.log(`Another set-up is at work here (process ${holder.pid}). Waiting for it…`)
        announced = true
      }
      await sleep(POLL_MS)
    }
  }
  return {
    share: pid => {
      const beside = `${path}.${process.pid}`
      writeFileSync(beside, JSON.stringify([me, { pid, started: startOf(pid) }]))
      renameSync(beside, path)
    },
    release: () => rmSync(path, { force: true }),
  }
}

/** @param {string} path @param {Holder} me */
function create(path, me) {
  try {
    writeFileSync(path, JSON.stringify([me]), { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Two waiters may find the same dead lock. Only the one that makes the guard removes it, so that neither removes the other's new lock.
 * @param {string} path
 */
function removeDead(path) {
  const guard = `${path}.guard`
  try {
    writeFileSync(guard, '', { flag: 'wx' })
  } catch {
    if (age(guard) > UNREADABLE_MS) rmSync(guard, { force: true })
    return
  }
  if (holderOf(path) === null) rmSync(path, { force: true })
  rmSync(guard, { force: true })
}

/** @param {string} path @returns {Holder | null} somebody alive who holds the lock; pid 0 while it is being written */
function holderOf(path) {
  try {
    const holders = /** @type {Holder[]} */ (JSON.parse(readFileSync(path, 'utf8')))
    return holders.find(isAlive) ?? null
  } catch {
    return age(path) > UNREADABLE_MS ? null : { pid: 0, started: null }
  }
}

/** @param {string} path in milliseconds; 0 when it is gone */
function age(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? 0 : Date.now() - found.mtimeMs
}

/** @param {Holder} holder */
function isAlive({ pid, started }) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
  const now = startOf(pid)
  return now !== ENDED && now === started
}

/** @param {number} pid @returns {string | null} when it started, in ticks since boot; null where the system does not say */
function startOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields[0] === 'Z' ? ENDED : (fields[19] ?? null)
  } catch {
    return null
  }
}
