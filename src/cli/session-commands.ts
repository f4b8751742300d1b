// The commands around sessions.
import type { Command, Option } from './commands.ts'
import { LIMIT, POLICY, RECORDINGS, REPO, SCRIPT, WATCH, WHERE } from './options.ts'

const CONFIG_OPTIONS: readonly Option[] = [
  {
    flags: '--provider <name>',
    summary: 'who serves the model: openai, anthropic, google, openai-compatible, scripted, recorded, or a command-line agent of the host',
  },
  { flags: '--model <name>', summary: 'which model' },
  { flags: '--workspace <name>', summary: 'NAME follows the newest version when it is synced, NAME@N is that version' },
  { flags: '--prelude <name>', summary: 'prompts/packs/<name>.json of the workspace' },
  { flags: '--catalog <name>', summary: 'tools/catalogs/<name>.json of the workspace' },
  { flags: '--prompt <file>', summary: 'a message to put before the history, instead of a prelude', repeated: true },
  { flags: '--tools <file>', summary: 'tools, instead of a catalog', repeated: true },
  { flags: '--max-steps <n>', summary: 'steps of one run (default: no limit)' },
  { flags: '--config <json>', summary: 'the whole config as JSON or @file; other options are put over it' },
]

const DIALECT: Option = { flags: '--dialect <name>', summary: 'names of fields and events: onbook, or aos for AgentOS (default: onbook)' }

/** For what is done here when no host does it. */
const WORK: readonly Option[] = [SCRIPT, RECORDINGS, POLICY, REPO]

const looking = () => import('./sessions/looking.ts')
const running = () => import('./sessions/running.ts')
const adopt = () => import('./sessions/adopt.ts')

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: 'sessions create',
    arguments: ['[session]'],
    summary: 'make a session',
    options: [...CONFIG_OPTIONS, { flags: '--agent <id>', summary: 'whose session it is' }, DIALECT, ...WHERE],
    example: 'onbook sessions create writer --provider scripted --model small',
    load: async () => (await looking()).create,
  },
  {
    name: 'sessions list',
    arguments: [],
    summary: 'list the sessions',
    options: [LIMIT, ...WHERE],
    example: 'onbook sessions list',
    load: async () => (await looking()).list,
  },
  {
    name: 'sessions show',
    arguments: ['<session>'],
    summary: 'show how a session stands',
    options: [DIALECT, ...WHERE],
    example: 'onbook sessions show writer',
    load: async () => (await looking()).show,
  },
  {
    name: 'sessions config',
    arguments: ['<session>'],
    summary: 'show or change what runs to come are set to',
    options: [...CONFIG_OPTIONS, DIALECT, ...WHERE],
    example: 'onbook sessions config writer --model large',
    load: async () => (await looking()).config,
  },
  {
    name: 'sessions run',
    arguments: ['<session>'],
    summary: 'say something to a session and wait for what it answers; config options hold for this run alone',
    options: [
      { flags: '--input <text>', summary: 'what is said, as text or @file' },
      { flags: '--interactive', summary: 'wait for more after a reply that asks for nothing' },
      { flags: '--detach', summary: 'do not wait; through a host only' },
      WATCH,
      ...CONFIG_OPTIONS,
      ...WORK,
      ...WHERE,
    ],
    example: 'onbook sessions run writer --input "Good morning" --script script.yaml --watch',
    load: async () => (await running()).run,
  },
  {
    name: 'sessions say',
    arguments: ['<session>', '<text>'],
    summary: 'give a waiting run its input, or leave a message for what comes next',
    options: [
      { flags: '--steer', summary: 'for the next step of the run under way' },
      { flags: '--interrupt', summary: 'at once: the model call under way is ended' },
      WATCH,
      ...WORK,
      ...WHERE,
    ],
    example: 'onbook sessions say writer "Shorter, please"',
    load: async () => (await running()).say,
  },
  {
    name: 'sessions resume',
    arguments: ['<session>'],
    summary: 'go on with a run that was paused, or that whoever was at it has left',
    options: [WATCH, ...WORK, ...WHERE],
    example: 'onbook sessions resume writer --script script.yaml',
    load: async () => (await running()).resume,
  },
  {
    name: 'sessions complete',
    arguments: ['<session>'],
    summary: 'complete an interactive run that waits for input',
    options: WHERE,
    example: 'onbook sessions complete writer',
    load: async () => (await running()).complete,
  },
  {
    name: 'sessions cancel',
    arguments: ['<session>'],
    summary: 'end the run under way',
    options: [{ flags: '--reason <text>', summary: 'kept in the record' }, ...WHERE],
    example: 'onbook sessions cancel writer --reason "wrong brief"',
    load: async () => (await running()).cancel,
  },
  {
    name: 'sessions events',
    arguments: ['<session>'],
    summary: 'print what happened in a session; with --json one event a line, as it was recorded',
    options: [{ flags: '--follow', summary: 'and go on as it happens' }, DIALECT, ...WHERE],
    example: 'onbook sessions events writer',
    load: async () => (await looking()).events,
  },
  {
    name: 'sessions transcript',
    arguments: ['<session>'],
    summary: 'print what was said in a session',
    options: WHERE,
    example: 'onbook sessions transcript writer',
    load: async () => (await looking()).transcript,
  },
  {
    name: 'sync',
    arguments: ['<session>'],
    summary: 'get a version of a workspace ready for a session; nothing changes until it is applied',
    options: [
      { flags: '--workspace <name>', summary: 'NAME for the newest version, NAME@N for that one (default: what the session names)' },
      { flags: '--prelude <name>', summary: 'default: what the session names, else what agent.workspace.json says' },
      { flags: '--catalog <name>', summary: 'the same' },
      { flags: '--known <n>', summary: 'the version you believe it has, for the record' },
      POLICY,
      REPO,
      ...WHERE,
    ],
    example: 'onbook sync writer --workspace newsdesk --prelude default',
    load: async () => (await adopt()).sync,
  },
  {
    name: 'apply',
    arguments: ['<session>'],
    summary: 'activate the synced version of the workspace',
    options: [
      { flags: '--when <mode>', summary: 'next_run, next_step_boundary or immediate_if_idle (default: next_run)' },
      { flags: '--untested', summary: 'also with packs whose tests did not pass; the record says who asked' },
      ...WHERE,
    ],
    example: 'onbook apply writer --when next_step_boundary',
    load: async () => (await adopt()).apply,
  },
]
