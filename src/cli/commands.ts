// Every command as data: --help and docs/reference/cli.md are generated from it. The code of a command is loaded when it runs.
import type { Settings } from '../book/settings.ts'
import { BUNDLE_COMMANDS } from './commands/bundle.ts'
import { DEMO_COMMANDS } from './commands/demo.ts'
import { HOST_COMMANDS } from './commands/host.ts'
import { PACK_COMMANDS } from './commands/pack.ts'
import { POLICY_COMMANDS } from './commands/policy.ts'
import { QUESTION_COMMANDS } from './commands/question.ts'
import { RECORD_COMMANDS } from './commands/record.ts'
import { ROLE_COMMANDS } from './commands/role.ts'
import { RUN_COMMANDS } from './commands/run.ts'
import { SESSION_COMMANDS } from './commands/session.ts'
import { TOOL_COMMANDS } from './commands/tool.ts'
import { WORKSPACE_COMMANDS } from './commands/workspace.ts'

export interface Option {
  readonly flags: string
  readonly summary: string
  /** May be given several times; the command gets a list. */
  readonly repeated?: true
  /** Flags of earlier releases. They work, and --help leaves them out. */
  readonly earlier?: string
}

/** The values that commander passes: arguments by name, options by long name. */
export type Input = Settings

export interface Command {
  /** One word, or a group and a verb: `bundle sign`. */
  readonly name: string
  /** Names of earlier releases. They work, and --help leaves them out. */
  readonly aliases?: readonly string[]
  /** In commander's syntax: `[paths...]`, `<agent>`. */
  readonly arguments: readonly string[]
  readonly summary: string
  readonly options: readonly Option[]
  readonly example: string
  readonly load: () => Promise<(input: Input) => Promise<number>>
}

export const COMMANDS: readonly Command[] = [
  ...PACK_COMMANDS,
  ...DEMO_COMMANDS,
  ...HOST_COMMANDS,
  ...WORKSPACE_COMMANDS,
  ...SESSION_COMMANDS,
  ...RUN_COMMANDS,
  ...QUESTION_COMMANDS,
  ...ROLE_COMMANDS,
  ...POLICY_COMMANDS,
  ...TOOL_COMMANDS,
  ...BUNDLE_COMMANDS,
  ...RECORD_COMMANDS,
]
