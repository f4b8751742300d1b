// Commands about sessions.
import type { Command, Option } from '../commands.ts'
import { LIMIT, MESSAGE, POLICY, RECORDINGS, REPO, SCRIPT, WATCH, WHERE } from './options.ts'

const CONFIG_OPTIONS: readonly Option[] = [
  {
    flags: '--provider <name>',
    summary: 'provider of the model: openai, anthropic, google, openai-compatible, scripted, recorded, or a command-line agent of the host',
  },
  { flags: '--model <name>', summary: 'name of the model' },
  { flags: '--workspace <name>', summary: 'workspace: NAME for the latest version at each sync, NAME@N for that version' },
  { flags: '--prelude <name>', summary: 'prelude: prompts/packs/<name>.json of the workspace' },
  { flags: '--catalog <name>', summary: 'tool catalog: tools/catalogs/<name>.json of the workspace' },
  { flags: '--prompt <file>', summary: 'message before the history, instead of a prelude; may be repeated', repeated: true },
  { flags: '--tools <file>', summary: 'tools file, instead of a catalog; may be repeated', repeated: true },
  { flags: '--max-steps <n>', summary: 'most steps of one run (default: no limit)' },
  { flags: '--config <json>', summary: 'whole configuration as JSON or @file; other options override it' },
]

const DIALECT: Option = { flags: '--dialect <name>', summary: 'names of fields and events: onbook, or aos for AgentOS (default: onbook)' }

/** For work that this process does where no host runs. */
const WORK: readonly Option[] = [SCRIPT, RECORDINGS, POLICY, REPO]

const looking = () => import('../sessions/show.ts')
const running = () => import('../sessions/running.ts')
const adopt = () => import('../sessions/adopt.ts')

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: 'agent create',
    aliases: ['sessions create'],
    arguments: ['[session]'],
    summary: 'create a session',
    options: [...CONFIG_OPTIONS, { flags: '--agent <id>', summary: 'agent of the session' }, DIALECT, ...WHERE],
    example: 'onbook agent create writer --provider scripted --model small',
    load: async () => (await looking()).create,
  },
  {
    name: 'agent list',
    aliases: ['sessions', 'sessions list'],
    arguments: [],
    summary: 'list sessions',
    options: [LIMIT, ...WHERE],
    example: 'onbook agent list',
    load: async () => (await looking()).list,
  },
  {
    name: 'agent show',
    aliases: ['sessions show'],
    arguments: ['<session>'],
    summary: 'show the status and configuration of a session',
    options: [DIALECT, ...WHERE],
    example: 'onbook agent show writer',
    load: async () => (await looking()).show,
  },
  {
    name: 'agent config',
    aliases: ['sessions config'],
    arguments: ['<session>'],
    summary: 'show or change the configuration of later runs',
    options: [...CONFIG_OPTIONS, DIALECT, ...WHERE],
    example: 'onbook agent config writer --model large',
    load: async () => (await looking()).config,
  },
  {
    name: 'agent run',
    aliases: ['sessions run'],
    arguments: ['<session>'],
    summary: 'send input to a session and wait for the reply',
    options: [
      { flags: '--input <text>', summary: 'input, as text or @file' },
      { flags: '--interactive', summary: 'wait for more input after a reply without tool calls' },
      { flags: '--detach', summary: 'return at once; needs a host' },
      WATCH,
      ...CONFIG_OPTIONS,
      ...WORK,
      ...WHERE,
    ],
    example: 'onbook agent run writer --input "Good morning" --script script.yaml --watch',
    load: async () => (await running()).run,
  },
  {
    name: 'agent say',
    aliases: ['sessions say'],
    arguments: ['<session>', '<text>'],
    summary: 'answer a waiting run, or leave a message',
    options: [
      { flags: '--steer', summary: 'deliver the message at the next step of the open run' },
      { flags: '--interrupt', summary: 'deliver the message now, and end the model call in progress' },
      WATCH,
      ...WORK,
      ...WHERE,
    ],
    example: 'onbook agent say writer "Shorter, please"',
    load: async () => (await running()).say,
  },
  {
    name: 'agent resume',
    aliases: ['sessions resume'],
    arguments: ['<session>'],
    summary: 'resume a paused or abandoned run of a session',
    options: [WATCH, ...WORK, ...WHERE],
    example: 'onbook agent resume writer --script script.yaml',
    load: async () => (await running()).resume,
  },
  {
    name: 'agent complete',
    aliases: ['sessions complete'],
    arguments: ['<session>'],
    summary: 'complete an interactive run that waits for input',
    options: WHERE,
    example: 'onbook agent complete writer',
    load: async () => (await running()).complete,
  },
  {
    name: 'agent cancel',
    aliases: ['sessions cancel'],
    arguments: ['<session>'],
    summary: 'cancel the open run of a session',
    options: [{ ...MESSAGE, earlier: '--reason <text>' }, ...WHERE],
    example: 'onbook agent cancel writer -m "wrong brief"',
    load: async () => (await running()).cancel,
  },
  {
    name: 'agent events',
    aliases: ['sessions events'],
    arguments: ['<session>'],
    summary: 'print the events of a session',
    options: [{ flags: '--follow', summary: 'also print new events, until stopped' }, DIALECT, ...WHERE],
    example: 'onbook agent events writer',
    load: async () => (await looking()).events,
  },
  {
    name: 'agent transcript',
    aliases: ['sessions transcript'],
    arguments: ['<session>'],
    summary: 'print the messages of a session',
    options: WHERE,
    example: 'onbook agent transcript writer',
    load: async () => (await looking()).transcript,
  },
  {
    name: 'agent sync',
    aliases: ['sync'],
    arguments: ['<session>'],
    summary: 'prepare a workspace version for a session, without applying it',
    options: [
      {
        flags: '--workspace <name>',
        summary: 'workspace: NAME for the latest version, NAME@N for that version (default: the workspace of the session)',
      },
      { flags: '--prelude <name>', summary: 'prelude (default: as the session names it, else as agent.workspace.json does)' },
      { flags: '--catalog <name>', summary: 'tool catalog (default: as the session names it, else as agent.workspace.json does)' },
      { flags: '--known <n>', summary: 'version that the caller assumes, for the record' },
      POLICY,
      REPO,
      ...WHERE,
    ],
    example: 'onbook agent sync writer --workspace newsdesk --prelude default',
    load: async () => (await adopt()).sync,
  },
  {
    name: 'agent apply',
    aliases: ['apply'],
    arguments: ['<session>'],
    summary: 'activate the synced workspace version of a session',
    options: [
      { flags: '--when <mode>', summary: 'moment: next_run, next_step_boundary or immediate_if_idle (default: next_run)' },
      { flags: '--untested', summary: 'accept packs whose tests have not passed; the record names the caller' },
      ...WHERE,
    ],
    example: 'onbook agent apply writer --when next_step_boundary',
    load: async () => (await adopt()).apply,
  },
]
