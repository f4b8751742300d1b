// Reads a reply once: into its record, its tool calls and its node's output.
import { canonicalJson, type Digest, digestJson, digestText, isDigest, type Json } from '../../core/digest/digest.ts'
import { type ChatMessage, writeMessage } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { type Answered, assistantMessage, type FinishReason, type Receipt } from '../../core/messages/receipt.ts'
import type { Brought } from '../../core/run/graph/walk.ts'
import type { Failure } from '../../core/session/events.ts'
import { type Asked, askedIn } from '../../core/tools/asked-calls.ts'
import type { ReadReply, SettleStep } from '../../core/turn/commands.ts'
import type { ReplyMisfit, ToolCall } from '../../core/turn/events.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import { lineTools } from './asked.ts'
import { outputOf } from './node-values.ts'

export interface SettledReply {
  readonly command: Omit<SettleStep, 'step'>
  readonly brought: Pick<Brought, 'warnings' | 'output'>
  readonly texts: readonly string[]
}

type Read = (digest: Digest) => Promise<Uint8Array>

/** @param misfitOf judges the last words of a reply that calls no tool */
export async function settledReply(
  read: Read,
  request: StepRequest,
  receipt: Receipt,
  misfitOf: (text: string) => Promise<ReplyMisfit | null>,
): Promise<SettledReply> {
  const receiptText = canonicalJson(receipt as unknown as Json)
  const message = receipt.status === 'ok' ? assistantMessage(receipt) : null
  const common = {
    type: 'settleStep',
    receipt: digestText(receiptText),
    failure: failureOf(receipt, message !== null),
    ...measured(receipt),
  } as const
  if (message === null) return { command: { ...common, read: null }, brought: {}, texts: [receiptText] }
  const text = writeMessage(message)
  const asked = askedIn(message.content, await lineTools(read, request))
  const { reply, brought, texts } = readingOf(text, asked, receipt)
  const misfit = asked.calls.length > 0 ? null : await misfitOf(asked.last)
  return { command: { ...common, read: { ...reply, misfit } }, brought, texts: [receiptText, text, ...texts] }
}

/** The same, of a reply that is on record, with the verdict that is on record. */
export async function recordedReply(
  read: Read,
  request: StepRequest,
  { reply, receipt, failure, misfit = null }: RecordedReply,
): Promise<SettledReply> {
  const receiptText = receipt === null ? null : new TextDecoder().decode(await read(receipt))
  const received = receiptText === null ? null : (JSON.parse(receiptText) as Receipt)
  const common = { type: 'settleStep', receipt, failure, ...measured(received) } as const
  if (reply === null) return { command: { ...common, read: null }, brought: {}, texts: receiptText === null ? [] : [receiptText] }
  const text = new TextDecoder().decode(await read(reply))
  const found = readMessages(new TextEncoder().encode(text))
  const content = found.ok ? found.messages.flatMap((one: ChatMessage) => one.content) : []
  const asked = askedIn(content, await lineTools(read, request))
  const made = readingOf(text, asked, received)
  return {
    command: { ...common, read: { ...made.reply, misfit } },
    brought: made.brought,
    texts: [...(receiptText === null ? [] : [receiptText]), text, ...made.texts],
  }
}

interface RecordedReply {
  readonly reply: Digest | null
  readonly receipt: Digest | null
  readonly failure: Failure | null
  readonly misfit?: ReplyMisfit | null
}

function readingOf(text: string, asked: Asked, receipt: Receipt | null) {
  const given = asked.calls.map(call => canonicalJson(call.arguments))
  const reply: Omit<ReadReply, 'misfit'> = { reply: digestText(text), replyHash: replyHash(asked), calls: callsOf(asked, given) }
  const output = outputOf(asked.last)
  const stored = canonicalJson(output as unknown as Json)
  const warnings = [...cutOf(receipt?.status === 'ok' ? receipt.finishReason?.reason : undefined), ...nearCallsIn(asked)]
  const brought = { warnings, output: { digest: digestText(stored), value: output.output } }
  return { reply, brought, texts: asked.calls.length > 0 ? given : [stored] }
}

const TOOL_NAME = /^[A-Za-z0-9._~-]{1,128}$/

/** A call is known by its place in the reply: the model's own id for it is untrusted text. */
const callsOf = ({ calls }: Asked, texts: readonly string[]): readonly ToolCall[] =>
  calls.map(({ toolName, problem }, index) => ({
    id: String(index + 1),
    name: TOOL_NAME.test(toolName) ? toolName : '?',
    arguments: digestText(texts[index]!),
    ...(problem === null ? {} : { problem }),
  }))

function measured(receipt: Receipt | null): Pick<SettleStep, 'tokens' | 'conversation'> {
  const answered = receipt?.status === 'ok' ? (receipt as Partial<Answered>) : null
  const usage = answered?.usage ?? null
  return {
    tokens: usage === null ? null : (usage.total ?? usage.prompt + usage.completion),
    ...(isName(answered?.conversation) ? { conversation: answered.conversation } : {}),
  }
}

function failureOf(receipt: Receipt, hasReply: boolean): Failure | null {
  if (receipt.status !== 'ok') return { code: receipt.code, detail: receipt.message }
  return hasReply ? null : { code: 'reply_empty', detail: 'the model said nothing and called no tool' }
}

type Warnings = NonNullable<Brought['warnings']>

function cutOf(reason: FinishReason | undefined): Warnings {
  const cut = (why: string) => [{ code: 'reply_cut', message: `The reply is not whole: ${why}` }]
  if (reason === 'length') return cut('it reached the limit of tokens. Raise it, or ask for less.')
  return reason === 'content-filter' ? cut('the provider filtered it.') : []
}

/** Next to calls, the model receives these hints. Without calls the turn ends, and only people can see that a call may have been meant. */
const nearCallsIn = ({ calls, asides }: Asked): Warnings =>
  calls.length > 0 || asides.length === 0 ? [] : [{ code: 'reply_near_call', message: `The reply makes no call. ${asides.join(' ')}` }]

/** In an event a digest would name an object. A conversation with such a name is not resumed. */
const isName = (conversation: string | undefined): conversation is string => conversation !== undefined && !isDigest(conversation)

/** The hash covers the text and the requested tools, without the ids of the calls. */
const replyHash = ({ text, calls }: Asked): Digest =>
  digestJson([...(text === '' ? [] : [text]), ...calls.map(({ toolName, arguments: given }) => [toolName, given])])
