// Reads the JSON lines of Codex: a thread, its turns, and their items. All messages of the agent together are the answer.
import type { JsonObject } from '../../core/digest/is-object.ts'
import { BETWEEN_MESSAGES } from '../../core/messages/receipt.ts'
import { Fault } from '../../errors.ts'
import { spoken } from './messages.ts'
import { jsonLines, objectIn, type Reader, type ReaderOptions, textIn, usageOf } from './reader.ts'

export function jsonlReader({ show, stray, resumed }: ReaderOptions): Reader {
  const texts = new Map<string, string>()
  const reasoning = new Map<string, string>()
  let unnamed = 0
  let conversation: string | null = null
  let usage: ReturnType<typeof usageOf> = null
  let complaint: string | null = null
  let turn: 'open' | 'completed' | 'failed' = 'open'

  /** An item is written again and again as it grows. */
  const grow = (items: Map<string, string>, id: string, whole: string): string => {
    const before = items.get(id) ?? ''
    items.set(id, whole)
    return whole.startsWith(before) ? whole.slice(before.length) : whole
  }
  const takeItem = (item: JsonObject, isWhole: boolean): void => {
    const id = textIn(item.id) || `unnamed ${unnamed}`
    if (item.type === 'agent_message') {
      const begins = texts.size > 0 && !texts.has(id)
      const text = grow(texts, id, textIn(item.text))
      if (text !== '') show({ kind: 'text', text: begins ? BETWEEN_MESSAGES + text : text })
    } else if (item.type === 'reasoning') {
      const text = grow(reasoning, id, textIn(item.text))
      if (text !== '') show({ kind: 'reasoning', text })
    }
    if (isWhole && textIn(item.id) === '') unnamed += 1
  }
  const takeThread = (id: string): void => {
    // Another thread does not know the earlier messages, and would get only the rest.
    if (resumed !== null && id !== resumed)
      throw new Fault('conversation_lost', { conversation: resumed, problem: 'it began another instead' })
    conversation = id
  }

  const lines = jsonLines(event => {
    switch (event.type) {
      case 'thread.started':
        return takeThread(textIn(event.thread_id))
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return takeItem(objectIn(event.item), event.type === 'item.completed')
      case 'turn.completed': {
        const { input_tokens, output_tokens, cached_input_tokens } = objectIn(event.usage)
        usage = usageOf(input_tokens, output_tokens, cached_input_tokens)
        turn = 'completed'
        return
      }
      case 'turn.failed':
        complaint = textIn(objectIn(event.error).message)
        turn = 'failed'
        return
      // It may go on after one: only the turn says how it ended.
      case 'error':
        complaint = textIn(event.message)
        return
    }
  }, stray)

  return {
    get finished() {
      return turn !== 'open'
    },
    push: lines.push,
    end() {
      const malformed = lines.end()
      const failure = turn === 'completed' ? null : complaint
      return { texts: spoken([...texts.values()]), reasoning: [...reasoning.values()], usage, stop: null, conversation, failure, malformed }
    },
  }
}
