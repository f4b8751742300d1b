// JSON lines as Codex writes them: a thread, its turns, and items in them. The last message of the agent is the answer.
import type { JsonObject } from '../../core/digest/is-object.ts'
import { Fault } from '../../errors.ts'
import { jsonLines, objectIn, type Reader, type ReaderOptions, textIn, usageOf } from './reader.ts'

export function jsonlReader({ show, stray, resumed }: ReaderOptions): Reader {
  const items = new Map<string, string>()
  const reasoning = new Map<string, string>()
  let text = ''
  let conversation: string | null = null
  let usage: ReturnType<typeof usageOf> = null
  let complaint: string | null = null
  let turn: 'open' | 'completed' | 'failed' = 'open'

  /** An item is told again and again as it grows. */
  const grow = (kind: 'text' | 'reasoning', id: string, whole: string): void => {
    const before = items.get(id) ?? ''
    items.set(id, whole)
    if (whole !== before) show({ kind, text: whole.startsWith(before) ? whole.slice(before.length) : whole })
  }
  const takeItem = (item: JsonObject): void => {
    const [id, said] = [textIn(item.id), textIn(item.text)]
    if (item.type === 'agent_message') {
      grow('text', id, said)
      text = said
    } else if (item.type === 'reasoning') {
      grow('reasoning', id, said)
      reasoning.set(id, said)
    }
  }
  const takeThread = (id: string): void => {
    // A thread that is not the one: it knows nothing of what was said, and would be told only the rest.
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
        return takeItem(objectIn(event.item))
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
      return { text, reasoning: [...reasoning.values()], usage, stop: null, conversation, failure, malformed }
    },
  }
}
