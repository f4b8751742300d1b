// Runs one command within its limits. Afterwards no process of its group is left. Does not interpret its output.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Fault } from '../../errors.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'
import { isOutOfFiles, startProcess } from '../processes/start-process.ts'
import type { CliAgent } from './agent.ts'
import { dieWithUs } from './living-groups.ts'

const LOOK_AGAIN_MS = 10
/** Whether a command gets its own process group, so that one signal reaches all of it. */
export const OWN_GROUP = process.platform !== 'win32'

export interface RunningCommand {
  readonly provider: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  readonly signal: AbortSignal
  /** True once the output is complete: then the command has little time left to end. An error ends it. */
  readonly onOutput: (piece: string) => boolean
  readonly onComplaint: (piece: string) => void
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

type Limits = Pick<CliAgent, 'cwd' | 'timeoutMs' | 'idleMs' | 'graceMs' | 'maxOutputBytes'>

/** Rejects with what ended it, when that was not the command itself. */
export function runCommand(command: RunningCommand, limits: Limits): Promise<Ended> {
  const { signal, onOutput, onComplaint } = command
  const child = start(command, limits.cwd)
  return new Promise((resolve, reject) => {
    let ended: Ended = { code: null, signal: null }
    let broken: { readonly why: unknown } | null = null
    let killed = false
    let bytes = 0
    const timers: NodeJS.Timeout[] = []
    const after = (ms: number, act: () => void): NodeJS.Timeout => {
      const timer = setTimeout(act, ms)
      timers.push(timer)
      return timer
    }

    const kill = (): void => {
      killed = true
      tell(child, 'SIGKILL')
      // A process that left the group may hold them open for ever.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    }
    const terminate = (): void => {
      tell(child, 'SIGTERM')
      after(limits.graceMs, kill)
    }
    const breakOff = (why: unknown): void => {
      if (broken !== null) return
      broken = { why }
      terminate()
    }
    const cancel = (): void => breakOff(signal.reason)
    const settle = (): void => {
      if (lives(child) && !killed) return void after(LOOK_AGAIN_MS, settle)
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      forget()
      if (broken === null) resolve(ended)
      else reject(broken.why)
    }

    const forget = dieWithUs(() => tell(child, 'SIGKILL'))
    const whole = after(limits.timeoutMs, () => breakOff(new Fault('adapter_timeout', {})))
    const idle = after(limits.idleMs, () => breakOff(retryable(`it wrote nothing for ${limits.idleMs} ms`)))
    const hurryNoMore = (): void => {
      clearTimeout(whole)
      clearTimeout(idle)
    }
    signal.addEventListener('abort', cancel)
    if (signal.aborted) cancel()

    child.once('error', error => {
      broken ??= { why: startFault(error, command, limits.cwd) }
      settle()
    })
    child.once('exit', (code, by) => {
      ended = { code, signal: by }
      hurryNoMore()
      // Ends processes that the command left behind.
      terminate()
    })
    child.once('close', settle)

    let done = false
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      idle.refresh()
      if (broken !== null || done) return
      bytes += Buffer.byteLength(piece)
      if (bytes > limits.maxOutputBytes) return breakOff(unreadable(`it wrote more than ${limits.maxOutputBytes} bytes`))
      try {
        done = onOutput(piece)
        if (!done) return
        hurryNoMore()
        after(limits.graceMs, terminate)
      } catch (error) {
        breakOff(error)
      }
    })
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      idle.refresh()
      onComplaint(piece)
    })
    // A command may answer without having read everything: what it says counts.
    child.stdin.on('error', () => {}).end(command.input)
  })
}

const retryable = (problem: string): Fault => new Fault('provider_retryable', { problem })
const unreadable = (problem: string): Fault => new Fault('adapter_error', { problem })

function start(command: RunningCommand, cwd: string): ChildProcessWithoutNullStreams {
  const [program = '', ...words] = command.words
  try {
    return startProcess(program, words, { cwd, env: command.env, detached: OWN_GROUP, windowsHide: true })
  } catch (error) {
    throw startFault(error, command, cwd)
  }
}

function startFault(error: unknown, { provider, words: [program = ''] }: RunningCommand, cwd: string): Fault {
  const code = codeOf(error)
  // For a folder that is not there, too, the system says that the program is not.
  if (code === 'ENOENT' && !existsSync(cwd)) return new Fault('path_missing', { path: cwd })
  // Another try may find one.
  if (isOutOfFiles(error)) return retryable(`${program} cannot be started: ${reasonOf(error)}`)
  if (code === 'E2BIG') return unreadable('the prompt is too long for an argument; give it on stdin (promptOn)')
  if (code === 'ERR_INVALID_ARG_VALUE') return unreadable('an argument holds a character that no command can be given')
  return new Fault('command_missing', { provider, command: program, reason: reasonOf(error) })
}

/** Whether there was anybody to tell. */
export function tell(child: Pick<ChildProcessWithoutNullStreams, 'pid' | 'kill'>, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false
  if (!OWN_GROUP) return child.kill(signal)
  try {
    return process.kill(-child.pid, signal)
  } catch {
    return false
  }
}

const lives = (child: ChildProcessWithoutNullStreams): boolean => tell(child, 0)
