// What an event calls for: described work. Never runs in replay, and nothing here does the work.
import type { Digest } from '../digest/digest.ts'
import { type Selection, sameSelection, selectionOf } from './config.ts'
import type { SessionEvent, ToolCall } from './events.ts'
import type { Snapshot } from './snapshot.ts'
import { callInTurn, isAsked, isQuiet, type OpenRun, type SessionState } from './state.ts'

/** What comes back with these is not believed when the session has moved on. */
interface Epochs {
  readonly epoch: number
  readonly stepEpoch: number
}

export type SessionEffect =
  /** Of the session, answered with `settleSync`; of a run, with `settleRunSync`. */
  | {
      readonly type: 'workspace.sync'
      readonly for: { readonly sync: number } | { readonly run: number }
      readonly selection: Selection
      readonly known: Snapshot | null
    }
  | { readonly type: 'run.request' }
  | { readonly type: 'run.start'; readonly run: number }
  | { readonly type: 'step.prepare'; readonly run: number; readonly step: number }
  | ({ readonly type: 'model.call'; readonly run: number; readonly step: number; readonly attempt: number } & Epochs)
  /** Find out what the reply asks for: tools, or nothing more. */
  | { readonly type: 'reply.read'; readonly run: number; readonly step: number; readonly reply: Digest | null }
  | ({
      readonly type: 'tool.call'
      readonly run: number
      readonly batch: number
      readonly call: ToolCall
      readonly again: boolean
    } & Epochs)

/** `state`: with the event in it. */
export function plan(event: SessionEvent, state: SessionState): readonly SessionEffect[] {
  const { run, epoch, stepEpoch } = state
  switch (event.type) {
    case 'workspace.syncRequested':
      return [{ type: 'workspace.sync', for: { sync: event.sync }, selection: event.selection, known: knownTo(state, event.selection) }]

    case 'run.requested':
      if (event.selection === null) return [{ type: 'run.start', run: event.run }]
      return [{ type: 'workspace.sync', for: { run: event.run }, selection: event.selection, known: null }]
    case 'run.snapshotReady':
      return [{ type: 'run.start', run: event.run }]
    case 'run.started':
      return [{ type: 'step.prepare', run: event.run, step: 1 }]
    case 'run.resumed':
      return run === null ? [] : goOn(run)
    case 'run.completed':
      return state.followUps.length === 0 || state.home !== null ? [] : [{ type: 'run.request' }]

    case 'step.started':
      return [{ type: 'model.call', run: event.run, step: event.step, attempt: 1, epoch, stepEpoch }]
    case 'step.retried':
      return [{ type: 'model.call', run: event.run, step: event.step, attempt: event.attempt, epoch, stepEpoch }]
    case 'step.settled':
      return run === null ? [] : goOn(run)
    case 'tool.batchStarted':
      return run === null ? [] : nextCall(state, run)
    case 'approval.resolved':
      // One that was begun before its host stopped may be asked about only then.
      return run === null ? [] : nextCall(state, run, callInTurn(run.batch)?.started === true)
    case 'tool.callSettled':
      // What comes back out of turn calls for nothing: whoever is in turn is being made.
      return run === null || !isBefore(run, event.call) ? [] : nextCall(state, run)
    case 'tool.batchSettled':
      return run === null ? [] : goOn(run)
    default:
      return []
  }
}

const isBefore = ({ batch }: OpenRun, id: string): boolean => {
  const calls = batch?.calls ?? []
  return calls.findIndex(call => call.id === id) < calls.findIndex(({ settled }) => settled === null)
}

/** One call at a time, in the order the model gave. One that a person is asked about waits, and the others behind it. */
export function nextCall({ epoch }: SessionState, { run, batch }: OpenRun, again = false): readonly SessionEffect[] {
  const next = callInTurn(batch)
  if (batch === null || next === null || isAsked(next) || next.started !== again) return []
  const { id, name, arguments: given } = next
  const call = { id, name, arguments: given }
  return [{ type: 'tool.call', run, batch: batch.batch, call, again, epoch, stepEpoch: batch.stepEpoch }]
}

/** From where the run stands, when nothing is on its way. */
export function goOn(run: OpenRun): readonly SessionEffect[] {
  if (run.phase !== 'running' || !isQuiet(run)) return []
  const { step } = run
  if (step === null || step.read) return [{ type: 'step.prepare', run: run.run, step: run.steps + 1 }]
  return [{ type: 'reply.read', run: run.run, step: step.step, reply: step.reply }]
}

/**
 * The snapshot that a sync compares with: the same again is `unchanged`. While one is pending or approved every sync is news, so that a
 * caller can apply it, or overrule what is approved. Another selector is news as well: a pin must reach the session.
 */
export function knownTo({ config, workspace: { pending, approved, active } }: SessionState, wanted: Selection): Snapshot | null {
  return pending === null && approved === null && sameSelection(selectionOf(config), wanted) ? active : null
}
