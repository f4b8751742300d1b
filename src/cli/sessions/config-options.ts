// Builds a session config from options: given options are set, all others keep their value. Files are stored as objects.
import { readFile } from 'node:fs/promises'
import { reasonOf } from '../../adapters/processes/reasons.ts'
import { readText } from '../../book/record-folder.ts'
import type { Book } from '../../book.ts'
import type { Json } from '../../core/digest/digest.ts'
import { emptyConfig, type SessionConfig } from '../../core/session/config.ts'
import { Fault } from '../../errors.ts'
import { aosConfig, dialectOf } from '../../host/requests/dialect.ts'
import { withUnnamed } from '../../wire/aos/config.ts'
import type { Dialect } from '../../wire/onbook/aos-schema.ts'
import type { WireSessionConfig } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { numberOption } from '../terminal.ts'
import { choiceOf } from '../workspace/open-workspaces.ts'

/** Null when no option changes the config. */
export async function configFrom(book: Book, input: Input, before: WireSessionConfig): Promise<WireSessionConfig | null> {
  const set: { -readonly [Key in keyof WireSessionConfig]: WireSessionConfig[Key] } = {}
  if (typeof input.provider === 'string') set.provider = input.provider
  if (typeof input.model === 'string') set.model = input.model
  if (typeof input.workspace === 'string') {
    const { workspace, version = null } = choiceOf(input.workspace)
    set.workspace = { name: workspace, version }
  }
  if (typeof input.prelude === 'string') set.prelude = input.prelude
  if (typeof input.catalog === 'string') set.catalog = input.catalog
  if (Array.isArray(input.prompt)) set.promptDigests = await stored(book, input.prompt)
  if (Array.isArray(input.tools)) set.toolDigests = await stored(book, input.tools)
  if (input.maxSteps !== undefined) set.limits = { ...before.limits, maxSteps: numberOption(input.maxSteps, '--max-steps', 0) }
  const whole = typeof input.config === 'string' ? wholeOf(input, await jsonOf(input.config), before) : null
  return whole === null && Object.keys(set).length === 0 ? null : { ...(whole ?? before), ...set }
}

/** A config in AgentOS's names has no limits and sampling options: those keep their value. */
function wholeOf(input: Input, given: Json, before: WireSessionConfig): WireSessionConfig {
  if (dialectIn(input) !== 'aos') return given as WireSessionConfig
  return withUnnamed(aosConfig(given), { ...emptyConfig, ...(before as Partial<SessionConfig>) })
}

export const dialectIn = ({ dialect }: Input): Dialect => dialectOf(typeof dialect === 'string' ? dialect : undefined)

async function stored({ objects }: Book, files: readonly string[]): Promise<readonly string[]> {
  const digests: string[] = []
  for (const path of files) {
    const bytes = await readFile(path).catch(error => {
      throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
    })
    digests.push((await objects.put(bytes)).digest)
  }
  return digests
}

async function jsonOf(given: string): Promise<Json> {
  const text = given.startsWith('@') ? await readText(given.slice(1)) : given
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new Fault('usage_invalid', { problem: `--config is not JSON: ${(error as Error).message}` })
  }
}
