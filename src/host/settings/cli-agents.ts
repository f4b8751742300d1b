// The cliAgents section of onbook.host.yaml: command-line agents that sessions may use as providers. Defines the format; starts nothing.
import { Type } from 'typebox'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import type { Complaint } from './settings-file.ts'

const words = (description: string) => Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 200, description }))
const names = (pattern: string, description: string) => Type.Optional(Type.Array(Type.String({ pattern }), { maxItems: 200, description }))
const number = (description: string, maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }))
const MOST_MS = 2_147_483_647
const MOST_BYTES = 256 * 1024 * 1024

const cliAgent = Type.Object(
  {
    preset: Type.Optional(
      Type.Enum(['claude', 'codex', 'gemini'], { description: 'A command that is known. What stands beside it comes before it.' }),
    ),
    command: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 10_000 }), {
        ...{ minItems: 1, maxItems: 200 },
        description: 'The program and what always follows it, word by word. No shell reads it.',
      }),
    ),
    modelArgs: words('Words with {model}. Left out for the model "default".'),
    newArgs: words('Words for a new conversation. With {conversation}, its name is chosen here.'),
    resumeArgs: words('Words for going on with {conversation}.'),
    protocol: Type.Optional(
      Type.Enum(['text', 'jsonl', 'stream-json'], { description: 'What it writes. Text unless the preset says otherwise.' }),
    ),
    promptOn: Type.Optional(
      Type.Enum(['stdin', 'argument'], { description: 'How it is given the prompt. As a last argument, others can see it.' }),
    ),
    cwd: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, description: 'The folder it works in; --repo unless it is said.' })),
    env: names('^[A-Za-z_][A-Za-z0-9_]{0,127}$', 'Names of variables it is given besides PATH, HOME, LANG, LC_*, TERM and TMPDIR.'),
    tenants: names('^.{1,200}$', 'Whose sessions may use it. It runs as the user of the host: "default" alone unless others are named.'),
    lostPatterns: names('^[^\\n]{3,200}$', 'What it says, in any case of letters, when it does not know a conversation.'),
    timeoutMs: number('For the whole answer. In milliseconds.', MOST_MS),
    idleMs: number('How long it may write nothing. In milliseconds.', MOST_MS),
    graceMs: number('How long it may take to end once it was told to, or has said that it is done. In milliseconds.', MOST_MS),
    maxOutputBytes: number('Of all it writes in one call.', MOST_BYTES),
    nativeTools: Type.Optional(
      Type.Enum(['provider', 'onbook'], {
        description:
          'Who runs what it wants done with files and commands: "provider", itself, as presets always do; "onbook", the host. ONBOOK_<PROVIDER>_NATIVE_TOOLS comes before it.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const cliAgentsFormat = Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }), cliAgent, {
  additionalProperties: false,
  maxProperties: 100,
  description: 'Command-line agents by the name of the provider they are.',
})

export type CliAgents = Readonly<Type.Static<typeof cliAgentsFormat>>

export const TAKEN_PROVIDERS: readonly string[] = ['scripted', 'recorded', 'openai', 'anthropic', 'google', 'openai-compatible']

export function complaintsAboutAgents(value: Json): readonly Complaint[] {
  const agents = isObject(value) && isObject(value.cliAgents) ? value.cliAgents : {}
  return Object.entries(agents).flatMap(([provider, agent]): Complaint[] => {
    const pointer = ['cliAgents', provider]
    if (TAKEN_PROVIDERS.includes(provider))
      return [{ pointer, key: true, message: `"${provider}" is a provider already: call the agent something else` }]
    const isRunnable = !isObject(agent) || agent.preset !== undefined || agent.command !== undefined
    return isRunnable ? [] : [{ pointer, key: true, message: `"${provider}" has neither a preset nor a command` }]
  })
}
