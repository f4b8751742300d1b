// Folds events into the state of a turn. The only writer of that state. Total: an event that does not fit leaves the state unchanged.
import { appendMessage } from '../session/history.ts'
import { type MessageEvent, messagesAdded, REPLY_MISFIT } from './messages.ts'
import type { OpenCall, OpenStep, Turn } from './state.ts'

export function reduceTurn(turn: Turn, event: MessageEvent): Turn {
  const added = messagesAdded(turn, event)
  const next = reduced(turn, event)
  return added.length === 0 ? next : { ...next, history: added.reduce(appendMessage, turn.history) }
}

function reduced(turn: Turn, event: MessageEvent): Turn {
  const { step } = turn
  switch (event.type) {
    case 'step.started': {
      const { snapshot, apply = turn.apply } = event
      const fresh = { step: event.step, attempt: 1, request: event.request, settled: false, reply: null, kept: false }
      return { ...turn, snapshot, apply, steps: event.step, calls: [], step: { ...fresh, failure: null, misfit: null } }
    }
    case 'step.retried':
      return withStep(turn, { attempt: event.attempt })
    case 'step.settled':
      return withStep(turn, { settled: true, reply: event.reply, failure: event.failure, misfit: event.misfit ?? null })
    case 'calls.asked':
      return { ...withStep(turn, { kept: true }), calls: event.calls.map(call => ({ ...call, ...UNMADE })) }
    case 'call.judged':
      return event.verdict.decision === 'allowed' ? withCall(turn, event.call, () => ({ started: true })) : turn
    case 'call.settled': {
      const { type: _, nodeId: __, call, tool: ___, arguments: ____, result, resultHash: _____, ...settled } = event
      return withCall(turn, call, () => ({ settled, result }))
    }
    case 'approval.requested': {
      const { approval, wants } = event
      if (wants.kind !== 'tool') return turn
      const open = { ...wants, approval, decision: null, answeredBy: null, note: null, changed: null }
      return withCall(turn, wants.call, () => ({ approval: open }))
    }
    case 'approval.resolved': {
      const { approval, decision, answeredBy, note, arguments: changed } = event
      const match = turn.calls.find(call => call.approval?.approval === approval)
      if (match === undefined) return turn
      return withCall(turn, match.id, () => ({ approval: { ...match.approval!, decision, answeredBy, note, changed } }))
    }
    case 'message.received':
      return { ...turn, left: [...turn.left, event.message] }
    case 'message.taken': {
      const at = turn.left.findIndex(({ id }) => id === event.id)
      return at < 0 ? turn : { ...turn, left: turn.left.toSpliced(at, 1) }
    }
    case 'node.waiting':
      return { ...turn, phase: 'waiting', step: step === null ? null : { ...step, kept: true } }
    case 'node.resumed':
      return { ...turn, phase: 'running' }
    case 'node.completed':
      return withStep(turn, { kept: true })
    case 'node.failed':
      return event.code === REPLY_MISFIT ? withStep(turn, { kept: true }) : turn
    default:
      return turn
  }
}

const UNMADE = { approval: null, started: false, settled: null, result: null } as const

const withStep = (turn: Turn, change: Partial<OpenStep>): Turn =>
  turn.step === null ? turn : { ...turn, step: { ...turn.step, ...change } }

const withCall = (turn: Turn, id: string, change: (call: OpenCall) => Partial<OpenCall>): Turn => ({
  ...turn,
  calls: turn.calls.map(call => (call.id === id ? { ...call, ...change(call) } : call)),
})
