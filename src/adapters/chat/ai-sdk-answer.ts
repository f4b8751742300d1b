// Turns a provider's answer, streamed or whole, into the fields of a receipt. Emits deltas as they arrive; judges nothing.
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { ReasoningPart } from '../../core/messages/message.ts'
import { jsonOrText } from '../../core/messages/read-parts.ts'
import type { Answered, ToolCall, Usage } from '../../core/messages/receipt.ts'
import type { Delta } from '../../ports.ts'
import type { LanguageModel } from '../models/ai-sdk-providers.ts'

type Generated = Awaited<ReturnType<LanguageModel['doGenerate']>>
type Streamed = Awaited<ReturnType<LanguageModel['doStream']>>['stream']
type SdkWarning = Generated['warnings'][number]
type SdkToolCall = Extract<Generated['content'][number], { type: 'tool-call' }>

export type Answer = Pick<Answered, 'text' | 'toolCalls' | 'reasoning' | 'finishReason' | 'usage' | 'warnings'>

export function answerOf({ content, finishReason, usage, warnings }: Generated): Answer {
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  return {
    ...(texts.length === 0 ? {} : { text: texts.join('') }),
    ...reasoningOf(content.flatMap(part => (part.type === 'reasoning' ? [thought(part.text, part.providerMetadata)] : []))),
    toolCalls: callsOf(content.flatMap(part => (part.type === 'tool-call' ? [part] : []))),
    finishReason: reasonOf(finishReason),
    usage: usageOf(usage),
    warnings: warnings.map(warningText),
  }
}

/** Throws what the provider put into its stream as an error, and `StreamCut` when it ends without having said why. */
export async function collectAnswer(stream: Streamed, onDelta: (delta: Delta) => void): Promise<Answer> {
  const thoughts = new Map<string, ReasoningPart>()
  const calls: SdkToolCall[] = []
  const inputs = new Map<string, { readonly call: number; readonly name: string }>()
  let text: string | undefined
  let warnings: readonly SdkWarning[] = []
  for await (const part of stream) {
    switch (part.type) {
      case 'stream-start':
        warnings = part.warnings
        break
      case 'text-delta':
        text = (text ?? '') + part.delta
        onDelta({ kind: 'text', text: part.delta })
        break
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end': {
        const before = thoughts.get(part.id)
        const said = part.type === 'reasoning-delta' ? part.delta : ''
        thoughts.set(part.id, { ...before, ...thought((before?.text ?? '') + said, part.providerMetadata) })
        if (said !== '') onDelta({ kind: 'reasoning', text: said })
        break
      }
      case 'tool-input-start':
        inputs.set(part.id, { call: inputs.size + 1, name: part.toolName })
        break
      case 'tool-input-delta': {
        const input = inputs.get(part.id)
        if (input !== undefined) onDelta({ kind: 'tool', ...input, text: part.delta })
        break
      }
      case 'tool-call':
        calls.push(part)
        break
      case 'error':
        throw part.error
      case 'finish': {
        if (part.finishReason.raw === undefined) throw cut()
        return {
          ...(text === undefined ? {} : { text }),
          ...reasoningOf([...thoughts.values()]),
          toolCalls: callsOf(calls),
          finishReason: reasonOf(part.finishReason),
          usage: usageOf(part.usage),
          warnings: warnings.map(warningText),
        }
      }
    }
  }
  throw cut()
}

const cut = (): Error => Object.assign(new Error('the answer broke off before its end'), { name: 'StreamCut' })

const thought = (text: string, echo: unknown): ReasoningPart => ({
  type: 'reasoning',
  text,
  ...(echo === undefined ? {} : { echo: echo as JsonObject }),
})

const reasoningOf = (parts: readonly ReasoningPart[]): { readonly reasoning?: readonly ReasoningPart[] } =>
  parts.length === 0 ? {} : { reasoning: parts }

/** Two calls with one id could not be distinguished, and some servers give no ids. */
function callsOf(calls: readonly SdkToolCall[]): readonly ToolCall[] {
  const taken = new Set<string>()
  return calls.map(({ toolCallId, toolName, input, providerMetadata }) => {
    const wanted = toolCallId === '' ? 'call' : toolCallId
    let callId = wanted
    for (let number = 2; taken.has(callId); number += 1) callId = `${wanted}-${number}`
    taken.add(callId)
    return {
      callId,
      toolName,
      arguments: input === '' ? {} : jsonOrText(input),
      ...(callId === toolCallId ? {} : { providerCallId: toolCallId }),
      ...(providerMetadata === undefined ? {} : { echo: providerMetadata as JsonObject }),
    }
  })
}

const reasonOf = ({ unified, raw }: Generated['finishReason']): Answered['finishReason'] => ({
  reason: unified,
  ...(raw === undefined ? {} : { raw }),
})

function usageOf({ inputTokens, outputTokens }: Generated['usage']): Usage | null {
  const { total: prompt, cacheRead: cached } = inputTokens
  const { total: completion } = outputTokens
  if (prompt === undefined || completion === undefined) return null
  return { prompt, completion, total: prompt + completion, ...(cached === undefined ? {} : { cached }) }
}

const warningText = (warning: SdkWarning): string =>
  warning.type === 'other'
    ? warning.message
    : `${warning.feature} is ${warning.type === 'unsupported' ? 'not supported' : 'not quite supported'}${warning.details === undefined ? '' : `: ${warning.details}`}`
