// The settings of a command-line agent with defaults, and the command line of one call. Starts nothing.
import { Fault } from '../../errors.ts'

export type CliProtocol = 'text' | 'jsonl' | 'stream-json'

export interface CliAgentSettings {
  readonly preset?: 'claude' | 'codex' | 'gemini'
  /** The program and what always follows it, word by word: no shell reads it. */
  readonly command?: readonly string[]
  /** With `{model}`. Left out for the model `default`. */
  readonly modelArgs?: readonly string[]
  /** For a conversation that is new. With `{conversation}` in it, the name of the conversation is ours. */
  readonly newArgs?: readonly string[]
  /** With `{conversation}`. */
  readonly resumeArgs?: readonly string[]
  readonly protocol?: CliProtocol
  readonly promptOn?: 'stdin' | 'argument'
  readonly cwd?: string
  /** Names of variables that it is given besides those that every command gets. */
  readonly env?: readonly string[]
  readonly tenants?: readonly string[]
  /** Texts by which it reports an unknown conversation, in any case of letters. */
  readonly lostPatterns?: readonly string[]
  readonly timeoutMs?: number
  readonly idleMs?: number
  /** How long it may take to end after it was asked to, or has reported that it is done. */
  readonly graceMs?: number
  readonly maxOutputBytes?: number
  /** Who does what it wants done with files and commands: `provider`, itself; `onbook`, the host, as its lines ask. */
  readonly nativeTools?: NativeTools
}

export type NativeTools = 'provider' | 'onbook'

export type CliAgent = Required<Omit<CliAgentSettings, 'preset'>>

/** As their documentation has them. None of them is given a permission: what an agent may do by itself is the operator's to say. */
const PRESETS: Readonly<Record<NonNullable<CliAgentSettings['preset']>, CliAgentSettings>> = {
  claude: {
    command: ['claude', '-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    modelArgs: ['--model', '{model}'],
    resumeArgs: ['--resume', '{conversation}'],
    protocol: 'stream-json',
    lostPatterns: ['no conversation found'],
  },
  codex: {
    command: ['codex', 'exec', '--json'],
    modelArgs: ['--model', '{model}'],
    newArgs: ['-'],
    resumeArgs: ['resume', '{conversation}', '-'],
    protocol: 'jsonl',
    lostPatterns: ['no rollout found', 'thread not loaded', 'thread not found'],
  },
  gemini: {
    command: ['gemini', '--output-format', 'stream-json'],
    modelArgs: ['--model', '{model}'],
    resumeArgs: ['--resume', '{conversation}'],
    protocol: 'stream-json',
    lostPatterns: ['invalid session identifier', 'no previous sessions found'],
  },
}

const DEFAULTS: CliAgent = {
  command: [],
  modelArgs: [],
  newArgs: [],
  resumeArgs: [],
  protocol: 'text',
  promptOn: 'stdin',
  cwd: '.',
  env: [],
  tenants: ['default'],
  lostPatterns: [],
  timeoutMs: 1_800_000,
  idleMs: 300_000,
  graceMs: 2_000,
  maxOutputBytes: 64 * 1024 * 1024,
  nativeTools: 'onbook',
}

/** `folder`: the default working folder. */
export const cliAgent = ({ preset, ...settings }: CliAgentSettings, folder: string): CliAgent => ({
  ...DEFAULTS,
  cwd: folder,
  ...(preset === undefined ? {} : PRESETS[preset]),
  ...settings,
  // Presets use their built-in tools, whatever the settings say.
  ...(preset === undefined ? {} : { nativeTools: 'provider' }),
})

const CONVERSATION = '{conversation}'

export const namesConversations = ({ newArgs }: CliAgent): boolean => newArgs.some(word => word.includes(CONVERSATION))

/** Whether it can resume, and the name of the conversation is known. */
export const canResume = (agent: CliAgent): boolean =>
  agent.resumeArgs.length > 0 && (agent.protocol !== 'text' || namesConversations(agent))

/** A name that begins with a dash would be an option. */
const WORD = /^[A-Za-z0-9][^\s\p{Cc}]{0,199}$/u

export const isConversation = (name: string): boolean => WORD.test(name)

export interface Asked {
  readonly model: string
  readonly conversation: string | null
  readonly resumes: boolean
}

/** Every word but the prompt. */
export function wordsOf(agent: CliAgent, { model, conversation, resumes }: Asked): readonly string[] {
  if (!WORD.test(model)) throw new Fault('adapter_error', { problem: `"${model}" cannot be given to a command as the name of a model` })
  const named = model === 'default' ? [] : agent.modelArgs.map(word => word.replaceAll('{model}', () => model))
  const going = (resumes ? agent.resumeArgs : agent.newArgs).map(word => word.replaceAll(CONVERSATION, () => conversation ?? ''))
  return [...agent.command, ...named, ...going]
}

const ALWAYS = /^(?:PATH|HOME|LANG|LC_[A-Z]+|TERM|TMPDIR)$/

type Environment = Readonly<Record<string, string | undefined>>

/** Nothing of the host's environment but what every command needs, and what is named. */
export const environmentOf = ({ env }: Pick<CliAgent, 'env'>, environment: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (ALWAYS.test(name) || env.includes(name)) ? [[name, value]] : [],
    ),
  )

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i

/** The values in its environment that look like secrets. */
export const lentSecrets = ({ env }: Pick<CliAgent, 'env'>, environment: Environment): readonly string[] =>
  env.filter(name => SECRET_NAME.test(name)).flatMap(name => environment[name] ?? [])
