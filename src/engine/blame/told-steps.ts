// The steps a question about prompts means, each with the run as it was the moment before. Reads the run's stream, and nothing else.
import { runEvent, runStream } from '../../core/run/events.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import { reduceRun } from '../../core/run/reduce.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { noNode } from '../no-node.ts'
import { type LoadedRun, NO_RUN } from '../runs/load.ts'

export interface StepQuestion {
  readonly nodeId?: string | undefined
  /** The newest of each node, unless it is named. */
  readonly visit?: number | undefined
  /** The newest of the visit, unless it is named. */
  readonly step?: number | undefined
}

export interface ToldStep {
  readonly event: StepStarted
  readonly sequence: number
  readonly at: string
  readonly visit: number
  /** Before the step. */
  readonly run: LoadedRun
  /** Who gave what stands in block override; null where nobody has. */
  readonly overriddenBy: string | null
  /** Which node made an edge, by its id: the run as it stands does not keep that. */
  readonly edgesBy: ReadonlyMap<string, string>
}

const EVENTS_AT_ONCE = 100

/** In the order in which nodes were first told something. */
export async function toldSteps(
  store: Store,
  tenant: string,
  runId: string,
  question: StepQuestion,
  pause: () => Promise<void> = async () => {},
): Promise<readonly ToldStep[]> {
  const meant = new Map<string, ToldStep>()
  const visits = new Map<string, number>()
  const overrides = new Map<string | null, string>()
  const edgesBy = new Map<string, string>()
  let run = NO_RUN
  for await (const { event: recorded } of store.read(tenant, runStream(runId), -1)) {
    const event = runEvent(recorded)
    if (recorded.seq % EVENTS_AT_ONCE === 0) await pause()
    const { seq: sequence, at, actor } = recorded
    if (sequence === 0) run = { ...run, createdAt: at, createdBy: actor }
    if (event.type === 'node.started') visits.set(event.nodeId, event.visit)
    if (event.type === 'override.given' && event.text === null) overrides.delete(event.nodeId)
    if (event.type === 'override.given' && event.text !== null) overrides.set(event.nodeId, actor)
    if (event.type === 'edge.created') edgesBy.set(event.edgeId, event.nodeId)
    if (event.type === 'step.started') {
      const { nodeId, step } = event
      const visit = visits.get(nodeId) ?? 1
      const overriddenBy = overrides.get(nodeId) ?? overrides.get(null) ?? null
      if (isMeant({ nodeId, visit, step }, question)) meant.set(nodeId, { event, sequence, at, visit, run, overriddenBy, edgesBy })
    }
    run = { ...run, state: reduceRun(run.state, event), seq: sequence }
  }
  if (run.seq < 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  if (meant.size === 0 && Object.values(question).some(named => named !== undefined)) throw await nothing(store, tenant, runId, question)
  return [...meant.values()]
}

/** Later ones take the place of earlier ones. */
const isMeant = (one: { readonly [Key in keyof StepQuestion]: unknown }, { nodeId, visit, step }: StepQuestion): boolean =>
  (nodeId ?? one.nodeId) === one.nodeId && (visit ?? one.visit) === one.visit && (step ?? one.step) === one.step

async function nothing(store: Store, tenant: string, runId: string, { nodeId, visit, step }: StepQuestion): Promise<Fault> {
  const which = [...(step === undefined ? [] : [`step ${step}`]), ...(visit === undefined ? [] : [`visit ${visit}`])].join(' of ')
  const when = which === '' ? '' : ` in ${which}`
  return nodeId === undefined
    ? new Fault('node_missing', { problem: `No node of run ${runId} was told anything${when}` })
    : noNode(store, tenant, runId, nodeId, `Node ${nodeId} of run ${runId} was not told anything${when}`)
}
