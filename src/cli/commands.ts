// Every command as data: what --help prints and docs/reference/cli.md is made from. The code of a command is loaded when it runs.
import type { Settings } from '../book/settings.ts'
import { BUNDLE_COMMANDS } from './bundle-commands.ts'
import { DEMO_COMMANDS } from './demo-commands.ts'
import { HOST_COMMANDS } from './host-commands.ts'
import { DATA, HOST_CONFIG, JSON_OPTION, TENANT } from './options.ts'
import { POLICY_COMMANDS } from './policy-commands.ts'
import { QUESTION_COMMANDS } from './question-commands.ts'
import { RECORD_COMMANDS } from './record-commands.ts'
import { ROLE_COMMANDS } from './role-commands.ts'
import { RUN_COMMANDS } from './run-commands.ts'
import { SESSION_COMMANDS } from './session-commands.ts'
import { TOOL_COMMANDS } from './tool-commands.ts'
import { WORKSPACE_COMMANDS } from './workspace-commands.ts'

export interface Option {
  readonly flags: string
  readonly summary: string
  /** May be given several times; the command gets a list. */
  readonly repeated?: true
}

/** What commander hands over: arguments by name, options by long name. */
export type Input = Settings

export interface Command {
  /** One word, or a group and a word: `bundle sign`. */
  readonly name: string
  /** As commander writes them: `[paths...]`, `<agent>`. */
  readonly arguments: readonly string[]
  readonly summary: string
  readonly options: readonly Option[]
  readonly example: string
  readonly load: () => Promise<(input: Input) => Promise<number>>
}

const OUTPUT: Option = { flags: '--output <file>', summary: 'write the report to a file instead' }

const PACK_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    arguments: ['[dir]'],
    summary: 'scaffold a workspace that checks and tests',
    options: [JSON_OPTION],
    example: 'onbook init demo',
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'check',
    arguments: ['[paths...]'],
    summary: 'lint packs, the files they need, preludes, tools, roles, agents, workflows and the policy',
    options: [
      { flags: '--format <format>', summary: 'pretty, json, sarif, junit or github (default: pretty)' },
      { flags: '--json', summary: 'the same as --format json' },
      OUTPUT,
      { flags: '--fix', summary: 'repair what is mechanical, then check' },
      { flags: '--watch', summary: 'check again whenever a file changes' },
      { flags: '--max-warnings <n>', summary: 'fail on more warnings than this' },
      { flags: '--quiet', summary: 'leave infos out' },
    ],
    example: 'onbook check --format sarif --output onbook.sarif',
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'test',
    arguments: ['[paths...]'],
    summary: "run packs' examples through a model and compare",
    options: [
      { flags: '--prompt <file>', summary: 'one pack' },
      { flags: '--model <provider:model>', summary: 'a real model: openai:…, anthropic:…, google:…, openai-compatible:…' },
      { flags: '--record', summary: 'keep what the model says, to be played back without it' },
      { flags: '--format <format>', summary: 'pretty, json or junit (default: pretty)' },
      { flags: '--json', summary: 'the same as --format json' },
      OUTPUT,
      { flags: '--concurrency <n>', summary: 'examples at a time (default: 8)' },
      { flags: '--timeout <seconds>', summary: 'per example (default: 60)' },
      { flags: '--fences', summary: 'accept a reply inside a code fence' },
      { flags: '--allow-empty', summary: 'packs without examples do not fail the run' },
    ],
    example: 'onbook test --prompt prompts/summarizer/v1.0.0.yaml',
    load: async () => (await import('./test.ts')).test,
  },
  {
    name: 'render',
    arguments: ['[ref]'],
    summary: 'print the effective text of a pack, of a template of the library, or of a text',
    options: [
      { flags: '--text <template>', summary: 'a template instead of a pack' },
      { flags: '--values <json>', summary: 'values of variables, as JSON or @file' },
      { flags: '--lenient', summary: 'what is missing renders as empty text' },
      { flags: '--segments', summary: 'one line per piece, with where it came from' },
      { flags: '--published', summary: 'of the library, also when a pack of that name lies here' },
      { flags: '--session <name>', summary: 'as an agent with this session is sent it: the packs of its snapshot come first' },
      { flags: '--untrusted', summary: 'of the library: all values are foreign, and fenced in' },
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: `onbook render --text 'Hello {{name}}' --values '{"name":"Ada"}'`,
    load: async () => (await import('./render.ts')).render,
  },
  {
    name: 'bump',
    arguments: ['<pack>', '<step>'],
    summary: 'copy a pack to its next version: patch, minor or major',
    options: [JSON_OPTION],
    example: 'onbook bump summarizer minor',
    load: async () => (await import('./bump.ts')).bump,
  },
  {
    name: 'activate',
    arguments: ['<agent>', '[version]'],
    summary: 'check, test and make a version the active one, in the registry and in the record',
    options: [
      { flags: '--back', summary: 'go back to the version that was active before' },
      { flags: '--why <text>', summary: 'kept in the history' },
      { flags: '--model <provider:model>', summary: 'test with a real model' },
      HOST_CONFIG,
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook activate summarizer 1.1.0 --why "shorter summaries"',
    load: async () => (await import('./activate.ts')).activate,
  },
  {
    name: 'retire',
    arguments: ['<agent>', '<version>'],
    summary: 'forbid a version from ever being activated again: it is used only where a ref names it',
    options: [HOST_CONFIG, DATA, TENANT, JSON_OPTION],
    example: 'onbook retire summarizer 1.0.0',
    load: async () => (await import('./retire.ts')).retire,
  },
]

/** What is said about a group of commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  bundle: 'collections of templates, signed, to ship and to install',
  policy: 'what the operator allows: who may use which tool, who is asked, and why',
  sessions: 'one agent’s durable conversation: what it is set to, its runs, what was said',
  workspace: 'the versions of a workspace: what is in them, what changed, getting them back',
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
