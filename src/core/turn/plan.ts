// Plans the next piece of work of a turn, if any. Depends on its state alone, so the plan is the same after a crash.
import { callInTurn, isAsked, isQuiet, type OpenCall, type OpenStep, type Turn } from './state.ts'

export type TurnEffect =
  | { readonly type: 'step.prepare'; readonly step: number }
  | { readonly type: 'model.call'; readonly step: OpenStep }
  | { readonly type: 'tool.call'; readonly step: number; readonly call: OpenCall }

/** Null for a turn that waits: for a person, for input, or for its run to end. */
export function planTurn(turn: Turn): TurnEffect | null {
  const { phase, step, steps } = turn
  if (step !== null && !step.settled) return { type: 'model.call', step }
  const call = callInTurn(turn)
  if (call !== null) return isAsked(call) ? null : { type: 'tool.call', step: steps, call }
  return phase === 'running' && isQuiet(turn) ? { type: 'step.prepare', step: steps + 1 } : null
}

/** Equal for the same piece of work: it is done by one at a time. */
export function effectKey(effect: TurnEffect): string {
  switch (effect.type) {
    case 'step.prepare':
      return `prepare ${effect.step}`
    case 'model.call':
      return `model ${effect.step.step} ${effect.step.attempt}`
    case 'tool.call':
      return `tool ${effect.step} ${effect.call.id} ${effect.call.approval?.decision ?? ''}`
  }
}
