// The result of one model call: a value for every outcome, failures included. Contains no secret.
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { Signature } from '../record/checkpoint.ts'
import type { ChatMessage, ReasoningPart, TextPart, ToolCallPart } from './message.ts'

export interface ToolCall {
  /** The id under which the result goes back: the provider's, unless two calls have the same. */
  readonly callId: string
  readonly toolName: string
  /** Arguments that are not JSON stay text. */
  readonly arguments: Json
  /** Only when it differs from `callId`. */
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
  /** The id of the conversation at the provider: a later call can resume it. */
  readonly conversation?: string
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/**
 * The caller may retry only `provider_retryable`, and after `conversation_lost` without resuming. The message of any other
 * code says what to fix.
 */
export interface Failed {
  readonly status: 'error' | 'timeout' | 'cancelled'
  readonly code: string
  readonly message: string
  /** The provider's request for a pause before the next attempt. */
  readonly retryAfterMs?: number
  readonly requestSeal?: Signature
}

export type Receipt = Answered | Failed

/** The separator of several messages in one reply. */
export const BETWEEN_MESSAGES = '\n\n'

/** The message for the transcript; null for an empty answer: blanks and reasoning alone do not count. */
export function assistantMessage({ text, texts, toolCalls, reasoning = [] }: Answered): ChatMessage | null {
  const messageTexts = textParts(texts ?? (text === undefined || text === '' ? [] : [text]))
  const calls = toolCalls.map(
    ({ callId, toolName, arguments: input, echo }): ToolCallPart => ({
      type: 'tool_call',
      callId,
      toolName,
      arguments: input,
      ...(echo === undefined ? {} : { echo }),
    }),
  )
  const isSaid = calls.length > 0 || (text ?? '').trim() !== ''
  return isSaid ? { role: 'assistant', content: [...reasoning, ...messageTexts, ...calls] } : null
}

/** A part for each message, so that an open code fence in one does not reach into the next. Joined they read as one text. */
const textParts = (texts: readonly string[]): readonly TextPart[] =>
  texts.map((text, at) => ({ type: 'text', text: at === texts.length - 1 ? text : text + BETWEEN_MESSAGES }))

const REASONS: readonly string[] = ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']

/** Parses an answer that was stored as JSON; null when it is malformed. */
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
