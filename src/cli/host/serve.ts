// Folder: Commands about the host, its keys, its library and its labels.
// onbook host serve: runs the host until it is stopped.

import type { FastifyInstance } from 'fastify'
import { removeLeftHomes } from '../../adapters/repo-tools/command-homes.ts'
import { hostConfigOf } from '../../book/host-config.ts'
import { openLocalHost } from '../../book/local-host.ts'
import { packageVersion } from '../../book/package-version.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, clock, keyringOf } from '../../book/record-folder.ts'
import { livingHost, localKey, noteRunning, noteStopped } from '../../book/running-host.ts'
import { startUpkeep } from '../../book/upkeep.ts'
import { readKeyText } from '../../core/access/keys.ts'
import { hasOperatorKey } from '../../engine/access/access.ts'
import { Fault } from '../../errors.ts'
import { createLogin } from '../../host/access/login.ts'
import type { HostConfig } from '../../host/config.ts'
import { LOG_LEVELS, SLOW_MS } from '../../host/operation/logs.ts'
import { uselessNativeTools } from '../../host/settings/native-tools.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { placeAgain } from '../runs/typed-again.ts'
import { choiceOption, numberOption } from '../terminal.ts'
import { answerParent, type Listening, logFile, startInBackground } from './background.ts'
import { type Binding, bindingOf, bindProblem, isLoopback } from './bind.ts'
import { within } from './within.ts'

const DEFAULT_PORT = 4680
/** The time that open requests have after the stop signal. */
const DRAIN_MS = 7_000
/** The time from the signal to the end, with any work under way. The next host resumes interrupted work. */
const STOP_MS = 9_000

export async function serve(input: Input): Promise<number> {
  if (!input.background) return serveUntilStopped(input, listening => print(listening, input))
  const started = await startInBackground(input)
  if (started === null) return 2
  print(started, input)
  if (!input.json) process.stdout.write(`Its log is ${visible(logFile(input))}. Stop it: onbook host stop${placeAgain(input)}\n`)
  return 0
}

function print({ url, pid, loginUrl, keyFile }: Listening, { json }: Input): void {
  if (json) process.stdout.write(`${JSON.stringify({ url, pid, loginUrl })}\n`)
  else process.stdout.write(`Onbook is at ${url}. A key for this machine is in ${keyFile}.\nTo sign in, within ten minutes: ${loginUrl}\n`)
}

export async function serveUntilStopped(input: Input, announce: (listening: Listening) => void): Promise<number> {
  const port = numberOption(input.port, '--port', DEFAULT_PORT, { least: 0, most: 65_535 })
  const logs = {
    level: choiceOption(input.logLevel ?? 'warn', '--log-level', LOG_LEVELS),
    slowMs: numberOption(input.slowMs, '--slow-ms', SLOW_MS),
  }
  const binding = bindingOf(input)
  const config = servedConfig(input)
  const store = openProductStore(input)
  try {
    await checkBinding(store, binding)
    const login = createLogin(clock)
    const { hosts, publicUrl } = binding
    const parts = { config, actor: actorOf(), logs, login, hosts, publicUrl, version: packageVersion() }
    const { app, sessions, close } = await openLocalHost(store, input, parts)
    for (const useless of uselessNativeTools(config.cliAgents)) app.log.warn(useless)
    const upkeep = startUpkeep(store, keyringOf(input), (facts, message) => app.log.error(facts, message))
    try {
      await removeLeftHomes()
      const { path, key } = await localKey(store, input)
      // Before the host accepts requests. Runs of another live host are left alone.
      const other = livingHost(input)
      if (other !== null) app.log.warn({ pid: other.pid }, 'another host runs on this folder, and keeps the runs that it has')
      else {
        await sessions.runs.resume()
        await sessions.forks.resume()
      }
      const url = await listen(app, binding.address, port)
      const reached = binding.publicUrl ?? url
      await noteRunning(input, reached)
      const loginUrl = `${reached}/login#${login.issue(readKeyText(key)?.id ?? '').token}`
      // Listens for signals before the announcement, because a script may stop the host at once.
      const ending = stopped()
      const listening = { url, pid: process.pid, loginUrl, keyFile: path }
      if (!answerParent(listening)) announce(listening)
      await ending
    } finally {
      await noteStopped(input)
      const force = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
      const stop = async (): Promise<void> => {
        await close()
        await upkeep.stop()
      }
      const inTime = await within(stop(), STOP_MS)
      clearTimeout(force)
      if (!inTime) {
        app.log.warn('work that did not end in time was broken off; the next host takes it up')
        // Otherwise the interrupted work would continue on a closed store.
        await within(store.close(), 500)
        process.exit(0)
      }
    }
    return 0
  } finally {
    await store.close()
  }
}

/** An option overrides the file, and the result is recorded. */
function servedConfig(input: Input): HostConfig {
  const config = hostConfigOf(input)
  const requestsPerMinute = numberOption(input.requestsPerMinute, '--requests-per-minute', config.limits.requestsPerMinute)
  return { ...config, limits: { ...config.limits, requestsPerMinute } }
}

async function checkBinding(store: Store, binding: Binding): Promise<void> {
  const problem = bindProblem(binding, isLoopback(binding.address) || (await hasOperatorKey(store, clock)))
  if (problem !== null) throw new Fault('bind_refused', { address: binding.address, problem })
}

const listen = (app: FastifyInstance, host: string, port: number): Promise<string> =>
  app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new Fault('usage_invalid', {
      problem: error.code === 'EADDRINUSE' ? `port ${port} is taken; choose another with --port` : error.message,
    })
  })

const stopped = (): Promise<void> =>
  new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
