// A draft of the events of one decision about a session: each event is folded at once, so that the next one follows from
// it. Writes nothing.
import { worded } from '../record/free-text.ts'
import type { SessionEvent } from './events.ts'
import type { StoredText } from './history.ts'
import { reduce } from './reduce.ts'
import type { SessionState } from './state.ts'

export interface Draft {
  readonly state: SessionState
  readonly events: readonly SessionEvent[]
  /** Stored in the same commit: the events name them. */
  readonly objects: readonly StoredText[]
}

export interface Refusal {
  readonly ok: false
  readonly code: SessionRefusal
  readonly message: string
  /** Events that record the refusal. They change nothing. */
  readonly events: readonly SessionEvent[]
}

export type Decided = { readonly ok: true; readonly events: readonly SessionEvent[]; readonly objects: readonly StoredText[] } | Refusal

export type SessionRefusal =
  | 'session_exists'
  | 'session_missing'
  | 'run_already_active'
  | 'run_not_attached'
  | 'workspace_unset'
  | 'command_duplicate'
  | 'sync_missing'
  | 'name_invalid'
  | 'nothing_pending'
  | 'pack_untested'

export type Ruling = Draft | { readonly code: SessionRefusal; readonly message: string }

export const draftOf = (state: SessionState): Draft => ({ state, events: [], objects: [] })

export const refuse = (code: SessionRefusal, message: string): Ruling => ({ code, message })

export function emit({ state, events, objects }: Draft, ...added: readonly SessionEvent[]): Draft {
  const safeEvents = added.map(worded)
  return { state: safeEvents.reduce(reduce, state), events: [...events, ...safeEvents], objects }
}
