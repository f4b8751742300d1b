// When a snapshot that somebody asked for takes over. One table (DESIGN, decision 7); nothing else decides this.
import { canonicalJson, type Json } from '../digest/digest.ts'
import type { ApplyWhen, WorkspaceEvent } from './events.ts'
import { type Snapshot, type Staged, unprovenIn } from './snapshot.ts'
import type { SessionState } from './state.ts'

type Outcome = 'applied' | 'approved for run' | 'approved for step' | 'deferred to run'

const OUTCOMES: Readonly<Record<ApplyWhen, { readonly idle: Outcome; readonly open: Outcome }>> = {
  next_run: { idle: 'approved for run', open: 'approved for run' },
  next_step_boundary: { idle: 'applied', open: 'approved for step' },
  immediate_if_idle: { idle: 'applied', open: 'deferred to run' },
}

/** What asking to apply comes to; null when there is nothing to apply. A run that is requested and not started is open. */
export function applyPending({ workspace, run, runs, attached }: SessionState, when: ApplyWhen): readonly WorkspaceEvent[] | null {
  const { approved } = workspace
  if (workspace.pending === null) return null
  const { snapshot, selection } = workspace.pending
  const pending: Staged = { snapshot, selection }
  const untested = unprovenIn(workspace.pending)
  const outcome = OUTCOMES[when][run === null ? 'idle' : 'open']
  const children = when === 'next_step_boundary' ? attached.map(({ session }) => session) : []
  return [
    { type: 'workspace.applyRequested', when, ...(untested.length === 0 ? {} : { untested }) },
    ...(approved === null ? [] : [{ type: 'workspace.superseded' as const, snapshot: approved.snapshot }]),
    outcomeEvent(outcome, pending, runs + 1),
    ...(children.length === 0 ? [] : [{ type: 'workspace.offered' as const, ...pending, sessions: children }]),
  ]
}

function outcomeEvent(outcome: Outcome, pending: Staged, firstRun: number): WorkspaceEvent {
  switch (outcome) {
    case 'applied':
      return { type: 'workspace.applied', ...pending, at: 'now' }
    case 'approved for run':
      return { type: 'workspace.approved', ...pending, at: 'run', firstRun }
    case 'approved for step':
      return { type: 'workspace.approved', ...pending, at: 'step', firstRun }
    case 'deferred to run':
      return { type: 'workspace.deferred', ...pending, at: 'run', firstRun }
  }
}

/** What takes over when the run starts: asked for before it was requested. */
export function dueAtRun({ workspace: { approved } }: SessionState, run: number): readonly WorkspaceEvent[] {
  if (approved === null || approved.at !== 'run' || approved.firstRun > run) return []
  return [{ type: 'workspace.applied', snapshot: approved.snapshot, selection: approved.selection, at: 'run' }]
}

/** What takes over before the next step, the first one included. */
export function dueAtStep({ workspace: { approved } }: SessionState): readonly WorkspaceEvent[] {
  if (approved?.at !== 'step') return []
  return [{ type: 'workspace.applied', snapshot: approved.snapshot, selection: approved.selection, at: 'step' }]
}

/** What is in force for the next step of the run: what waits for it, unless the run has a snapshot of its own. */
export function snapshotAtStep({ run, workspace: { approved } }: SessionState): Snapshot | null {
  if (run === null) return null
  return approved?.at === 'step' && run.selection === null ? approved.snapshot : run.snapshot
}

/** What home offers to a child that has not taken it yet; null when there is nothing. */
export function offerTo({ offered }: SessionState, { session, run, workspace: { approved } }: SessionState): Staged | null {
  if (offered === null || !offered.sessions.includes(session)) return null
  const { snapshot, selection } = offered
  return [run?.snapshot ?? null, approved?.snapshot ?? null].some(known => isSame(known, snapshot)) ? null : { snapshot, selection }
}

const isSame = (one: Snapshot | null, other: Snapshot): boolean =>
  canonicalJson(one as unknown as Json) === canonicalJson(other as unknown as Json)
