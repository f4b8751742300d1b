// A second opinion on graphs, written from spec/run/README.md and sharing nothing with the code: it keeps no state, only what happened, and looks at all of it each time.
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../core/digest/digest.ts'
import type { EdgeCondition, Workflow, WorkflowEdge } from '../../core/workflow/workflow.ts'

export type End = 'completed' | 'failed' | 'cancelled'

export type Moment =
  | { readonly what: 'started'; readonly node: string }
  | { readonly what: 'ended'; readonly node: string; readonly status: End; readonly output: Json }
  | { readonly what: 'cancelled' }
  /** Another node sent it a handoff. */
  | { readonly what: 'sent'; readonly to: string }

/** Moments with the oracle's own marks. `woken`: the node had ended, and starts alone, for a handoff. */
type Seen =
  | Exclude<Moment, { readonly what: 'started' }>
  | { readonly what: 'started'; readonly node: string; readonly woken: boolean }
  | { readonly what: 'skipped'; readonly node: string }
  | { readonly what: 'followed'; readonly edge: string }

export interface Expected {
  /** Nodes that may start now, in no order. */
  readonly start: ReadonlySet<string>
  readonly busy: ReadonlySet<string>
  readonly skipped: ReadonlySet<string>
  readonly followed: readonly string[]
  readonly phase: 'running' | 'cancelling' | 'completed' | 'failed' | 'cancelled'
}

export function expectedIn(workflow: Workflow, history: readonly Moment[]): Expected {
  const seen: Seen[] = []
  const settle = (): void => {
    for (let skip = nextSkip(workflow, seen); skip !== undefined; skip = nextSkip(workflow, seen))
      seen.push({ what: 'skipped', node: skip })
  }
  settle()
  for (const moment of history) {
    const wasEnding = endingOf(workflow, seen) !== null
    seen.push(moment.what === 'started' ? { ...moment, woken: isWoken(workflow, seen, moment.node) } : moment)
    if (moment.what === 'ended' && moment.status === 'completed' && !wasEnding) {
      const edge = workflow.edges.find(
        ({ id, from, to, repeats, condition }) =>
          from === moment.node &&
          repeats !== null &&
          timesFollowed(seen, id) < repeats &&
          statusOf(workflow, seen, to) !== 'skipped' &&
          isTrue(condition, moment),
      )
      if (edge !== undefined) seen.push({ what: 'followed', edge: edge.id })
    }
    settle()
  }
  return summary(workflow, seen)
}

function summary(workflow: Workflow, seen: readonly Seen[]): Expected {
  const ids = workflow.nodes.map(({ id }) => id)
  const having = (status: string): ReadonlySet<string> => new Set(ids.filter(id => statusOf(workflow, seen, id) === status))
  const busy = having('busy')
  const start = new Set(ids.filter(id => mayStart(workflow, seen, id)))
  const followed = seen.flatMap(one => (one.what === 'followed' ? [one.edge] : []))
  const ending = endingOf(workflow, seen)
  const phase = busy.size > 0 ? (ending === null ? 'running' : 'cancelling') : (ending ?? (start.size > 0 ? 'running' : 'completed'))
  return { start, busy, skipped: having('skipped'), followed, phase }
}

/** How the run has to end, by whatever came first. */
function endingOf(workflow: Workflow, seen: readonly Seen[]): 'failed' | 'cancelled' | null {
  for (const moment of seen) {
    if (moment.what === 'cancelled') return 'cancelled'
    if (moment.what !== 'ended' || moment.status !== 'failed') continue
    const caught = leadingOn(workflow).some(
      ({ from, rule, condition }) =>
        from === moment.node && (rule === 'any_failed' || rule === 'all_complete') && isTrue(condition, moment),
    )
    if (!caught) return 'failed'
  }
  return null
}

const timesFollowed = (seen: readonly Seen[], edge: string): number =>
  seen.filter(one => one.what === 'followed' && one.edge === edge).length

const leadingOn = ({ edges }: Workflow): readonly WorkflowEdge[] => edges.filter(({ repeats }) => repeats === null)

/** By node, all that it comes after. */
const before = new WeakMap<Workflow, ReadonlyMap<string, ReadonlySet<string>>>()

function isAfter(workflow: Workflow, node: string, other: string): boolean {
  const known = before.get(workflow) ?? allBefore(workflow)
  before.set(workflow, known)
  return known.get(node)!.has(other)
}

/** As many rounds as there are nodes: no way is longer. */
function allBefore(workflow: Workflow): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map(workflow.nodes.map(({ id }) => [id, new Set<string>()]))
  for (const _ of workflow.nodes)
    for (const { from, to } of leadingOn(workflow)) for (const id of [from, ...all.get(from)!]) all.get(to)!.add(id)
  return all
}

/** Moments before the last restart of a node, or of one that it comes after, do not count for it. */
function sinceAgain(workflow: Workflow, seen: readonly Seen[], node: string): readonly Seen[] {
  const startedBefore = (at: number, of: string): boolean => seen.slice(0, at).some(one => one.what === 'started' && one.node === of)
  const cut = seen.findLastIndex(
    (one, at) => one.what === 'started' && !one.woken && isAfter(workflow, node, one.node) && startedBefore(at, one.node),
  )
  return seen.slice(cut + 1)
}

function statusOf(workflow: Workflow, seen: readonly Seen[], node: string): 'idle' | 'busy' | 'skipped' | End {
  const last = sinceAgain(workflow, seen, node).findLast(one => 'node' in one && one.node === node)
  if (last === undefined) return 'idle'
  return last.what === 'ended' ? last.status : last.what === 'skipped' ? 'skipped' : 'busy'
}

/** An edge led back to it, and it has not begun since. */
function isAwaited(workflow: Workflow, seen: readonly Seen[], node: string): boolean {
  const own = sinceAgain(workflow, seen, node)
  const last = own.findLastIndex(one => one.what === 'followed' && workflow.edges.some(({ id, to }) => id === one.edge && to === node))
  return last >= 0 && !own.slice(last).some(one => one.what === 'started' && one.node === node)
}

const isHeld = (workflow: Workflow, seen: readonly Seen[], node: string): boolean =>
  workflow.nodes.some(({ id }) => isAwaited(workflow, seen, id) && isAfter(workflow, node, id))

function mayStart(workflow: Workflow, seen: readonly Seen[], node: string): boolean {
  if (endingOf(workflow, seen) !== null || isHeld(workflow, seen, node)) return false
  if (!isAwaited(workflow, seen, node)) return isWoken(workflow, seen, node) || (isDue(workflow, seen, node) && isLet(workflow, seen, node))
  const isBusy = (id: string): boolean => statusOf(workflow, seen, id) === 'busy'
  return !isBusy(node) && !workflow.nodes.some(({ id }) => isBusy(id) && isAfter(workflow, id, node))
}

/** The node has ended, and received a handoff after its last start. */
function isWoken(workflow: Workflow, seen: readonly Seen[], node: string): boolean {
  const begun = seen.findLastIndex(one => one.what === 'started' && one.node === node)
  const isWrittenTo = seen.slice(begun + 1).some(one => one.what === 'sent' && one.to === node)
  return isWrittenTo && !isAwaited(workflow, seen, node) && ['completed', 'failed', 'skipped'].includes(statusOf(workflow, seen, node))
}

const nextSkip = (workflow: Workflow, seen: readonly Seen[]): string | undefined =>
  endingOf(workflow, seen) !== null
    ? undefined
    : workflow.nodes.find(({ id }) => !isHeld(workflow, seen, id) && isDue(workflow, seen, id) && !isLet(workflow, seen, id))?.id

/** Nothing has happened to it, and everything right before it is over. */
const isDue = (workflow: Workflow, seen: readonly Seen[], node: string): boolean =>
  statusOf(workflow, seen, node) === 'idle' &&
  leadingOn(workflow).every(({ from, to }) => to !== node || !['idle', 'busy'].includes(statusOf(workflow, seen, from)))

function isLet(workflow: Workflow, seen: readonly Seen[], node: string): boolean {
  if (workflow.nodes.some(({ id, disabled }) => id === node && disabled)) return false
  const edges = leadingOn(workflow).filter(({ to }) => to === node)
  const lets = ({ from, rule, condition }: WorkflowEdge): boolean => {
    const status = statusOf(workflow, seen, from)
    if (status === 'skipped') return rule === 'all_complete' || rule === 'none_failed'
    const end = seen.findLast(one => one.what === 'ended' && one.node === from) as Extract<Moment, { readonly what: 'ended' }>
    const fitting = {
      all_success: 'completed',
      any_success: 'completed',
      none_failed: 'completed',
      any_failed: 'failed',
      all_complete: status,
    }
    return fitting[rule] === status && isTrue(condition, end)
  }
  return (['all_success', 'all_complete', 'none_failed', 'any_success', 'any_failed'] as const).every(rule => {
    const those = edges.filter(edge => edge.rule === rule)
    return rule.startsWith('any') && those.length > 0 ? those.some(lets) : those.every(lets)
  })
}

function isTrue(condition: EdgeCondition | null, { status, output }: { readonly status: string; readonly output: Json }): boolean {
  if (condition === null) return true
  let value: unknown = { status, output }
  for (const step of condition.left.split('.'))
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined
  switch (condition.type) {
    case 'equals':
      return isDeepStrictEqual(value, condition.right)
    case 'notEquals':
      return !isDeepStrictEqual(value, condition.right)
    case 'contains':
      if (typeof value === 'string') return typeof condition.right === 'string' && value.includes(condition.right)
      return Array.isArray(value) && value.some(one => isDeepStrictEqual(one, condition.right))
    case 'truthy':
      return Boolean(value)
    case 'falsy':
      return !value
  }
}
