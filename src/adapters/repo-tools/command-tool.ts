// command: runs one line of shell in a folder of the repo, without the host's environment, within limits. It is not a sandbox: the system
// user decides what a command may touch.
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { toolCallInOutput } from '../../core/tools/read-tool-calls.ts'
import { REPO_DESCRIPTORS } from '../../core/tools/repo-descriptors.ts'
import { Fault } from '../../errors.ts'
import type { Binding } from '../../ports.ts'
import { environmentOf } from '../cli-agent/agent.ts'
import { type Ended, runCommand } from '../cli-agent/run-command.ts'
import { scrubber } from '../scrub/scrub.ts'
import { knownTo } from '../scrub/scrub-known.ts'
import { makeHome, removeHome } from './command-homes.ts'
import { placeOf, type Repo, telling, textIn } from './repo.ts'
import { inFolder } from './repo-folder.ts'

const GRACE_MS = 2_000
/** The longest that a timer takes. */
const NEVER_MS = 2 ** 31 - 1
const NO_LIMITS = { idleMs: NEVER_MS, maxOutputBytes: Number.POSITIVE_INFINITY, graceMs: GRACE_MS }

/** The second shell is the command's own; the first only sends complaints the way of the output, so that all comes in order. */
const SHELL = ['/bin/sh', '-c', 'exec /bin/sh -c -- "$1" 2>&1', 'sh']

/** Git obeys the settings of any folder that looks like a bare repository, and one that does is soon written. */
const CAREFUL_GIT = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.bareRepository', GIT_CONFIG_VALUE_0: 'explicit' }

const PRINTED_CALL =
  'The output has a line that is a tool call. Nothing of it was run: a command must not print tool calls. Write the call in your reply.'

export const commandTool = (repo: Repo): Binding => ({
  descriptor: REPO_DESCRIPTORS.command,
  run(call, signal) {
    const line = textIn(call, 'cmd') ?? ''
    const path = textIn(call, 'cwd') ?? '.'
    return telling('file_unreadable', path, async () => {
      signal.throwIfAborted()
      return inFolder(await placeOf(repo, path, 'work in'), cwd =>
        withHome(home => runLine(repo, { tenant: call.tenant, line, cwd, home, signal })),
      )
    })
  },
  failure(answer) {
    if (!isObject(answer) || answer.ok !== false) return null
    const { exitCode, signal, error } = answer
    if (typeof error === 'string') return error
    return typeof exitCode === 'number' ? `It ended with ${exitCode}.` : `It was ended by ${signal ?? 'its system'}.`
  },
})

/** A temporary home: settings and tokens of the host's user do not reach the command. Processes that still run afterwards are ended. */
async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = await makeHome()
  try {
    return await work(home)
  } finally {
    await removeHome(home)
  }
}

interface Line {
  readonly tenant: string
  readonly line: string
  readonly cwd: string
  readonly home: string
  readonly signal: AbortSignal
}

async function runLine({ env, limits, secretsFile }: Repo, { tenant, line, cwd, home, signal }: Line): Promise<Json> {
  const { env: environment } = process
  // The command can read the memory of the host process: scrubbing protects only the readers of its output.
  // Scrub before truncating: half a secret would not be recognized.
  const scrubbed = scrubber(await knownTo({ environment, file: secretsFile }, tenant)).stream()
  const kept = bothEnds(limits.outputCharacters)
  const command = {
    provider: 'command',
    words: [...SHELL, line],
    env: { ...environmentOf({ env }, environment), HOME: home, TERM: 'dumb', ...CAREFUL_GIT },
    input: '',
    signal,
    onOutput(piece: string) {
      kept.push(scrubbed.push(piece))
      return false
    },
    onComplaint() {},
  }
  const ended = await endOf(command, { ...NO_LIMITS, cwd, timeoutMs: limits.commandMs })
  kept.push(scrubbed.end())
  return resultOf(ended, kept, limits.commandMs)
}

/** Null when its time was over. */
async function endOf(...command: Parameters<typeof runCommand>): Promise<Ended | null> {
  try {
    return await runCommand(...command)
  } catch (error) {
    if (!(error instanceof Fault) || command[0].signal.aborted) throw error
    if (error.code === 'adapter_timeout') return null
    throw new Fault('command_unstartable', { reason: whyNotStarted(error) }, { cause: error })
  }
}

function whyNotStarted(error: Fault): string {
  if (error.code === 'command_missing') return (error as Fault<'command_missing'>).details.reason
  if (error.code === 'provider_retryable') return (error as Fault<'provider_retryable'>).details.problem
  return 'it is too long, or holds a zero'
}

function resultOf(ended: Ended | null, kept: BothEnds, ms: number): Json {
  const { text: output, cut } = kept.end()
  const { code, signal } = ended ?? { code: null, signal: null }
  const printed = toolCallInOutput(output) === null ? null : PRINTED_CALL
  const error = ended === null ? `It took longer than ${ms / 1000} s, and was ended.` : printed
  return {
    ok: code === 0 && error === null,
    exitCode: code,
    ...(signal === null ? {} : { signal }),
    ...(error === null ? {} : { error }),
    ...(cut === 0 ? {} : { cut }),
    output,
  }
}

/** Keeps the beginning and the end of a text that arrives in pieces, and counts the part between them. */
interface BothEnds {
  push(piece: string): void
  end(): { readonly text: string; readonly cut: number }
}

function bothEnds(most: number): BothEnds {
  const half = Math.ceil(most / 2)
  let head = ''
  let tail = ''
  let cut = 0
  const trim = (): void => {
    cut += Math.max(0, tail.length - half)
    tail = tail.slice(-half)
  }
  return {
    push(piece) {
      const room = half - head.length
      head += piece.slice(0, room)
      tail += piece.slice(room)
      // Not at every piece: each time all of it is copied.
      if (tail.length > 4 * half) trim()
    },
    end() {
      trim()
      if (cut === 0) return { text: head + tail, cut }
      // A character that was cut in two has no bytes.
      const [start, rest] = [head.replace(/[\ud800-\udbff]$/, ''), tail.replace(/^[\udc00-\udfff]/, '')]
      return { text: `${start}\n[${cut} characters are left out here]\n${rest}`, cut }
    },
  }
}
