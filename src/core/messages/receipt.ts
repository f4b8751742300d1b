// What came of one call of a model: a value for every outcome, a failure as well. Holds no secret.
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { Signature } from '../record/checkpoint.ts'
import type { ChatMessage, ReasoningPart, TextPart, ToolCallPart } from './message.ts'

export interface ToolCall {
  /** The id under which the result goes back: the provider's, unless two calls have the same. */
  readonly callId: string
  readonly toolName: string
  /** What is no JSON is kept as the text it is. */
  readonly arguments: Json
  /** Only where it is another than `callId`. */
  readonly providerCallId?: string
  readonly echo?: JsonObject
}

export interface Usage {
  readonly prompt: number
  readonly completion: number
  readonly total?: number
  readonly cached?: number
}

export interface Answered {
  readonly status: 'ok'
  readonly text?: string
  /** The messages that `text` joins, when the provider wrote more than one in its turn. */
  readonly texts?: readonly string[]
  readonly toolCalls: readonly ToolCall[]
  readonly reasoning?: readonly ReasoningPart[]
  readonly finishReason: { readonly reason: FinishReason; readonly raw?: string }
  /** Null when the provider does not say. */
  readonly usage: Usage | null
  readonly warnings: readonly string[]
  readonly providerId: string
  /** A keyed hash of the body as it was sent. */
  readonly requestSeal?: Signature
  /** What the provider keeps this under: a later call can resume it. */
  readonly conversation?: string
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** `provider_retryable` alone may be tried again, by whoever called; after `conversation_lost` without resuming. Other codes say what to mend. */
export interface Failed {
  readonly status: 'error' | 'timeout' | 'cancelled'
  readonly code: string
  readonly message: string
  /** How long the provider asks to be left alone. */
  readonly retryAfterMs?: number
  readonly requestSeal?: Signature
}

export type Receipt = Answered | Failed

/** The separator of several messages in one reply. */
export const BETWEEN_MESSAGES = '\n\n'

/** What the transcript keeps of an answer; null when it said nothing: blanks and thoughts alone are nothing to go on from. */
export function assistantMessage({ text, texts, toolCalls, reasoning = [] }: Answered): ChatMessage | null {
  const said = textParts(texts ?? (text === undefined || text === '' ? [] : [text]))
  const calls = toolCalls.map(
    ({ callId, toolName, arguments: given, echo }): ToolCallPart => ({
      type: 'tool_call',
      callId,
      toolName,
      arguments: given,
      ...(echo === undefined ? {} : { echo }),
    }),
  )
  const isSaid = calls.length > 0 || (text ?? '').trim() !== ''
  return isSaid ? { role: 'assistant', content: [...reasoning, ...said, ...calls] } : null
}

/** A part for each message, so that an open code fence in one does not reach into the next. Joined they read as one text. */
const textParts = (texts: readonly string[]): readonly TextPart[] =>
  texts.map((text, at) => ({ type: 'text', text: at === texts.length - 1 ? text : text + BETWEEN_MESSAGES }))

const REASONS: readonly string[] = ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']

/** An answer that was kept as JSON; null when it is none. */
export function readAnswer(value: Json | undefined): Answered | null {
  if (!isObject(value) || value.status !== 'ok' || !Array.isArray(value.toolCalls) || !Array.isArray(value.warnings)) return null
  const { text, texts, finishReason, usage, reasoning } = value
  const sound =
    (text === undefined || typeof text === 'string') &&
    (texts === undefined || (Array.isArray(texts) && texts.every(one => typeof one === 'string'))) &&
    value.toolCalls.every(
      call => isObject(call) && typeof call.callId === 'string' && typeof call.toolName === 'string' && call.arguments !== undefined,
    ) &&
    value.warnings.every(warning => typeof warning === 'string') &&
    (reasoning === undefined || (Array.isArray(reasoning) && reasoning.every(part => isObject(part) && typeof part.text === 'string'))) &&
    isObject(finishReason) &&
    REASONS.includes(finishReason.reason as string) &&
    (usage === null || (isObject(usage) && typeof usage.prompt === 'number' && typeof usage.completion === 'number')) &&
    typeof value.providerId === 'string' &&
    (value.conversation === undefined || typeof value.conversation === 'string')
  return sound ? (value as unknown as Answered) : null
}
