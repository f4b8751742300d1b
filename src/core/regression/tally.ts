// Counts the effects of a proposal on recorded prompts: by cause, with a few examples of each. Keeps nothing of a counted run.
import { type Cause, causeKey, inCauseOrder, type PromptChange } from './cause.ts'

/**
 * The effect on a step. `gone`: its node would be missing or disabled. `untold`: the record lacks the source of its tools.
 */
export type StepOutcome = 'unchanged' | 'untold' | 'changed' | 'gone' | 'failing'

export interface StepVerdict {
  readonly outcome: StepOutcome
  readonly causes: readonly {
    readonly cause: Cause
    readonly outcome: StepOutcome
    /** The change with that cause alone, or with all causes when it does nothing alone; null when no further example is wanted. */
    readonly change: PromptChange | null
  }[]
}

export interface JudgedStep {
  readonly nodeId: string
  readonly visit: number
  readonly step: number
  readonly verdict: StepVerdict
}

export interface Example extends PromptChange {
  readonly runId: string
  readonly nodeId: string
  readonly visit: number
  readonly step: number
}

export interface CauseCount extends Cause {
  readonly runs: number
  readonly prompts: number
  /** Counts of prompts that could not be composed, whose node is gone, and that the record cannot decide. */
  readonly failing: number
  readonly gone: number
  readonly untold: number
  readonly examples: readonly Example[]
}

export interface UnsoundRun {
  readonly runId: string
  readonly problem: string
}

export interface Tally {
  /** Those that were compared. */
  readonly runs: number
  readonly prompts: number
  readonly unchanged: number
  readonly changed: number
  readonly failing: number
  readonly gone: number
  readonly untold: number
  /** Runs that differ from their record: their prompts are not counted. */
  readonly unsound: number
  /** The first of them. */
  readonly unsoundRuns: readonly UnsoundRun[]
  /** Ordered: causes that make steps fail, causes that remove steps, then causes that change most. */
  readonly causes: readonly CauseCount[]
}

export interface Tallying {
  /** Whether it needs more examples of a cause. @param coming how many it will get before the next question */
  wants(cause: Cause, coming?: number): boolean
  addRun(runId: string, steps: readonly JudgedStep[]): void
  addUnsound(run: UnsoundRun): void
  tally(): Tally
}

const MOST_EXAMPLES = 3
const MOST_UNSOUND = 100

export function tallying(): Tallying {
  const counts = { runs: 0, prompts: 0, unchanged: 0, changed: 0, failing: 0, gone: 0, untold: 0, unsound: 0 }
  const unsoundRuns: UnsoundRun[] = []
  const causes = new Map<string, CauseCount>()

  const wants = (cause: Cause, coming = 0): boolean => (causes.get(causeKey(cause))?.examples.length ?? 0) + coming < MOST_EXAMPLES

  function addCause(cause: Cause, outcome: StepOutcome, example: Example | null, isNewRun: boolean): void {
    const key = causeKey(cause)
    const tally = causes.get(key) ?? { ...cause, runs: 0, prompts: 0, failing: 0, gone: 0, untold: 0, examples: [] }
    causes.set(key, {
      ...tally,
      runs: tally.runs + (isNewRun ? 1 : 0),
      prompts: tally.prompts + 1,
      failing: tally.failing + (outcome === 'failing' ? 1 : 0),
      gone: tally.gone + (outcome === 'gone' ? 1 : 0),
      untold: tally.untold + (outcome === 'untold' ? 1 : 0),
      examples: example !== null && wants(cause) ? [...tally.examples, example] : tally.examples,
    })
  }

  return {
    wants,
    addRun(runId, steps) {
      counts.runs += 1
      counts.prompts += steps.length
      const seen = new Set<string>()
      for (const { nodeId, visit, step, verdict } of steps) {
        counts[verdict.outcome] += 1
        for (const { cause, outcome, change } of verdict.causes) {
          const key = causeKey(cause)
          addCause(cause, outcome, change === null ? null : { runId, nodeId, visit, step, ...change }, !seen.has(key))
          seen.add(key)
        }
      }
    },
    addUnsound(run) {
      counts.unsound += 1
      if (unsoundRuns.length < MOST_UNSOUND) unsoundRuns.push(run)
    },
    tally: () => ({ ...counts, unsoundRuns, causes: [...causes.values()].sort(inOrder) }),
  }
}

const inOrder = (one: CauseCount, other: CauseCount): number =>
  other.failing - one.failing || other.gone - one.gone || other.prompts - one.prompts || inCauseOrder(one, other)
