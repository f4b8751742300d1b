// One set-up at a time in a checkout: `npm ci` deletes what another one has just installed. A second set-up waits for the first.
// @ts-check
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 100

/**
 * The file names the process at work. A file that a killed process has left is removed.
 * @param {string} path
 * @param {() => Promise<void>} work
 */
export async function oneAtATime(path, work) {
  for (let waited = false; !create(path); waited = true) {
    const pid = holderOf(path)
    if (isAlive(pid) && !waited) console.log(`Waiting for process ${pid}, which sets up this checkout. If it does not, remove ${path}.`)
    await sleep(POLL_MS)
    // Read again after a pause: a process may have made the file and not yet written its number.
    if (!isAlive(pid) && holderOf(path) === pid) rmSync(path, { force: true })
  }
  try {
    await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** @param {string} path */
function create(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

/** @param {string} path @returns {number} 0 when the file is gone, or does not name a process */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || 0
  } catch {
    return 0
  }
}

/** @param {number} pid */
function isAlive(pid) {
  if (pid === 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
