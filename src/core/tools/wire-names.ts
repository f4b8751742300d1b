// Converts tool names to names that every provider accepts, and back. The record, the gate and policies use the real name;
// only model adapters use these.
import { digestText } from '../digest/digest.ts'
import type { ChatMessage, Part } from '../messages/message.ts'
import type { ModelCall } from '../messages/model-call.ts'

/** OpenAI and Anthropic refuse any other name, and with it the whole request. */
const WIRE_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const MOST_WIRE = 64
const SUFFIX = 8

/** The longest name and the characters that a catalog may use. Each has a wire name that differs from it in `_` alone. */
const TOOL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,63}$/

/** Why a workspace may not name a tool so; null when it may. */
export const toolNameProblem = (name: string): string | null =>
  TOOL_NAME.test(name)
    ? null
    : `${JSON.stringify(name.slice(0, 80))} cannot be sent to a provider: use 1 to 64 letters, digits and _ - . : /, beginning with a letter, a digit or _`

/** The name that a provider gets, when no other tool has that name. */
export const wireName = (name: string): string => {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, '_')
  return plain.length <= MOST_WIRE && plain !== '' ? plain : marked(plain, name)
}

const marked = (plain: string, name: string): string =>
  `${plain.slice(0, MOST_WIRE - SUFFIX - 1)}_${digestText(name).slice('sha256:'.length, 'sha256:'.length + SUFFIX)}`

export interface WireNames {
  sent(name: string): string
  /** The real name; a name that the model invented stays unchanged. */
  real(name: string): string
}

/** For the tools of one request. Two tools with the same wire name are distinguished by a part of their digest. */
export function wireNames(names: Iterable<string>): WireNames {
  const all = [...new Set(names)]
  const taken = new Set(all.filter(name => WIRE_NAME.test(name)))
  const sent = new Map<string, string>([...taken].map(name => [name, name]))
  for (const name of all.filter(one => !taken.has(one)).sort()) {
    const wanted = wireName(name)
    const wire = taken.has(wanted) ? marked(wanted, name) : wanted
    taken.add(wire)
    sent.set(name, wire)
  }
  const real = new Map([...sent].map(([name, wire]) => [wire, name]))
  return { sent: name => sent.get(name) ?? wireName(name), real: name => real.get(name) ?? name }
}

/** The names for a model call: its tools, and those that its history called. */
export const wireNamesOf = ({ tools, messages }: ModelCall): WireNames =>
  wireNames([...tools.map(({ name }) => name), ...messages.flatMap(({ content }) => content.flatMap(toolIn))])

const toolIn = (part: Part): readonly string[] =>
  (part.type === 'tool_call' || part.type === 'tool_result') && part.toolName !== undefined ? [part.toolName] : []

/** The call with the names that are sent. */
export function withWireNames(call: ModelCall, { sent }: WireNames): ModelCall {
  const { tools, messages, toolChoice } = call
  const part = (one: Part): Part =>
    (one.type === 'tool_call' || one.type === 'tool_result') && one.toolName !== undefined ? { ...one, toolName: sent(one.toolName) } : one
  return {
    ...call,
    tools: tools.map(tool => ({ ...tool, name: sent(tool.name) })),
    messages: messages.map((message): ChatMessage => ({ ...message, content: message.content.map(part) })),
    ...(typeof toolChoice === 'object' ? { toolChoice: { tool: sent(toolChoice.tool) } } : {}),
  }
}
