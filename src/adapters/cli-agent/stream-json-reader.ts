// JSON lines as Claude Code and Gemini CLI write them: a session, messages whole or in pieces, and one result at the end, which wins over all of them.
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { Usage } from '../../core/messages/receipt.ts'
import { isCount, jsonLines, objectIn, objectsIn, type Reader, type ReaderOptions, textIn, usageOf } from './reader.ts'

export function streamJsonReader({ show, stray }: ReaderOptions): Reader {
  const reasoning: string[] = []
  /** All pieces of text, and the last message that had any. */
  let pieces = ''
  let last = { id: '', text: '' }
  let inPieces = false
  let result: JsonObject | null = null
  let conversation: string | null = null
  let complaint: string | null = null

  const sayPiece = (text: string): void => {
    pieces += text
    if (text !== '') show({ kind: 'text', text })
  }
  const takePiece = ({ delta }: JsonObject): void => {
    const { type, text, thinking } = objectIn(delta)
    if (type !== 'text_delta' && type !== 'thinking_delta') return
    inPieces = true
    if (type === 'text_delta') sayPiece(textIn(text))
    else if (textIn(thinking) !== '') show({ kind: 'reasoning', text: textIn(thinking) })
  }
  const takeMessage = (message: JsonObject): void => {
    for (const part of objectsIn(message.content)) {
      const id = textIn(message.id)
      if (part.type === 'text') {
        last = { id, text: last.id === id ? last.text + textIn(part.text) : textIn(part.text) }
        if (!inPieces) sayPiece(textIn(part.text))
      } else if (part.type === 'thinking' && textIn(part.thinking) !== '') {
        reasoning.push(textIn(part.thinking))
        if (!inPieces) show({ kind: 'reasoning', text: textIn(part.thinking) })
      }
    }
  }

  const lines = jsonLines(event => {
    if (typeof event.session_id === 'string') conversation = event.session_id
    // What an agent of the agent says is not said to us.
    if (typeof event.parent_tool_use_id === 'string') return
    if (event.type === 'stream_event') takePiece(objectIn(event.event))
    else if (event.type === 'assistant') takeMessage(objectIn(event.message))
    else if (event.type === 'message' && event.role === 'assistant') sayPiece(textIn(event.content))
    else if (event.type === 'error') complaint = textIn(event.message)
    else if (event.type === 'result') result ??= event
  }, stray)

  return {
    get finished() {
      return result !== null
    },
    push: lines.push,
    end() {
      const malformed = lines.end()
      const said = [textIn(result?.result), last.text, pieces].find(text => text !== '') ?? ''
      const failure = result === null ? complaint : failureIn(result)
      return { text: said, reasoning, usage: usageIn(result ?? {}), stop: stopIn(result ?? {}), conversation, failure, malformed }
    },
  }
}

function failureIn({ is_error, subtype, status, error, errors, result }: JsonObject): string | null {
  const failed = is_error === true || status === 'error' || textIn(subtype).startsWith('error')
  if (!failed) return null
  const told = Array.isArray(errors) ? errors.filter(one => typeof one === 'string').join('; ') : ''
  return [textIn(objectIn(error).message), told, textIn(result), textIn(subtype)].find(text => text !== '') ?? 'it did not say why'
}

/** Claude counts what came from a cache apart, Gemini does not. */
function usageIn({ usage, stats }: JsonObject): Usage | null {
  if (usage === undefined) {
    const { input_tokens, output_tokens, cached } = objectIn(stats)
    return usageOf(input_tokens, output_tokens, cached)
  }
  const { input_tokens, output_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written } = objectIn(usage)
  const prompt = isCount(input_tokens) ? input_tokens + (isCount(read) ? read : 0) + (isCount(written) ? written : 0) : undefined
  return usageOf(prompt, output_tokens, read)
}

const stopIn = ({ stop_reason, subtype, status }: JsonObject): string | null =>
  ([stop_reason, subtype, status].find(word => typeof word === 'string') as string | undefined) ?? null
