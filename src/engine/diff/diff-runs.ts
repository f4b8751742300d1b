// Folder: Answers what differs between two runs or workspace versions, from events and objects alone. It writes nothing.
// Compares two runs, or two steps of one: decisions first, then texts. Reads events and objects from a store or a run file.
import { type Compared, compareSteps, comparingRuns, type StepFacts, type TextPair, type VisitFacts } from '../../core/diff/compare-runs.ts'
import { bounded, type Differences, MOST_TEXTS, type TextChange } from '../../core/diff/difference.ts'
import type { StepPlace } from '../../core/diff/read-steps.ts'
import { type TextHunk, textHunks } from '../../core/diff/text-hunks.ts'
import type { Digest } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { answerFor } from '../reading/malformed.ts'
import { nodeNotFound } from '../reading/node-not-found.ts'
import { type Pause, pacedStore } from '../reading/paced-store.ts'
import { textAt } from '../replay/texts-of.ts'
import { type GatheredRun, gatherRun } from './run-facts.ts'

/** One run, where it lies. */
export interface RunSide {
  readonly store: Store
  readonly tenant: string
  readonly runId: string
}

const NO_PAUSE: Pause = async () => {}

/** @param nodeId of this node alone */
export const diffRuns = (a: RunSide, b: RunSide, nodeId?: string, pause = NO_PAUSE): Promise<Differences> =>
  answerFor(b.runId, () => runsCompared(a, b, nodeId, pause))

async function runsCompared(a: RunSide, b: RunSide, nodeId: string | undefined, pause: Pause): Promise<Differences> {
  const [one, other] = [await gathered(a, pause), await gathered(b, pause)]
  if (nodeId !== undefined && ![one, other].some(({ run }) => run.visits.some(visit => visit.nodeId === nodeId)))
    throw await nodeNotFound(b.store, b.tenant, b.runId, nodeId, `Neither run has started node ${nodeId}`)
  const comparing = comparingRuns(one.run, other.run, nodeId)
  for (;;) {
    const { done, value } = comparing.next()
    if (done) return told(one, other, value, pause)
    await pause()
  }
}

/** The places of both steps, with their visits. */
export interface StepDifferences extends Differences {
  readonly a: PlacedStep
  readonly b: PlacedStep
}

interface PlacedStep {
  readonly visit: number
  readonly step: number
}

export const diffSteps = (side: RunSide, nodeId: string, a: StepPlace, b: StepPlace, pause = NO_PAUSE): Promise<StepDifferences> =>
  answerFor(side.runId, () => stepsCompared(side, nodeId, a, b, pause))

async function stepsCompared(side: RunSide, nodeId: string, a: StepPlace, b: StepPlace, pause: Pause): Promise<StepDifferences> {
  const one = await gathered(side, pause)
  const visits = one.run.visits.filter(visit => visit.nodeId === nodeId)
  const pair = stepsMeant(visits, a, b)
  if (pair === null) throw await nodeNotFound(side.store, side.tenant, side.runId, nodeId, noSteps(side.runId, nodeId, visits))
  const [ours, theirs] = pair
  const compared = compareSteps(ours.facts, theirs.facts, nodeId, { nodeId, visit: theirs.visit, step: b.step })
  const found = await told(one, one, compared, pause)
  return { a: { visit: ours.visit, step: a.step }, b: { visit: theirs.visit, step: b.step }, ...found }
}

interface MeantStep {
  readonly visit: number
  readonly facts: StepFacts
}

/** Where a visit is left out, both are of one: of the newest that has them. */
function stepsMeant(visits: readonly VisitFacts[], a: StepPlace, b: StepPlace): readonly [MeantStep, MeantStep] | null {
  const stepIn = (visit: number, step: number): MeantStep | null => {
    const facts = visits.find(one => one.visit === visit)?.steps.find(one => one.step === step)
    return facts === undefined ? null : { visit, facts }
  }
  for (const { visit } of visits.toReversed()) {
    const ours = stepIn(a.visit ?? b.visit ?? visit, a.step)
    const theirs = stepIn(b.visit ?? a.visit ?? visit, b.step)
    if (ours !== null && theirs !== null) return [ours, theirs]
  }
  return null
}

function noSteps(runId: string, nodeId: string, visits: readonly VisitFacts[]): string {
  const taken = visits.map(({ visit, steps }) => `${steps.length === 1 ? '1 step' : `${steps.length} steps`} in visit ${visit}`)
  const known = taken.length === 0 ? 'no step' : taken.join(', ')
  return `Node ${nodeId} of run ${runId} has not taken these steps in one visit: it took ${known}. Steps of two visits are written 1.1..2.1`
}

interface Gathered {
  readonly run: GatheredRun
  readonly text: (digest: Digest) => Promise<string | null>
}

async function gathered({ store: from, tenant, runId }: RunSide, pause: Pause): Promise<Gathered> {
  const store = pause === NO_PAUSE ? from : pacedStore(from, pause)
  const run = await answerFor(runId, () => gatherRun(store, tenant, runId))
  return { run, text: async digest => run.made.get(digest) ?? textAt(store, tenant, digest) }
}

async function told(a: Gathered, b: Gathered, { decisions, texts }: Compared, pause: Pause): Promise<Differences> {
  const changes: TextChange[] = []
  for (const pair of texts) {
    await pause()
    const change = await changeOf(a, b, pair, changes.length < MOST_TEXTS)
    if (change !== null) changes.push(change)
  }
  return bounded(decisions, changes)
}

/** Null when only the name of the run differs, because every task contains it. @param wanted whether it will be shown */
async function changeOf(a: Gathered, b: Gathered, { block, places, ...pair }: TextPair, wanted: boolean): Promise<TextChange | null> {
  const [place, ...again] = places
  const where = { ...place!, block, ...pair, ...(again.length === 0 ? {} : { again }) }
  const [one, other] = [pair.a === null ? '' : await a.text(pair.a), pair.b === null ? '' : await b.text(pair.b)]
  if (one === null || other === null) return { ...where, hunks: null, why: 'erased' }
  const [bare, otherBare] = block === 'task' ? [unnamed(a, one), unnamed(b, other)] : [one, other]
  if (bare === otherBare) return null
  if (!wanted) return { ...where, hunks: [] }
  const found = textHunks(one, other)
  if (found.hunks === null) return { ...where, ...found }
  return { ...where, hunks: found.hunks.filter(hunk => block !== 'task' || !isName(a, b, hunk)) }
}

/** How a task begins: its run, in one line. */
const HEADER = /^- \{"node":.*\}$/m

const unnamed = ({ run }: Gathered, text: string): string =>
  text.replace(HEADER, line => line.replace(`"run":${JSON.stringify(run.toldAs)}`, '"run":"RUN"'))

function isName(a: Gathered, b: Gathered, { lines }: TextHunk): boolean {
  const side = (gathered: Gathered, sign: string): string =>
    unnamed(
      gathered,
      lines
        .filter(line => line.startsWith(sign))
        .map(line => line.slice(1))
        .join('\n'),
    )
  return side(a, '-') === side(b, '+')
}
