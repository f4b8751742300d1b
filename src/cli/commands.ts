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

const OUTPUT: Option = { flags: '--output <file>', summary: 'file for the report (default: standard output)' }

const PACK_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    arguments: ['[dir]'],
    summary: 'create a workspace with a sample pack',
    options: [JSON_OPTION],
    example: 'onbook init demo',
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'check',
    arguments: ['[paths...]'],
    summary: 'lint packs, preludes, tools, roles, agents, workflows and the policy',
    options: [
      { flags: '--format <format>', summary: 'report format: pretty, json, sarif, junit or github (default: pretty)' },
      { flags: '--json', summary: 'short for --format json' },
      OUTPUT,
      { flags: '--fix', summary: 'repair mechanical problems, then check' },
      { flags: '--watch', summary: 'check again when a file changes' },
      { flags: '--max-warnings <n>', summary: 'most warnings before the check fails (default: no limit)' },
      { flags: '--quiet', summary: 'leave out infos' },
    ],
    example: 'onbook check --format sarif --output onbook.sarif',
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'test',
    arguments: ['[paths...]'],
    summary: 'run the examples of packs through a model',
    options: [
      { flags: '--prompt <file>', summary: 'pack file to test (default: all)' },
      { flags: '--model <provider:model>', summary: 'real model to call: openai:…, anthropic:…, google:…, openai-compatible:…' },
      { flags: '--record', summary: 'save the replies, to replay them without the model' },
      { flags: '--format <format>', summary: 'report format: pretty, json or junit (default: pretty)' },
      { flags: '--json', summary: 'short for --format json' },
      OUTPUT,
      { flags: '--concurrency <n>', summary: 'examples that run at the same time (default: 8)' },
      { flags: '--timeout <seconds>', summary: 'seconds per example (default: 60)' },
      { flags: '--fences', summary: 'accept a reply inside a code fence' },
      { flags: '--allow-empty', summary: 'pass packs that have no examples' },
    ],
    example: 'onbook test --prompt prompts/summarizer/v1.0.0.yaml',
    load: async () => (await import('./test.ts')).test,
  },
  {
    name: 'render',
    arguments: ['[ref]'],
    summary: 'print the rendered text of a pack, a template or a text',
    options: [
      { flags: '--text <template>', summary: 'template text, instead of a pack' },
      { flags: '--values <json>', summary: 'values of variables, as JSON or @file' },
      { flags: '--lenient', summary: 'render missing values as empty text' },
      { flags: '--segments', summary: 'print one line per segment, with its origin' },
      { flags: '--published', summary: 'use the published template even if a local pack has that name' },
      { flags: '--session <name>', summary: 'session whose workspace snapshot comes first, as its agent would receive it' },
      { flags: '--untrusted', summary: 'treat all values as untrusted input and fence them' },
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
    summary: 'copy a pack to its next patch, minor or major version',
    options: [JSON_OPTION],
    example: 'onbook bump summarizer minor',
    load: async () => (await import('./bump.ts')).bump,
  },
  {
    name: 'activate',
    arguments: ['<agent>', '[version]'],
    summary: 'check, test and activate a version',
    options: [
      { flags: '--back', summary: 'activate the previous active version again' },
      { flags: '--why <text>', summary: 'reason, kept in the history' },
      { flags: '--model <provider:model>', summary: 'real model for the tests' },
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
    summary: 'forbid a version from being activated again',
    options: [HOST_CONFIG, DATA, TENANT, JSON_OPTION],
    example: 'onbook retire summarizer 1.0.0',
    load: async () => (await import('./retire.ts')).retire,
  },
]

/** The summary of each group of commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  bundle: 'build, sign, verify and install collections of templates',
  policy: 'show and explain which tools agents may use',
  sessions: 'create and run the durable conversations of agents',
  workspace: 'list, compare, check and check out workspace versions',
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
