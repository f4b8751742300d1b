// onbook host serve --background: starts a host in its own process, which outlives the command. Its output goes to host.log.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf } from '../../book/record-folder.ts'
import { livingHost } from '../../book/running-host.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { within } from './within.ts'

/** The host resumes abandoned work before it answers, so the start may take long. */
const START_MS = 120_000

/** Set in the environment of a host that runs in the background. */
const CHILD = 'ONBOOK_BACKGROUND_CHILD'

/** A host that accepts requests. */
export interface Listening {
  readonly url: string
  readonly pid: number
  readonly loginUrl: string
  readonly keyFile: string
}

export const logFile = (input: Input): string => join(folderOf(input), 'host.log')

/** Starts the host and waits until it answers. Null when it did not start: its own error message is printed. */
export async function startInBackground(input: Input): Promise<Listening | null> {
  const living = livingHost(input)
  if (living !== null) throw new Fault('host_running', { url: living.url, pid: living.pid })
  mkdirSync(folderOf(input), { recursive: true, mode: 0o700 })
  const path = logFile(input)
  const log = openSync(path, 'a', 0o600)
  const before = statSync(path).size
  const args = process.argv.slice(1).filter(word => word !== '--background')
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    detached: true,
    env: { ...process.env, [CHILD]: '1' },
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  try {
    const started = answerOf(child)
    if (!(await within(started, START_MS))) {
      child.kill('SIGKILL')
      throw new Fault('host_not_started', { log: path })
    }
    const listening = await started
    if (listening !== null) return listening
    printFailure(readFileSync(path).subarray(before).toString('utf8'), path, input)
    return null
  } finally {
    if (child.connected) child.disconnect()
    child.unref()
  }
}

const answerOf = (child: ChildProcess): Promise<Listening | null> =>
  new Promise((resolve, reject) => {
    child.once('message', message => resolve(message as Listening))
    child.once('exit', () => resolve(null))
    child.once('error', reject)
  })

/** With --json the host has printed its fault as one line of JSON. */
function printFailure(output: string, log: string, { json }: Input): void {
  const text = json ? output.split('\n').findLast(line => line.startsWith('{"error"')) : output.trimEnd()
  if (text === undefined || text === '') throw new Fault('host_not_started', { log })
  if (json) process.stdout.write(`${text}\n`)
  else process.stderr.write(`${text}\n`)
}

/**
 * Reports to the parent process that waits for this host. False when the host was not started in the background. The log never has the login link.
 */
export function answerParent(listening: Listening): boolean {
  if (process.env[CHILD] === undefined || process.send === undefined) return false
  delete process.env[CHILD] // commands that agents run inherit the environment
  // A parent that stopped waiting has closed the channel.
  process.send(listening, () => {
    if (process.connected) process.disconnect()
  })
  return true
}
