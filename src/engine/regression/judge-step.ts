// Predicts one recorded step under a proposal, and which causes change it: remakes it with all causes, with one alone, and with all but one.
// Asks no model, and writes nothing.
import { type Cause, causeKey } from '../../core/regression/cause.ts'
import type { StepOutcome } from '../../core/regression/tally.ts'
import type { Store } from '../../ports.ts'
import { roleOf } from '../runs/start/frozen.ts'
import { agentOf } from '../turns/task.ts'
import { isSameOutcome, type Outcome, outcomeOf } from './change-of.ts'
import { makeUnder, type StepProposal } from './make-under.ts'
import type { RecordedStep } from './recorded-steps.ts'

interface Answering {
  readonly cause: Cause
  readonly outcome: StepOutcome
  /** The causes that must be in place to see it. */
  readonly placed: readonly Cause[]
}

export interface Judged {
  readonly outcome: StepOutcome
  readonly causes: readonly Answering[]
}

const UNCHANGED: Judged = { outcome: 'unchanged', causes: [] }

/** @param store the record, with what the proposal holds */
export async function judgeStep(store: Store, tenant: string, step: RecordedStep, proposal: StepProposal): Promise<Judged> {
  // A template may change in the library and in the snapshot alike: that is one cause.
  const causes = [...new Map([...proposal.worlds.causes, ...proposal.snapshots.causes].map(cause => [causeKey(cause), cause])).values()]
  const concerning = causes.filter(cause => mayConcern(cause, step))
  if (concerning.length === 0) return UNCHANGED
  const under = onceEach(causes, placed => makeUnder(store, tenant, step, proposal, placed))
  const all = await under(causes)
  const outcome = outcomeOf(step.event, all)
  if (outcome === 'unchanged') return UNCHANGED

  const own = new Map<Cause, Answering>()
  for (const cause of concerning) {
    const made = await under([cause])
    const alone = outcomeOf(step.event, made)
    // A failure that comes only from the missing rest of the proposal is not blamed on this cause.
    if (alone !== 'unchanged' && (made.ok || !all.ok)) own.set(cause, { cause, outcome: alone, placed: [cause] })
  }
  // If the causes that act alone explain the whole change, the others are not tested.
  const owners = [...own.keys()]
  const asked = owners.length > 0 && isSameOutcome(await under(owners), all) ? owners : causes
  const found: Answering[] = []
  for (const cause of asked) {
    const alone = own.get(cause)
    const isEnough = alone !== undefined && (all.ok || alone.outcome === outcome)
    const isNeeded = !isEnough && !isSameOutcome(await under(causes.filter(one => one !== cause)), all)
    if (isNeeded) found.push({ cause, outcome, placed: causes })
    else if (alone !== undefined) found.push(alone)
  }
  if (found.some(one => one.outcome === outcome)) return { outcome, causes: found }
  // Several ways lead there, each by causes that only work together: one of them is named.
  const needed = await leastOf(causes, async placed => outcomeOf(step.event, await under(placed)) === outcome)
  const others = found.filter(({ cause }) => !needed.includes(cause))
  return { outcome, causes: [...others, ...needed.map(cause => ({ cause, outcome, placed: causes }))] }
}

type Under = (placed: readonly Cause[]) => Promise<Outcome>

function onceEach(causes: readonly Cause[], make: Under): Under {
  const cache = new Map<string, Promise<Outcome>>()
  return placed => {
    const key = causes.map(cause => (placed.includes(cause) ? 1 : 0)).join('')
    const made = cache.get(key) ?? make(placed)
    cache.set(key, made)
    return made
  }
}

/** As few as still do it: none of them can be left out. */
async function leastOf(causes: readonly Cause[], isEnough: (placed: readonly Cause[]) => Promise<boolean>): Promise<readonly Cause[]> {
  let left = causes
  for (const cause of causes) {
    const fewer = left.filter(one => one !== cause)
    if (await isEnough(fewer)) left = fewer
  }
  return left
}

/** A template that went into no block, or a role that another node has, changes nothing by itself: which layer speaks does not follow from it. */
function mayConcern({ cause, name }: Cause, { event, frozen }: RecordedStep): boolean {
  if (cause === 'template') return event.prompt.templates.some(({ ref }) => ref.startsWith(`prompt:${name}@`))
  if (cause !== 'role') return true
  const node = frozen.workflow.nodes.find(({ id }) => id === event.nodeId)!
  return roleOf(node, agentOf(frozen, node)) === name
}
