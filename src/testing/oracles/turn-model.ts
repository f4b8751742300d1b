// A second opinion on turns, as tables: written from docs/decisions/0019 and the fact sheet. It shares no code with src/core/turn.

export type Ending = 'completed' | 'failed' | 'cancelled'
/** The work under way: none yet, a model call, none after one, tool calls, none after those. */
export type Work = 'fresh' | 'step' | 'rest' | 'calls' | 'done'
/** `approved` and `denied`: a person has answered. `settled`: the call has an outcome. */
export type CallState = 'asked' | 'waiting' | 'approved' | 'denied' | 'started' | 'settled'

export interface TurnModel {
  readonly phase: 'running' | 'waiting' | 'cancelling' | Ending
  readonly work: Work
  readonly interactive: boolean
  readonly step: number
  /** Whether the last reply must fit its schema and does not. */
  readonly misfit: boolean
  readonly calls: readonly CallState[]
  /** The ids of messages that wait, in order of arrival. The kind is the first part of the id. */
  readonly left: readonly string[]
  readonly history: readonly string[]
}

export const firstTurn = (interactive: boolean): TurnModel => ({
  phase: 'running',
  work: 'fresh',
  interactive,
  step: 0,
  misfit: false,
  calls: [],
  left: [],
  history: [],
})

/** action | phases | works | result: a work, an end, a rule below, or !refusal. The first line that fits is the answer. */
const LIFECYCLE = `
startStep | running         | fresh rest done | step
startStep | running         | step            | !step_unsettled
startStep | running         | calls           | !tool_batch_unsettled
startStep | *               | *               | !run_not_running
skipStep  | running         | *               | !step_missing
skipStep  | *               | *               | !run_not_running
retryStep | cancelling      | *               | !run_not_running
retryStep | *               | step            | =
retryStep | *               | *               | !step_missing
reply     | cancelling      | step            | cancelled
reply     | *               | step            | goOn
reply     | *               | *               | !step_missing
mail      | cancelling      | step            | cancelled
mail      | *               | step            | goOn
mail      | *               | *               | !step_missing
misfit    | cancelling      | step            | cancelled
misfit    | *               | step            | goOn
misfit    | *               | *               | !step_missing
calls     | cancelling      | step            | cancelled
calls     | *               | step            | calls
calls     | *               | *               | !step_missing
tooMany   | cancelling      | step            | cancelled
tooMany   | *               | step            | failed
tooMany   | *               | *               | !step_missing
noReply   | cancelling      | step            | cancelled
noReply   | *               | step            | unlessInterrupted
noReply   | *               | *               | !step_missing
lost      | cancelling      | step            | cancelled
lost      | *               | step            | rest
lost      | *               | *               | !step_missing
lateReply | *               | *               | !step_missing
complete  | cancelling      | *               | !run_not_running
complete  | *               | step            | !step_unsettled
complete  | *               | calls           | !tool_batch_unsettled
complete  | *               | *               | end
fail      | *               | calls           | !tool_batch_unsettled
fail      | *               | *               | failed
cancel    | *               | step calls      | cancelling
cancel    | *               | *               | cancelled
`

/** action | phases | state of the call, `none` where the reply has no such call | result. */
const CALLS = `
judge      | cancelling | asked waiting approved denied started settled | !tool_call_unknown
judge      | *          | asked approved denied         | started
judge      | *          | *                             | !tool_call_unknown
judgeAgain | cancelling | asked waiting approved denied started settled | !tool_call_unknown
judgeAgain | *          | asked approved denied started | started
judgeAgain | *          | *                             | !tool_call_unknown
refuse     | cancelling | asked waiting approved denied started settled | !tool_call_unknown
refuse     | *          | asked approved denied         | =
refuse     | *          | *                             | !tool_call_unknown
ask        | cancelling | asked waiting approved denied started settled | !tool_call_unknown
ask        | *          | asked                         | waiting
ask        | *          | approved denied               | =
ask        | *          | *                             | !tool_call_unknown
approve    | *          | waiting                       | approved
approve    | *          | *                             | !approval_missing
deny       | *          | waiting                       | denied
deny       | *          | *                             | !approval_missing
expire     | *          | waiting                       | denied
expire     | *          | *                             | !approval_missing
stranger   | *          | waiting                       | !approval_not_yours
stranger   | *          | *                             | !approval_missing
settle     | *          | none                          | !tool_call_unknown
settle     | *          | *                             | settled
`

const rows = (table: string): readonly (readonly string[])[] =>
  table
    .trim()
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim()))

const LIFECYCLE_ROWS = rows(LIFECYCLE)
const CALL_ROWS = rows(CALLS)
const fits = (cell: string, value: string): boolean => cell === '*' || cell.split(' ').includes(value)
const named = (table: readonly (readonly string[])[]): readonly string[] => [...new Set(table.map(([action]) => action!))]

/** A reply with calls asks for these two. */
export const CALL_IDS = ['a', 'b'] as const
const KINDS = ['interrupt', 'steer', 'follow-up'] as const
const callActions = named(CALL_ROWS).flatMap(action => [...CALL_IDS, 'z'].map(id => `${action}:${id}`))
/** One message of each kind is enough to tell situations apart. */
export const ACTIONS: readonly string[] = [...named(LIFECYCLE_ROWS), ...callActions, ...KINDS.map(kind => `leave:${kind}/1`)]
export const WALK_ACTIONS: readonly string[] = [...ACTIONS, ...KINDS.flatMap(kind => [`leave:${kind}/2`, `leave:${kind}/3`])]

export interface Predicted {
  readonly refused: string | null
  readonly next: TurnModel
}

export const isOver = ({ phase }: TurnModel): boolean => phase === 'completed' || phase === 'failed' || phase === 'cancelled'

export function predict(model: TurnModel, action: string): Predicted {
  const [name, on] = action.split(':') as [string, string | undefined]
  if (name === 'leave') return predictLeave(model, on!)
  if (on !== undefined) return predictCall(model, name, on)
  const row = LIFECYCLE_ROWS.find(([one, phases, works]) => one === name && fits(phases!, model.phase) && fits(works!, model.work))!
  const result = row[3]!
  return result.startsWith('!') ? { refused: result.slice(1), next: model } : { refused: null, next: follow(model, name, result) }
}

function follow(model: TurnModel, action: string, result: string): TurnModel {
  const reply = `reply ${model.step}`
  switch (result) {
    case '=':
      return model
    case 'completed':
    case 'failed':
    case 'cancelled':
      return { ...model, phase: result }
    case 'cancelling':
      return { ...model, phase: 'cancelling', calls: model.calls.map(call => (call === 'waiting' ? 'denied' : call)) }
    case 'step':
      return startStep(model)
    case 'calls':
      return { ...model, work: 'calls', calls: CALL_IDS.map(() => 'asked'), history: [...model.history, reply] }
    case 'rest':
      return { ...model, work: 'rest' }
    case 'unlessInterrupted':
      return ofKind(model, 'interrupt').length > 0 ? { ...model, work: 'rest' } : { ...model, work: 'rest', phase: 'failed' }
    case 'end':
      return { ...model, phase: model.misfit ? 'failed' : 'completed' }
    default:
      return goOn({ ...model, work: 'rest', misfit: action === 'misfit', history: [...model.history, reply] }, action === 'mail')
  }
}

const ofKind = ({ left }: TurnModel, kind: string): readonly string[] => left.filter(id => id.startsWith(kind))

const take = (model: TurnModel, ids: readonly string[]): TurnModel => ({
  ...model,
  left: model.left.filter(id => !ids.includes(id)),
  history: [...model.history, ...ids],
})

/** All interrupts, one steer, and then the user message of the step. */
function startStep(model: TurnModel): TurnModel {
  const ready = take(model, [...ofKind(model, 'interrupt'), ...ofKind(model, 'steer').slice(0, 1)])
  const step = model.step + 1
  return { ...ready, step, work: 'step', misfit: false, calls: [], history: [...ready.history, `user ${step}`] }
}

/** After a reply that asks for nothing: to messages that wait, to mail of other nodes, to wait for a message, or to the end. */
function goOn(model: TurnModel, hasMail: boolean): TurnModel {
  const interrupts = ofKind(model, 'interrupt')
  const input = interrupts.length > 0 ? interrupts : ofKind(model, 'follow-up').slice(0, 1)
  if (input.length > 0) return { ...take(model, input), phase: 'running' }
  if (hasMail) return model
  if (model.interactive) return { ...model, phase: 'waiting' }
  return { ...model, phase: model.misfit ? 'failed' : 'completed' }
}

function predictLeave(model: TurnModel, id: string): Predicted {
  if (model.left.includes(id)) return { refused: 'command_duplicate', next: model }
  const next = { ...model, left: [...model.left, id] }
  const isTaken = model.phase === 'waiting' && !id.startsWith('steer')
  return { refused: null, next: isTaken ? { ...take(next, [id]), phase: 'running' } : next }
}

function predictCall(model: TurnModel, action: string, id: string): Predicted {
  const at = CALL_IDS.indexOf(id as 'a')
  const state = model.calls[at] ?? 'none'
  const row = CALL_ROWS.find(([one, phases, states]) => one === action && fits(phases!, model.phase) && fits(states!, state))!
  const result = row[3]!
  if (result.startsWith('!')) return { refused: result.slice(1), next: model }
  if (result === '=' || result === state) return { refused: null, next: model }
  const moved = { ...model, calls: model.calls.with(at, result as CallState) }
  return { refused: null, next: moved.calls.every(call => call === 'settled') ? allBack(moved) : moved }
}

/** Results enter the history when the last call is back, in the order of the reply. */
const allBack = (model: TurnModel): TurnModel => ({
  ...model,
  work: 'done',
  phase: model.phase === 'cancelling' ? 'cancelled' : model.phase,
  history: [...model.history, ...CALL_IDS.map(id => `result ${model.step} ${id}`)],
})

/** The one piece of work that the turn calls for. */
export function workOf({ phase, work, calls, step }: TurnModel): string {
  if (work === 'step') return `model ${step}`
  const next = calls.findIndex(call => call !== 'settled')
  if (next >= 0) return calls[next] === 'waiting' ? 'none' : `tool ${CALL_IDS[next]}`
  return phase === 'running' ? `prepare ${step + 1}` : 'none'
}
