// The steps of a run in the order in which they were sent, each with what its provider said of it. Reads the run's stream, and nothing else.
import type { Digest } from '../../core/digest/digest.ts'
import { runEvent, runStream } from '../../core/run/events.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { noNode } from '../no-node.ts'

export interface SentStep {
  readonly event: StepStarted
  readonly visit: number
  readonly sequence: number
  readonly receipt: Digest | null
}

export async function sentSteps(store: Store, tenant: string, runId: string, nodeId: string | undefined): Promise<readonly SentStep[]> {
  const steps: SentStep[] = []
  const visits = new Map<string, number>()
  const open = new Map<string, number>()
  let isThere = false
  for await (const { event: recorded } of store.read(tenant, runStream(runId), -1)) {
    isThere = true
    const event = runEvent(recorded)
    if (event.type === 'node.started') visits.set(event.nodeId, event.visit)
    if (event.type === 'step.started' && (nodeId ?? event.nodeId) === event.nodeId) {
      open.set(event.nodeId, steps.length)
      steps.push({ event, visit: visits.get(event.nodeId) ?? 1, sequence: recorded.seq, receipt: null })
    }
    const at = event.type === 'step.settled' ? open.get(event.nodeId) : undefined
    if (event.type === 'step.settled' && at !== undefined) steps[at] = { ...steps[at]!, receipt: event.receipt }
  }
  if (!isThere) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  if (nodeId !== undefined && steps.length === 0)
    throw await noNode(store, tenant, runId, nodeId, `Node ${nodeId} of run ${runId} was not told anything`)
  return steps
}

/** By session, provider and model. */
export function chainsOf(steps: readonly SentStep[]): readonly (readonly SentStep[])[] {
  const chains = new Map<string, SentStep[]>()
  for (const step of steps) {
    const { nodeId, session, request } = step.event
    const key = JSON.stringify([nodeId, session, request.parameters.provider, request.parameters.model])
    const chain = chains.get(key)
    if (chain === undefined) chains.set(key, [step])
    else chain.push(step)
  }
  return [...chains.values()]
}
