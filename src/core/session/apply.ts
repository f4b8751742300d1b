// Decides when a requested snapshot becomes active. One table (DESIGN, decision 7); nothing else decides this.
import type { ApplyWhen, WorkspaceEvent } from './events.ts'
import { type Snapshot, type Staged, unprovenIn } from './snapshot.ts'
import type { SessionState } from './state.ts'

type Outcome = 'applied' | 'approved for run' | 'approved for step' | 'deferred to run'

const OUTCOMES: Readonly<Record<ApplyWhen, { readonly idle: Outcome; readonly open: Outcome }>> = {
  next_run: { idle: 'approved for run', open: 'approved for run' },
  next_step_boundary: { idle: 'applied', open: 'approved for step' },
  immediate_if_idle: { idle: 'applied', open: 'deferred to run' },
}

/** The events of a request to apply; null when there is nothing to apply. */
export function applyPending(state: SessionState, when: ApplyWhen): readonly WorkspaceEvent[] | null {
  const { approved } = state.workspace
  if (state.workspace.pending === null) return null
  const { snapshot, selection } = state.workspace.pending
  const pending: Staged = { snapshot, selection }
  const untested = unprovenIn(state.workspace.pending)
  const outcome = OUTCOMES[when][state.open === null ? 'idle' : 'open']
  return [
    { type: 'workspace.applyRequested', when, ...(untested.length === 0 ? {} : { untested }) },
    ...(approved === null ? [] : [{ type: 'workspace.superseded' as const, snapshot: approved.snapshot }]),
    outcomeEvent(outcome, pending, state.runs + 1, when),
  ]
}

function outcomeEvent(outcome: Outcome, pending: Staged, firstRun: number, when: ApplyWhen): WorkspaceEvent {
  switch (outcome) {
    case 'applied':
      return { type: 'workspace.applied', ...pending, at: 'now', ...(when === 'next_step_boundary' ? { reaches: true } : {}) }
    case 'approved for run':
      return { type: 'workspace.approved', ...pending, at: 'run', firstRun }
    case 'approved for step':
      return { type: 'workspace.approved', ...pending, at: 'step', firstRun }
    case 'deferred to run':
      return { type: 'workspace.deferred', ...pending, at: 'run', firstRun }
  }
}

/** The snapshot that becomes active when a run starts: requested before the run was. */
export function dueAtRun({ workspace: { approved } }: SessionState, run: number): readonly WorkspaceEvent[] {
  if (approved === null || approved.at !== 'run' || approved.firstRun > run) return []
  return [{ type: 'workspace.applied', snapshot: approved.snapshot, selection: approved.selection, at: 'run' }]
}

/** The snapshot that becomes active before the next step, the first one included. */
export function dueAtStep({ workspace: { approved } }: SessionState): readonly WorkspaceEvent[] {
  if (approved?.at !== 'step') return []
  return [{ type: 'workspace.applied', snapshot: approved.snapshot, selection: approved.selection, at: 'step', reaches: true }]
}

/** A snapshot that reaches a turn at a step, with the number of its apply. */
export interface AdoptedSnapshot {
  readonly snapshot: Snapshot
  readonly apply: number
}

/**
 * The snapshot that a turn adopts at its next step; null when it continues with its own.
 * @param home the session, before the step is recorded there
 * @param isOwn whether the turn works in this session: then a snapshot that waits for its step is applied with it
 */
export function adoptedAtStep(home: SessionState, turn: { readonly apply: number }, isOwn: boolean): AdoptedSnapshot | null {
  const { applies, reaching } = home.workspace
  const [due] = isOwn ? dueAtStep(home) : []
  if (due?.type === 'workspace.applied') return { snapshot: due.snapshot, apply: applies + 1 }
  return reaching !== null && reaching.apply > turn.apply ? reaching : null
}
