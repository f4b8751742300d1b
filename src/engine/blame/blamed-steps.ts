// Finds the steps that a question about prompts asks for, each with the state of the run right before it.
import { factsOf, type RunEventOf, type RunFact, type RunStep } from '../../core/run/reading/reading.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { nodeNotFound } from '../reading/node-not-found.ts'
import type { LoadedRun } from '../runs/load.ts'
import { loadReading } from '../runs/read-run.ts'

export interface StepQuestion {
  readonly nodeId?: string | undefined
  /** The newest of each node, unless it is named. */
  readonly visit?: number | undefined
  /** The newest of the visit, unless it is named. */
  readonly step?: number | undefined
}

export interface BlamedStep {
  readonly step: RunStep
  /** Before the step. */
  readonly run: LoadedRun
  /** The person who gave the text of block override; null where there is no override. */
  readonly overriddenBy: string | null
  /** The node that made an edge, by the id of the edge: the state of the run does not keep it. */
  readonly edgesBy: ReadonlyMap<string, string>
}

/** In the order in which nodes first received a prompt. */
export async function blamedSteps(
  store: Store,
  tenant: string,
  runId: string,
  question: StepQuestion,
  pause: () => Promise<void>,
): Promise<readonly BlamedStep[]> {
  const meant = new Map<string, Pick<BlamedStep, 'step' | 'run'>>()
  const onStep = (step: RunStep, run: LoadedRun): void => {
    if (isMeant(step, question)) meant.set(step.nodeId, { step, run })
  }
  const reading = await loadReading(store, tenant, runId, { pause, onStep })
  if (meant.size === 0 && Object.values(question).some(named => named !== undefined)) throw await nothing(store, tenant, runId, question)
  const overrides = factsOf(reading, 'override.given')
  const edgesBy = new Map(factsOf(reading, 'edge.created').map(({ event }) => [event.edgeId, event.nodeId]))
  return [...meant.values()].map(({ step, run }) => {
    const before = overrides.filter(({ sequence }) => sequence < step.sequence)
    return { step, run, overriddenBy: giverOf(before, step.nodeId) ?? giverOf(before, null), edgesBy }
  })
}

function giverOf(overrides: readonly RunFact<RunEventOf<'override.given'>>[], nodeId: string | null): string | null {
  const newest = overrides.findLast(({ event }) => event.nodeId === nodeId)
  return newest === undefined || newest.event.text === null ? null : newest.actor
}

/** Later ones take the place of earlier ones. */
const isMeant = (one: RunStep, { nodeId, visit, step }: StepQuestion): boolean =>
  (nodeId ?? one.nodeId) === one.nodeId && (visit ?? one.visit) === one.visit && (step ?? one.step) === one.step

async function nothing(store: Store, tenant: string, runId: string, { nodeId, visit, step }: StepQuestion): Promise<Fault> {
  const which = [...(step === undefined ? [] : [`step ${step}`]), ...(visit === undefined ? [] : [`visit ${visit}`])].join(' of ')
  const when = which === '' ? '' : ` in ${which}`
  return nodeId === undefined
    ? new Fault('node_missing', { problem: `No node of run ${runId} has received a prompt${when}` })
    : nodeNotFound(store, tenant, runId, nodeId, `Node ${nodeId} of run ${runId} has received no prompt${when}`)
}
