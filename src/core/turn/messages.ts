// Finds the messages that an event adds to the history of its turn. The run's state and the stream of a lasting session both use it.
import type { Digest } from '../digest/digest.ts'
import type { TurnEvent } from './events.ts'
import type { Turn } from './state.ts'

/** Events that add messages, beside those of the turn itself. */
export type MessageEvent = TurnEvent | { readonly type: 'node.completed' } | { readonly type: 'node.failed'; readonly code: string }

/** The code of a turn that failed because its last reply does not fit its schema. The reply stays in the history: a person may ask about it. */
export const REPLY_MISFIT = 'reply_misfit'

/** @param turn before the event */
export function messagesAdded(turn: Turn, event: MessageEvent): readonly Digest[] {
  switch (event.type) {
    case 'step.started':
      return event.request.user === null ? [] : [event.request.user]
    case 'calls.asked':
    case 'node.waiting':
    case 'node.completed':
      return unkeptReply(turn)
    case 'node.failed':
      return event.code === REPLY_MISFIT ? unkeptReply(turn) : []
    // Results enter the history in the order of the calls, whichever came back first.
    case 'call.settled': {
      const calls = turn.calls.map(call => (call.id === event.call ? { ...call, settled: event, result: event.result } : call))
      return calls.every(({ settled }) => settled !== null) ? calls.flatMap(({ result }) => result ?? []) : []
    }
    case 'message.taken':
      return turn.left.flatMap(({ id, message }) => (id === event.id ? [message] : []))
    default:
      return []
  }
}

const unkeptReply = ({ step }: Turn): readonly Digest[] => (step === null || step.kept || step.reply === null ? [] : [step.reply])
