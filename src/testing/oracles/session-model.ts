// A second opinion on sessions, as tables: written from the fact sheet (§6, §7) and decisions 4 to 10 and 19. It shares no code with src/core/session.

export type Boundary = 'run' | 'step'

export interface SessionModel {
  /** Whether a run works in the session. */
  readonly isOpen: boolean
  /** How many runs were attached or refused. */
  readonly runs: number
  /** Whether the newest run was refused. */
  readonly isRefused: boolean
  /** Versions of the workspace; 0 for none. */
  readonly active: number
  readonly pending: number
  readonly approved: number
  /** The boundary that the approved version waits for. */
  readonly at: Boundary | null
  /** The version that nodes at work take at their next step. */
  readonly reaching: number
  readonly versions: number
  /** Ids of the messages that were left, in order of arrival. */
  readonly left: readonly string[]
  readonly messages: number
}

export const firstSession: SessionModel = {
  isOpen: false,
  runs: 0,
  isRefused: false,
  active: 0,
  pending: 0,
  approved: 0,
  at: null,
  reaching: 0,
  versions: 0,
  left: [],
  messages: 0,
}

/** action | a run is attached | result: a rule below, = for no change here, or !refusal. The first line that fits is the answer. */
const LIFECYCLE = `
attach      | idle | attached
attach      | open | !run_already_active
detach      | open | detached
detach      | idle | !run_not_attached
detachRun2  | *    | !run_not_attached
detachNode2 | *    | !run_not_attached
begin       | *    | begun
refuse      | *    | refused
reachOwn    | *    | reached
reachOther  | *    | =
configure   | *    | =
append      | *    | appended
create      | *    | !session_exists
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
const LEAVE_ACTIONS = ['leave:1', 'leave:2']
export const ACTIONS: readonly string[] = [
  ...new Set(LIFECYCLE_ROWS.map(([action]) => action!)),
  ...LEAVE_ACTIONS,
  ...SYNC_ACTIONS,
  ...APPLY_ACTIONS,
]

export interface Predicted {
  readonly refused: string | null
  readonly next: SessionModel
  /** The workspace outcomes, in order. */
  readonly outcomes: readonly string[]
}

const accepted = (next: SessionModel, ...outcomes: readonly string[]): Predicted => ({ refused: null, next, outcomes })
const refusal = (next: SessionModel, refused: string): Predicted => ({ refused, next, outcomes: [] })

export function predict(model: SessionModel, action: string): Predicted {
  if (APPLY_ACTIONS.includes(action)) return predictApply(model, action)
  if (SYNC_ACTIONS.includes(action)) return predictSync(model, action)
  if (LEAVE_ACTIONS.includes(action)) return predictLeave(model, action)
  const row = LIFECYCLE_ROWS.find(([name, cell]) => name === action && fits(cell!, model.isOpen ? 'open' : 'idle'))!
  const result = row[2]!
  if (result.startsWith('!')) return refusal(model, result.slice(1))
  switch (result) {
    case 'attached': {
      const { next, outcomes } = atBoundary(model, 'run')
      return accepted({ ...next, isOpen: true, runs: next.runs + 1, isRefused: false, left: [] }, ...outcomes)
    }
    case 'detached':
      // A version that waited for a step waits for the next run. A message that the run did not take is left again.
      return accepted({ ...model, isOpen: false, at: model.at === null ? null : 'run', left: [...model.left, 'returned'] })
    case 'begun':
      return atBoundary(model, 'run')
    case 'reached':
      return atBoundary(model, 'step')
    case 'refused':
      return accepted({ ...model, runs: model.runs + 1, isRefused: true })
    case 'appended':
      return accepted({ ...model, messages: model.messages + 2 })
    default:
      return accepted(model)
  }
}

function atBoundary(model: SessionModel, boundary: Boundary): Predicted {
  if (model.at !== boundary) return accepted(model)
  const reaching = boundary === 'step' ? model.approved : model.reaching
  return accepted({ ...model, active: model.approved, approved: 0, at: null, reaching }, 'applied')
}

function predictLeave(model: SessionModel, id: string): Predicted {
  if (model.isOpen) return refusal(model, 'run_already_active')
  return model.left.includes(id) ? refusal(model, 'command_duplicate') : accepted({ ...model, left: [...model.left, id] })
}

function predictApply(model: SessionModel, when: string): Predicted {
  const isOpen = model.isOpen ? 'open' : 'idle'
  const row = APPLY_ROWS.find(cells => cells[0] === when && fits(cells[1]!, isOpen) && cells[2] === (model.pending === 0 ? 'no' : 'yes'))!
  const [outcome, at = null] = row[3]!.split(' ')
  if (outcome === 'refused') return refusal(model, 'nothing_pending')
  const outcomes = [...(model.approved === 0 ? [] : ['superseded']), outcome!]
  const taken = { ...model, pending: 0, approved: 0, at: null }
  if (outcome !== 'applied') return accepted({ ...taken, approved: model.pending, at: at as Boundary }, ...outcomes)
  const reaching = when === 'next_step_boundary' ? model.pending : model.reaching
  return accepted({ ...taken, active: model.pending, reaching }, ...outcomes)
}

/** A sync never moves the active or the approved version. The same content again is unchanged, unless another version waits. */
function predictSync(model: SessionModel, action: string): Predicted {
  const known = model.pending !== 0 || model.approved !== 0 ? 0 : model.active
  if (action === 'syncFailed' || action === 'syncForeign') return accepted(model, 'syncFailed')
  const versions = model.versions + 1
  if (action === 'syncSame' && known !== 0) return accepted({ ...model, versions }, 'syncUnchanged')
  return accepted({ ...model, versions, pending: versions }, 'snapshotReady')
}
