// Turns a failure of a tool server into a fault: one sentence, without secrets, with the end of the server's error output.
import { existsSync } from 'node:fs'
import { Fault } from '../../errors.ts'
import type { ScrubbedTail } from '../cli-agent/scrubbed-tail.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'
import type { Scrubber } from '../scrub/scrub.ts'
import type { McpServer } from './settings.ts'

const MOST_SAID = 500

/** The facts about a connection at the time of a failure. */
export interface Witness {
  readonly name: string
  readonly server: McpServer
  readonly scrub: Scrubber
  /** The end of the server's error output. */
  readonly complaints: ScrubbedTail
  /** Why the connection ended, or null while it is open or the reason is unknown. */
  over(): string | null
}

export function serverFault(witness: Witness, ms: number, error: unknown): Fault {
  const { name, complaints } = witness
  if (error instanceof Fault) return error
  if (codeOf(error) === 'REQUEST_TIMEOUT') return new Fault('tool_server_timeout', { server: name, ms }, { cause: error })
  const output = complaints.end().trim().slice(-MOST_SAID)
  const problem = `${problemOf(witness, error)}${output === '' ? '' : `. It said: ${output}`}`
  return new Fault('tool_server_failed', { server: name, problem }, { cause: error })
}

function problemOf({ server: { command, cwd, url }, scrub, over }: Witness, error: unknown): string {
  const { syscall = '', message } = error as NodeJS.ErrnoException
  // For a folder that is not there, too, the system says that the program is not.
  if (syscall.startsWith('spawn')) return `cannot be started: ${existsSync(cwd) ? command : cwd}: ${reasonOf(error)}`
  const refused = unreachable(error)
  if (url !== undefined && refused !== null) return `cannot be reached at ${scrub.text(url)}: ${reasonOf(refused)}`
  return over() ?? `cannot be used: ${scrub.text(message).slice(0, MOST_SAID)}`
}

/** The network error is the cause below a general error such as "fetch failed". */
function unreachable(error: unknown): unknown {
  if (['ECONNREFUSED', 'ENOTFOUND'].includes(codeOf(error) ?? '')) return error
  const { cause } = Object(error) as { readonly cause?: unknown }
  return cause === undefined || cause === null ? null : unreachable(cause)
}
