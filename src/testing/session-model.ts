// A second opinion on sessions, as tables: written from the fact sheet (§6, §7) and decisions 4 to 10 before the code was, and sharing nothing with it.

/** `held`: paused while it waited. */
export type Phase = 'none' | 'requested' | 'running' | 'waiting' | 'paused' | 'held' | 'cancelling'
/** What the open run is busy with: nothing yet, a model call, nothing after one, tool calls, nothing after those. */
export type Work = 'fresh' | 'step' | 'rest' | 'batch' | 'done'
export type Boundary = 'run' | 'step'

export interface Model {
  readonly phase: Phase
  readonly work: Work
  readonly ended: 'never' | 'completed' | 'failed' | 'cancelled'
  readonly active: number
  readonly pending: number
  readonly approved: number
  readonly at: Boundary | null
  /** Whether what is approved may be taken by the run that is open but not started. */
  readonly approvedBefore: boolean
  readonly versions: number
}

export const firstModel: Model = {
  phase: 'none',
  work: 'fresh',
  ended: 'never',
  active: 0,
  pending: 0,
  approved: 0,
  at: null,
  approvedBefore: true,
  versions: 0,
}

/** action | phases | works | what comes of it: a phase, `phase work`, an end, or !refusal. The first line that fits is the answer. */
const LIFECYCLE = `
requestRun    | none                   | *               | requested fresh
requestRun    | *                      | *               | !run_already_active
requestBadRun | none                   | *               | !provider_unset
requestBadRun | *                      | *               | !run_already_active
startRun      | none                   | *               | !run_missing
startRun      | requested              | *               | running fresh
startRun      | *                      | *               | !run_started
startStep     | none                   | *               | !run_missing
startStep     | running                | fresh rest done | running step
startStep     | running                | step            | !step_unsettled
startStep     | running                | batch           | !tool_batch_unsettled
startStep     | *                      | *               | !run_not_running
settleStep    | none                   | *               | !run_missing
settleStep    | cancelling             | step            | cancelled
settleStep    | running paused         | step            | = rest
settleStep    | *                      | *               | !step_missing
retryStep     | none                   | *               | !run_missing
retryStep     | running paused         | step            | =
retryStep     | running paused held    | *               | !step_missing
retryStep     | *                      | *               | !run_not_running
startBatch    | none                   | *               | !run_missing
startBatch    | running                | rest done       | running batch
startBatch    | running                | fresh           | !step_missing
startBatch    | running                | step            | !step_unsettled
startBatch    | running                | batch           | !tool_batch_active
startBatch    | *                      | *               | !run_not_running
settleCall    | none                   | *               | !run_missing
settleCall    | cancelling             | batch           | cancelled
settleCall    | running paused         | batch           | = done
settleCall    | running paused waiting held | done       | =
settleCall    | *                      | *               | !tool_batch_missing
awaitInput    | none                   | *               | !run_missing
awaitInput    | running                | fresh rest done | waiting
awaitInput    | running                | step            | !step_unsettled
awaitInput    | running                | batch           | !tool_batch_unsettled
awaitInput    | *                      | *               | !run_not_running
provideInput  | none                   | *               | !run_missing
provideInput  | waiting                | *               | running
provideInput  | *                      | *               | !run_not_waiting
pause         | running                | *               | paused
pause         | waiting                | *               | held
pause         | *                      | *               | !command_not_allowed
resume        | paused                 | *               | running
resume        | held                   | *               | waiting
resume        | *                      | *               | !command_not_allowed
cancel        | running paused         | step batch      | cancelling
cancel        | none cancelling        | *               | !command_not_allowed
cancel        | *                      | *               | cancelled
expireLease   | none cancelling        | *               | =
expireLease   | running paused         | step batch      | cancelling
expireLease   | *                      | *               | cancelled
completeRun   | none                   | *               | !run_missing
completeRun   | waiting                | *               | completed
completeRun   | running                | step            | !step_unsettled
completeRun   | running                | batch           | !tool_batch_unsettled
completeRun   | running                | *               | completed
completeRun   | *                      | *               | !run_not_running
failRun       | none                   | *               | !run_missing
failRun       | running                | batch           | !tool_batch_unsettled
failRun       | requested running waiting | *            | failed
failRun       | *                      | *               | !run_not_running
configure     | *                      | *               | =
steer         | *                      | *               | =
`

/** Decision 7: when | a run is open | something pending | outcome. */
const APPLY = `
next_run           | *    | no  | refused
next_step_boundary | *    | no  | refused
immediate_if_idle  | *    | no  | refused
next_run           | idle | yes | approved run
next_step_boundary | idle | yes | applied
immediate_if_idle  | idle | yes | applied
next_run           | open | yes | approved run
next_step_boundary | open | yes | approved step
immediate_if_idle  | open | yes | deferred run
`

const rows = (table: string): readonly (readonly string[])[] =>
  table
    .trim()
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim()))

const LIFECYCLE_ROWS = rows(LIFECYCLE)
const APPLY_ROWS = rows(APPLY)
const fits = (cell: string, value: string): boolean => cell === '*' || cell.split(' ').includes(value)

export const APPLY_ACTIONS = ['next_run', 'next_step_boundary', 'immediate_if_idle']
export const SYNC_ACTIONS = ['syncReady', 'syncSame', 'syncFailed', 'syncForeign']
export const ACTIONS: readonly string[] = [...new Set(LIFECYCLE_ROWS.map(([action]) => action!)), ...SYNC_ACTIONS, ...APPLY_ACTIONS]

export type Predicted =
  | { readonly refused: string; readonly next: Model }
  /** `outcomes`: of the workspace, in order. */
  | { readonly refused: null; readonly next: Model; readonly outcomes: readonly string[] }

export function predict(model: Model, action: string): Predicted {
  if (APPLY_ACTIONS.includes(action)) return predictApply(model, action)
  if (SYNC_ACTIONS.includes(action)) return predictSync(model, action)
  const row = LIFECYCLE_ROWS.find(([name, phases, works]) => name === action && fits(phases!, model.phase) && fits(works!, model.work))!
  const result = row[3]!
  if (result.startsWith('!')) return { refused: result.slice(1), next: model }
  if (['completed', 'failed', 'cancelled'].includes(result))
    return { refused: null, next: end(model, result as Model['ended']), outcomes: [] }
  const [phase = '=', work = model.work] = result.split(' ')
  const moved: Model = { ...model, phase: phase === '=' ? model.phase : (phase as Phase), work: work as Work }
  return atBoundary(action, action === 'requestRun' ? { ...moved, approvedBefore: true } : moved)
}

/** What waited for a step of a run that is over waits for the next run. */
const end = (model: Model, ended: Model['ended']): Model => ({
  ...model,
  phase: 'none',
  work: 'fresh',
  ended,
  at: model.at === null ? null : 'run',
  approvedBefore: true,
})

function atBoundary(action: string, model: Model): Predicted {
  const due = (action === 'startRun' && model.at === 'run' && model.approvedBefore) || (action === 'startStep' && model.at === 'step')
  if (!due) return { refused: null, next: model, outcomes: [] }
  return { refused: null, next: { ...model, active: model.approved, approved: 0, at: null }, outcomes: ['applied'] }
}

function predictApply(model: Model, when: string): Predicted {
  const open = model.phase === 'none' ? 'idle' : 'open'
  const row = APPLY_ROWS.find(cells => cells[0] === when && fits(cells[1]!, open) && cells[2] === (model.pending === 0 ? 'no' : 'yes'))!
  const [outcome, at = null] = row[3]!.split(' ')
  if (outcome === 'refused') return { refused: 'nothing_pending', next: model }
  const outcomes = [...(model.approved === 0 ? [] : ['superseded']), outcome!]
  const taken = { ...model, pending: 0, approved: 0, at: null }
  if (outcome === 'applied') return { refused: null, next: { ...taken, active: model.pending }, outcomes }
  const next = { ...taken, approved: model.pending, at: at as Boundary, approvedBefore: open === 'idle' }
  return { refused: null, next, outcomes }
}

/** Never moves what is active or approved. The same content again is no news unless something else waits to take over. */
function predictSync(model: Model, action: string): Predicted {
  const held = model.pending !== 0 || model.approved !== 0 ? 0 : model.active
  if (action === 'syncFailed' || action === 'syncForeign') return { refused: null, next: model, outcomes: ['syncFailed'] }
  const versions = model.versions + 1
  if (action === 'syncSame' && held !== 0) return { refused: null, next: { ...model, versions }, outcomes: ['syncUnchanged'] }
  return { refused: null, next: { ...model, versions, pending: versions }, outcomes: ['snapshotReady'] }
}
