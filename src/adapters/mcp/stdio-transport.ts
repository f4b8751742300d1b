// Connects to a tool server that is a command: JSON-RPC by lines, over its input and output. Unlike the package's transport, this one
// passes only
// named environment variables, and ends the whole process group, so that no process is left behind.
import type { ChildProcess } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { environmentOf } from '../cli-agent/agent.ts'
import { dieWithUs } from '../cli-agent/living-groups.ts'
import { OWN_GROUP, tell } from '../cli-agent/run-command.ts'
import type { ScrubbedTail } from '../cli-agent/scrubbed-tail.ts'
import { startProcess } from '../processes/start-process.ts'
import type { McpServer } from './settings.ts'

type Package = typeof import('@modelcontextprotocol/client')

const GRACE_MS = 1_000
/** The limit of unrequested output, in messages of the largest size. */
const UNASKED = 4

export interface StdioTransport extends Transport {
  readonly pid: number | null
  /** With `pid`, what the package knows a command by. */
  readonly stderr: null
  /** Why it is over, once it is. */
  readonly over: string | null
}

/** @param complaints what it writes beside its answers */
export function stdioTransport(sdk: Package, server: McpServer, complaints: ScrubbedTail): StdioTransport {
  const { command = '', args, cwd, maxAnswerBytes } = server
  const buffer = new sdk.ReadBuffer({ maxBufferSize: maxAnswerBytes })
  let child: ReturnType<typeof start> | null = null
  let ending: Promise<void> | null = null
  let over: string | null = null
  let unasked = 0

  const start = () => startProcess(command, args, { cwd, env: environmentOf(server, process.env), detached: OWN_GROUP, windowsHide: true })

  const read = (chunk: Buffer): void => {
    unasked += chunk.length
    if (unasked > UNASKED * maxAnswerBytes) throw new Error('wrote more than it was asked for')
    append(chunk)
    for (;;) {
      const message = nextMessage()
      if (message === null) return
      if (message !== undefined) transport.onmessage?.(message)
    }
  }

  const append = (chunk: Buffer): void => {
    try {
      buffer.append(chunk)
    } catch {
      throw new Error(`wrote more than ${maxAnswerBytes} bytes at once`)
    }
  }

  /** Undefined for a line that is JSON, and no message. */
  const nextMessage = (): JSONRPCMessage | null | undefined => {
    try {
      return buffer.readMessage()
    } catch (error) {
      transport.onerror?.(error as Error)
      return undefined
    }
  }

  const transport: StdioTransport = {
    stderr: null,
    get over() {
      return over
    },
    get pid() {
      return child?.pid ?? null
    },
    start: () =>
      new Promise((resolve, reject) => {
        const started = start()
        child = started
        const forget = dieWithUs(() => tell(started, 'SIGKILL'))
        started.once('spawn', resolve)
        started.once('error', error => {
          forget()
          child = null
          reject(error)
        })
        started.once('exit', (code, signal) => {
          if (ending === null) over ??= `ended by itself, with ${code === null ? signal : `code ${code}`}`
          // Ends processes that the server left behind. One that left the group must not hold the pipes open forever.
          tell(started, 'SIGKILL')
          setTimeout(() => letGo(started), GRACE_MS).unref()
        })
        started.once('close', () => {
          forget()
          child = null
          transport.onclose?.()
        })
        // A write to an ended server fails here; its end is the answer to the caller.
        started.stdin.on('error', () => {})
        started.stderr.setEncoding('utf8').on('data', complaints.push)
        started.stdout.on('data', (chunk: Buffer) => {
          try {
            read(chunk)
          } catch (error) {
            over ??= (error as Error).message
            tell(started, 'SIGKILL')
          }
        })
      }),
    send(message) {
      unasked = 0
      if (child === null) return Promise.reject(new Error('it has ended'))
      child.stdin.write(sdk.serializeMessage(message))
      return Promise.resolve()
    },
    close() {
      if (child !== null) ending ??= end(child)
      return ending ?? Promise.resolve()
    },
  }
  return transport
}

/** Closes its input first, then sends SIGTERM, then SIGKILL. */
function end(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    const timers = [setTimeout(() => tell(child, 'SIGTERM'), GRACE_MS / 2), setTimeout(() => tell(child, 'SIGKILL'), GRACE_MS)]
    child.once('close', () => {
      for (const timer of timers) clearTimeout(timer)
      resolve()
    })
    child.stdin?.end()
  })
}

function letGo({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy()
}
