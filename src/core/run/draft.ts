// A draft of the events of one decision about a run: each event is folded at once, so that the next one follows from it.
// Writes nothing.
import type { Digest } from '../digest/digest.ts'
import { worded } from '../record/free-text.ts'
import type { SessionCommand } from '../session/commands.ts'
import { closedPieces, type StoredText } from '../session/history.ts'
import type { TurnRefusal } from '../turn/draft.ts'
import { messagesAdded } from '../turn/messages.ts'
import type { Turn } from '../turn/state.ts'
import type { RunEvent } from './events.ts'
import { isOfTurn, reduceRun } from './reduce.ts'
import { nodeOf, type RunState } from './state.ts'

/** A command for a session that is recorded in the same commit as the events of the run. */
export interface SessionRecord {
  readonly session: string
  readonly command: SessionCommand
}

export interface RunDraft {
  readonly state: RunState
  readonly events: readonly RunEvent[]
  readonly objects: readonly StoredText[]
  readonly sessions: readonly SessionRecord[]
}

export type RunRefusal =
  | 'run_missing'
  | 'run_exists'
  | 'run_ended'
  | 'run_paused'
  | 'run_not_paused'
  | 'run_cancelling'
  | 'run_mode_changed'
  | 'node_missing'
  | 'node_not_ready'
  | 'node_not_running'
  | TurnRefusal

export type RunRuling = RunDraft | { readonly code: RunRefusal; readonly message: string }

export const refuse = (code: RunRefusal, message: string): RunRuling => ({ code, message })

export const draftRun = (state: RunState): RunDraft => ({ state, events: [], objects: [], sessions: [] })

export const emitRun = (draft: RunDraft, ...added: readonly RunEvent[]): RunDraft => added.map(worded).reduce(emitOne, draft)

function emitOne({ state, events, objects, sessions }: RunDraft, event: RunEvent): RunDraft {
  const { turn, messages } = addedBy(state, event)
  return {
    state: reduceRun(state, event),
    events: [...events, event],
    objects: messages.length === 0 ? objects : [...objects, ...closedPieces(turn!.history, messages)],
    sessions: [...sessions, ...recordsOf(state, event, messages)],
  }
}

/** The messages that the event adds to the history of its turn. */
function addedBy(state: RunState, event: RunEvent): { readonly turn: Turn | null; readonly messages: readonly Digest[] } {
  const turn = 'nodeId' in event && event.nodeId !== null ? nodeOf(state, event.nodeId).turn : null
  return { turn, messages: turn === null || !isOfTurn(event) ? [] : messagesAdded(turn, event) }
}

const ENDS: readonly string[] = ['node.completed', 'node.failed', 'node.cancelled']

function recordsOf(state: RunState, event: RunEvent, messages: readonly Digest[]): readonly SessionRecord[] {
  if (event.type === 'node.started')
    return event.session === null || event.input === null
      ? []
      : [{ session: event.session, command: { type: 'appendMessages', messages: [event.input] } }]
  if (!('nodeId' in event) || event.nodeId === null) return []
  const { nodeId } = event
  const { session, turn } = nodeOf(state, nodeId)
  if (session === null || turn === null) return []
  const records: readonly SessionRecord[] = messages.length === 0 ? [] : [{ session, command: { type: 'appendMessages', messages } }]
  if (!ENDS.includes(event.type)) return records
  return [...records, { session, command: { type: 'detachRun', runId: state.runId, nodeId, left: turn.left } }]
}
