// A host as a user runs it: a process of its own, on a folder, that can be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface ServedHost {
  readonly url: string
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  /** Sends a request with the key of the folder. Returns the host's answer as JSON. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: never }>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

const BIN = resolve('bin/onbook.mjs')

export async function serveCli(folder: string, ...args: readonly string[]): Promise<ServedHost> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>(done => child.once('close', done))
  const line = await Promise.race([
    new Promise<string>(said => child.stdout!.once('data', data => said(String(data)))),
    ended.then(code => Promise.reject(new Error(`the host ended with ${code} before it said where it is`))),
  ])
  const { url } = JSON.parse(line) as { readonly url: string }
  const key = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
  return {
    url,
    child,
    ended,
    async ask(method, path, body) {
      const bytes = body instanceof Uint8Array
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
        },
        ...(body === undefined ? {} : { body: bytes ? Buffer.from(body as Uint8Array) : JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as never }
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}
