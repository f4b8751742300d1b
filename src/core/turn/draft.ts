// A draft of the events of one decision about a turn: each event is folded at once, so that the next one follows from it.
// Writes nothing.
import { worded } from '../record/free-text.ts'
import type { Failure } from '../session/events.ts'
import type { StoredText } from '../session/history.ts'
import type { TurnEvent } from './events.ts'
import { reduceTurn } from './reduce.ts'
import type { Turn } from './state.ts'

/** How a turn ends. The graph decides the consequences. */
export type TurnEnd = { readonly status: 'completed' | 'cancelled' } | ({ readonly status: 'failed' } & Failure)

export interface TurnDraft {
  readonly nodeId: string
  readonly turn: Turn
  readonly events: readonly TurnEvent[]
  /** The history that a step names, where it is not stored yet. The run stores the pieces that events close. */
  readonly objects: readonly StoredText[]
  readonly end: TurnEnd | null
}

export type TurnRefusal =
  | 'run_not_running'
  | 'run_not_waiting'
  | 'provider_unset'
  | 'model_unset'
  | 'message_refs_empty'
  | 'step_missing'
  | 'step_unsettled'
  | 'tool_batch_unsettled'
  | 'tool_call_unknown'
  | 'approval_missing'
  | 'approval_not_yours'
  | 'command_duplicate'

export type TurnRuling = TurnDraft | { readonly code: TurnRefusal; readonly message: string }

export const refuse = (code: TurnRefusal, message: string): TurnRuling => ({ code, message })

export const draftTurn = (nodeId: string, turn: Turn): TurnDraft => ({ nodeId, turn, events: [], objects: [], end: null })

/** An event without its node: the draft knows which one it is. */
type Unplaced<E> = E extends { readonly nodeId: string } ? Omit<E, 'nodeId'> : never

export function emit(draft: TurnDraft, unplaced: Unplaced<TurnEvent>): TurnDraft {
  const event = worded({ ...unplaced, nodeId: draft.nodeId } as TurnEvent)
  return { ...draft, turn: reduceTurn(draft.turn, event), events: [...draft.events, event] }
}

export const ended = (draft: TurnDraft, end: TurnEnd): TurnDraft => ({ ...draft, end })
