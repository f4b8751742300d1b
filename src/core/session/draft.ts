// A decision in the making: each event is folded in at once, so that the next one follows from it. Writes nothing.
import type { Digest } from '../digest/digest.ts'
import { worded } from '../record/free-text.ts'
import type { SessionEvent } from './events.ts'
import { closedPiece, type StoredText } from './history.ts'
import { reduce } from './reduce.ts'
import type { SessionState } from './state.ts'

export interface Draft {
  readonly state: SessionState
  readonly events: readonly SessionEvent[]
  /** To be stored in the same commit: the events speak of them. */
  readonly objects: readonly StoredText[]
}

/** Nobody did anything wrong in asking; it just cannot be. */
export interface Refusal {
  readonly ok: false
  readonly code: SessionRefusal
  readonly message: string
  /** What may be recorded about it. They change nothing. */
  readonly events: readonly SessionEvent[]
}

export type Decided = { readonly ok: true; readonly events: readonly SessionEvent[]; readonly objects: readonly StoredText[] } | Refusal

export type SessionRefusal =
  | 'session_exists'
  | 'session_missing'
  | 'session_is_child'
  | 'session_not_child'
  | 'run_already_active'
  | 'run_missing'
  | 'run_started'
  | 'run_not_running'
  | 'run_not_waiting'
  | 'run_snapshot_missing'
  | 'snapshot_missing'
  | 'run_attached'
  | 'run_not_attached'
  | 'provider_unset'
  | 'provider_not_offered'
  | 'model_unset'
  | 'model_not_offered'
  | 'workspace_unset'
  | 'step_missing'
  | 'step_unsettled'
  | 'message_refs_empty'
  | 'tool_batch_active'
  | 'tool_batch_missing'
  | 'tool_batch_unsettled'
  | 'tool_call_duplicate'
  | 'tool_call_unknown'
  | 'tool_calls_too_many'
  | 'approval_missing'
  | 'approval_not_yours'
  | 'command_duplicate'
  | 'command_not_allowed'
  | 'command_stale'
  | 'lease_missing'
  | 'sync_missing'
  | 'name_invalid'
  | 'nothing_pending'
  | 'pack_untested'

export type Ruling = Draft | { readonly code: SessionRefusal; readonly message: string }

export const draftOf = (state: SessionState): Draft => ({ state, events: [], objects: [] })

export const refuse = (code: SessionRefusal, message: string): Ruling => ({ code, message })

export function emit({ state, events, objects }: Draft, ...added: readonly SessionEvent[]): Draft {
  const said = added.map(worded)
  return { state: said.reduce(reduce, state), events: [...events, ...said], objects }
}

/** The reply of a step becomes a message when the run goes on from it. One that nobody goes on from stays out, with the calls it asks for. */
export function emitReply(draft: Draft): Draft {
  const step = draft.state.run?.step ?? null
  return step === null || step.reply === null || step.told ? draft : emitMessage(draft, step.reply)
}

export function emitMessage(draft: Draft, message: Digest): Draft {
  const closed = closedPiece(draft.state.history, message)
  const next = emit(draft, { type: 'message.appended', message })
  return closed === null ? next : { ...next, objects: [...next.objects, closed] }
}
