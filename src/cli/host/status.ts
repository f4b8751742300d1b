// onbook host status and onbook host stop: shows and stops the host that runs on this folder.
import { setTimeout as delay } from 'node:timers/promises'
import { isSameProcess } from '../../adapters/processes/process-identity.ts'
import { folderOf } from '../../book/record-folder.ts'
import { livingHost } from '../../book/running-host.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { numberOption, printJson } from '../terminal.ts'
import { hostTimeout } from './host-timeout.ts'

const EVERY_MS = 50
/** A host ends itself after 9 s at most. */
const STOP_MS = 15_000

export async function status(input: Input): Promise<number> {
  const host = input.wait ? await awaited(input) : livingHost(input)
  if (input.json) printJson({ running: host !== null, ...(host === null ? {} : { url: host.url, pid: host.pid }) })
  else if (host === null) process.stdout.write(noHost(input))
  else process.stdout.write(`${visible(host.url)}  process ${host.pid}\n`)
  return 0
}

const noHost = (input: Input): string => `${visible(`No host runs on ${folderOf(input)}.`)} Start one: onbook host serve --background\n`

/** Waits for a host that has written its URL to the folder, and is ready. */
async function awaited(input: Input): Promise<{ readonly url: string; readonly pid: number }> {
  const ms = hostTimeout(input)
  const answering = async () => {
    const host = livingHost(input)
    if (host === null) return null
    const answer = await fetch(`${host.url}/readyz`).catch(() => null)
    return answer?.ok ? host : null
  }
  const host = await poll(answering, ms)
  if (host === null) throw new Fault('host_silent', { where: livingHost(input)?.url ?? folderOf(input), seconds: ms / 1_000 })
  return host
}

export async function stop(input: Input): Promise<number> {
  const ms = numberOption(input.timeout, '--timeout', STOP_MS / 1_000) * 1_000
  const host = livingHost(input)
  if (host === null) {
    if (input.json) printJson({ stopped: false })
    else process.stdout.write(noHost(input))
    return 0
  }
  process.kill(host.pid, input.kill ? 'SIGKILL' : 'SIGTERM')
  const isOver = await poll(async () => (isSameProcess(host) ? null : true), ms)
  if (isOver === null) throw new Fault('host_not_stopped', { url: host.url, pid: host.pid, seconds: ms / 1_000 })
  if (input.json) printJson({ stopped: true, url: host.url, pid: host.pid })
  else process.stdout.write(`${visible(`The host at ${host.url} has stopped.`)}\n`)
  return 0
}

/** Null after the time limit. */
async function poll<T>(look: () => Promise<T | null>, ms: number): Promise<T | null> {
  for (const end = Date.now() + ms; ; ) {
    const found = await look()
    if (found !== null || Date.now() >= end) return found
    await delay(EVERY_MS)
  }
}
