// Folder: Any command as a model for turns: its prompt, its limits, its output in three protocols, its end. No shell, and no process is left behind.
// A chat model over any command-line agent. One call is one command; the agent's own tools stay its own. A failing command gives a receipt,
// never an exception.
import { randomUUID } from 'node:crypto'
import { filled, slotsIn } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import { type Answered, BETWEEN_MESSAGES, type FinishReason } from '../../core/messages/receipt.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions, ChatModel } from '../../ports.ts'
import { fillSlots, type Known, type Sent, scrubbedDeltas, settleCall } from '../chat/settle-call.ts'
import { scrubber } from '../scrub/scrub.ts'
import { secretsIn } from '../scrub/scrub-model.ts'
import {
  type CliAgent,
  type CliAgentSettings,
  type CliProtocol,
  canResume,
  cliAgent,
  environmentOf,
  isConversation,
  lentSecrets,
  namesConversations,
  wordsOf,
} from './agent.ts'
import { faultOf } from './cli-failure.ts'
import { jsonlReader } from './jsonl-reader.ts'
import { promptText } from './prompt-text.ts'
import type { Reader, ReaderOptions, Said } from './reader.ts'
import { type Ended, runCommand } from './run-command.ts'
import { lastOf, scrubbedTail } from './scrubbed-tail.ts'
import { streamJsonReader } from './stream-json-reader.ts'

export interface CliAgentChat extends ChatModel {
  resumes(provider: string): boolean
  calls(provider: string): Calling
}

/** `folder`: where they work unless they say where. */
export function cliAgentChat(settings: Readonly<Record<string, CliAgentSettings>>, folder: string): CliAgentChat {
  const agents = new Map(Object.entries(settings).map(([provider, one]) => [provider, cliAgent(one, folder)]))
  return {
    call(call, options) {
      const agent = agents.get(call.provider)
      const secrets = [...secretsIn(process.env), ...(agent === undefined ? [] : lentSecrets(agent, process.env))]
      const known: Known = new Map(secrets.map(value => [value, '[REDACTED]']))
      return settleCall(options, known, sent => {
        if (agent === undefined) throw new Fault('model_unknown', { model: `${call.provider}:${call.model}`, known: [...agents.keys()] })
        return answer(agent, call, options, known, sent)
      })
    },
    resumes: provider => {
      const agent = agents.get(provider)
      return agent !== undefined && canResume(agent)
    },
    calls: provider => (agents.get(provider)?.nativeTools === 'provider' ? 'own' : 'lines'),
  }
}

async function answer(agent: CliAgent, call: ModelCall, options: CallOptions, known: Known, sent: Sent): Promise<Answered> {
  const { provider, model } = call
  options.signal.throwIfAborted()
  if (!agent.tenants.includes(options.caller?.tenant ?? 'default')) throw new Fault('provider_closed', { provider })
  const resumed = canResume(agent) ? (options.resume?.conversation ?? null) : null
  if (resumed !== null && !isConversation(resumed))
    throw new Fault('conversation_lost', { conversation: resumed, problem: 'no conversation can have this name' })
  const conversation = resumed ?? (namesConversations(agent) ? randomUUID() : null)
  const text = await textFor(agent, call, options, known, resumed === null ? 0 : options.resume!.after)
  if (options.seal !== undefined) sent.seal = await options.seal(Buffer.from(text, 'utf8'))

  const scrub = scrubber(known)
  const deltas = options.onDelta === undefined ? null : scrubbedDeltas(known, options.onDelta)
  const [stderr, stray] = [scrubbedTail(scrub), scrubbedTail(scrub)]
  const reader = READERS[agent.protocol]({ show: delta => deltas?.show(delta), stray: stray.push, resumed })
  const words = wordsOf(agent, { model, conversation, resumes: resumed !== null })
  const ended = await runCommand(
    {
      provider,
      words: agent.promptOn === 'stdin' ? words : [...words, text],
      env: environmentOf(agent, process.env),
      input: agent.promptOn === 'stdin' ? text : '',
      signal: options.signal,
      onOutput(piece) {
        reader.push(piece)
        return reader.finished === true
      },
      onComplaint: stderr.push,
    },
    agent,
  )
  const said = reader.end()
  deltas?.end()
  const complaints = [lastOf(scrub.text(said.failure ?? '')), stderr.end(), stray.end()]
  const fault = faultOf({ ended, finished: reader.finished, said, complaints, resumed, lostPatterns: agent.lostPatterns })
  if (fault !== null) throw fault
  return {
    ...receiptOf(said),
    warnings: [...unsent(call), ...oddities(said, ended)],
    providerId: provider,
    ...conversationOf(agent, said.conversation ?? conversation),
  }
}

const receiptOf = ({ texts, reasoning, stop, usage }: Said): Omit<Answered, 'warnings' | 'providerId'> => ({
  status: 'ok',
  text: texts.join(BETWEEN_MESSAGES),
  ...(texts.length > 1 ? { texts } : {}),
  ...(reasoning.length === 0 ? {} : { reasoning: reasoning.map(thought => ({ type: 'reasoning', text: thought })) }),
  toolCalls: [],
  finishReason: { reason: REASONS.get(stop ?? '') ?? 'stop', ...(stop === null ? {} : { raw: stop }) },
  usage,
})

const conversationOf = (agent: CliAgent, name: string | null): Pick<Answered, 'conversation'> =>
  name !== null && isConversation(name) && canResume(agent) ? { conversation: name } : {}

const READERS: Readonly<Record<CliProtocol, (options: ReaderOptions) => Reader>> = {
  text: textReader,
  jsonl: jsonlReader,
  'stream-json': streamJsonReader,
}

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['max_tokens', 'length'],
  ['refusal', 'content-filter'],
])

/** Fills the slots of the whole call: secrets that were sent earlier must be hidden in the output too. */
async function textFor({ promptOn }: CliAgent, call: ModelCall, options: CallOptions, known: Known, after: number): Promise<string> {
  const secrets = await fillSlots(call, options.secrets, known)
  const messages = call.messages.slice(after)
  const inArgument = promptOn === 'argument'
  if (inArgument && slotsIn(messages).length > 0)
    throw new Fault('adapter_error', { problem: 'everybody on this machine could read a secret in an argument; give the prompt on stdin' })
  const text = promptText(messages.map(message => filled(message, secrets)))
  if (text.trim() === '') throw new Fault('messages_empty', {})
  // An argument that begins with a dash would be an option.
  return inArgument && text.startsWith('-') ? ` ${text}` : text
}

/** Tools that are called by line stand in the messages; that one must be called cannot be said there. */
function unsent({ tools, toolChoice, calls, parameters }: ModelCall): readonly string[] {
  const names = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const hidden = calls === undefined ? tools.length > 0 && 'tools' : toolChoice !== undefined && 'toolChoice'
  const all = hidden === false ? names : [hidden, ...names]
  return all.length === 0 ? [] : [`A command has no place for this; it was not sent: ${all.join(', ')}.`]
}

const oddities = ({ malformed }: Said, { code }: Ended): readonly string[] => [
  ...(malformed === 0 ? [] : [`Lines of its output that are not JSON, and were left out: ${malformed}.`]),
  ...(code === null || code === 0 ? [] : [`It answered, and then ended with code ${code}.`]),
]

/** Reads a command that prints plain text: its whole output is the answer. */
function textReader({ show }: ReaderOptions): Reader {
  let text = ''
  return {
    finished: null,
    push(piece) {
      text += piece
      show({ kind: 'text', text: piece })
    },
    end: () => ({
      texts: [text.replace(/\r?\n$/, '')],
      reasoning: [],
      usage: null,
      stop: null,
      conversation: null,
      failure: null,
      malformed: 0,
    }),
  }
}
