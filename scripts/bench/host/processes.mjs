// @ts-check
// The servers that are measured, each in a process of its own, and what the system says about them.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @typedef {{ readonly url: URL, readonly keys: readonly string[], readonly pid: number, readonly stop: () => Promise<void> }} Server */

const CLI = ['bin/onbook.mjs']

/** @param {readonly string[]} args @param {string} [input] */
async function start(args, input) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  if (input !== undefined) child.stdin.end(input)
  /** @type {{ url: string }} */
  const { url } = await new Promise((resolve, reject) => {
    child.stdout.once('data', data => resolve(JSON.parse(String(data).split('\n')[0] ?? '')))
    child.once('close', code => reject(new Error(`${args.join(' ')} ended with ${code}`)))
  })
  const stop = async () => {
    const closed = new Promise(resolve => child.once('close', resolve))
    child.kill()
    await closed
  }
  return { url: new URL(url), pid: Number(child.pid), stop }
}

/** @param {string} folder @param {readonly string[]} keys @param {readonly string[]} [options] @returns {Promise<Server>} */
export const startHost = async (folder, keys, options = []) => ({
  ...(await start([...CLI, 'serve', '--port', '0', '--data', folder, '--json', ...options])),
  keys,
})

/** node:http alone, sending this. @param {string} body @param {readonly string[]} keys @returns {Promise<Server>} */
export const startBare = async (body, keys) => ({ ...(await start(['scripts/bench/host/bare-server.mjs'], body)), keys })

export const freshFolder = () => mkdtempSync(join(tmpdir(), 'onbook-bench-host-'))

/** @param {string} folder */
export const drop = folder => rmSync(folder, { recursive: true, force: true })

/** Milliseconds of processor time so far, in steps of ten. @param {number} pid */
export function cpuOf(pid) {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Megabytes: now, and at most so far. @param {number} pid */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (/** @type {string} */ name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
  return { now: of('VmRSS'), most: of('VmHWM') }
}
