// Reads the JSON lines of Claude Code and Gemini CLI: a session, messages whole or in pieces, and one result at the end, which often
// repeats the last message.
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { Usage } from '../../core/messages/receipt.ts'
import { messages, withResult } from './messages.ts'
import { isCount, jsonLines, objectIn, objectsIn, type Reader, type ReaderOptions, textIn, usageOf } from './reader.ts'

export function streamJsonReader({ show, stray }: ReaderOptions): Reader {
  const reasoning: string[] = []
  /** The same messages twice: as pieces while the agent writes, and whole afterwards. Some agents write only one of the two. */
  const pieces = messages()
  const whole = messages()
  let openId = ''
  let inPieces = false
  let result: JsonObject | null = null
  let conversation: string | null = null
  let complaint: string | null = null

  const showPiece = (text: string): void => {
    const shown = pieces.add(text)
    if (shown !== '') show({ kind: 'text', text: shown })
  }
  const takePiece = ({ type: kind, delta, content_block }: JsonObject): void => {
    const isOther = kind === 'content_block_start' && objectIn(content_block).type !== 'text'
    if (kind === 'message_start' || isOther) pieces.close()
    const { type, text, thinking } = objectIn(delta)
    if (type !== 'text_delta' && type !== 'thinking_delta') return
    inPieces = true
    if (type === 'text_delta') showPiece(textIn(text))
    else if (textIn(thinking) !== '') show({ kind: 'reasoning', text: textIn(thinking) })
  }
  const takeMessage = (message: JsonObject): void => {
    const id = textIn(message.id)
    if (id === '' || id !== openId) closeWhole()
    openId = id
    for (const part of objectsIn(message.content)) {
      if (part.type === 'text') {
        whole.add(textIn(part.text))
        if (!inPieces) showPiece(textIn(part.text))
        continue
      }
      closeWhole()
      if (part.type !== 'thinking' || textIn(part.thinking) === '') continue
      reasoning.push(textIn(part.thinking))
      if (!inPieces) show({ kind: 'reasoning', text: textIn(part.thinking) })
    }
  }
  const closeWhole = (): void => {
    whole.close()
    if (!inPieces) pieces.close()
  }
  const closeAll = (): void => {
    whole.close()
    pieces.close()
  }

  const lines = jsonLines(event => {
    if (typeof event.session_id === 'string') conversation = event.session_id
    // An agent's own subagents write to that agent, not to the host.
    if (typeof event.parent_tool_use_id === 'string') return
    if (event.type === 'stream_event') takePiece(objectIn(event.event))
    else if (event.type === 'assistant') takeMessage(objectIn(event.message))
    else if (event.type === 'message' && event.role === 'assistant') showPiece(textIn(event.content))
    else if (event.type === 'error') complaint = textIn(event.message)
    else if (event.type === 'result') result ??= event
    else if (TOOL_EVENTS.has(textIn(event.type))) closeAll()
  }, stray)

  return {
    get finished() {
      return result !== null
    },
    push: lines.push,
    end() {
      const malformed = lines.end()
      const texts = withResult(whole.texts.length > 0 ? whole.texts : pieces.texts, textIn(result?.result))
      const failure = result === null ? complaint : failureIn(result)
      return { texts, reasoning, usage: usageIn(result ?? {}), stop: stopIn(result ?? {}), conversation, failure, malformed }
    },
  }
}

/** Claude Code reports results of tools as messages of the user, Gemini CLI as events. */
const TOOL_EVENTS: ReadonlySet<string> = new Set(['user', 'tool_use', 'tool_result'])

function failureIn({ is_error, subtype, status, error, errors, result }: JsonObject): string | null {
  const failed = is_error === true || status === 'error' || textIn(subtype).startsWith('error')
  if (!failed) return null
  const messages = Array.isArray(errors) ? errors.filter(one => typeof one === 'string').join('; ') : ''
  return [textIn(objectIn(error).message), messages, textIn(result), textIn(subtype)].find(text => text !== '') ?? 'it did not say why'
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
