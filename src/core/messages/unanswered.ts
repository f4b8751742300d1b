// Checks that every tool call in a list of messages has its result. No provider accepts a list where one is missing.
import type { ChatMessage } from './message.ts'

/** The problem, or null. */
export function unanswered(messages: readonly ChatMessage[]): string | null {
  const open = new Set<string>()
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === 'tool_call') open.add(part.callId)
    if (part.type === 'tool_result' && !open.delete(part.callId)) return 'it has the result of a tool call that is not in it'
  }
  return open.size === 0 ? null : 'it calls a tool and does not say what came of it'
}
