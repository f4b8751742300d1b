// The steps of a run, grouped by the session and the model that they were sent to.
import type { RunStep } from '../../core/run/reading/reading.ts'
import type { Store } from '../../ports.ts'
import { nodeNotFound } from '../reading/node-not-found.ts'
import { loadReading } from '../runs/read-run.ts'

/** Each group in the order in which its steps were sent. */
export async function sentChains(
  store: Store,
  tenant: string,
  runId: string,
  nodeId: string | undefined,
): Promise<readonly (readonly RunStep[])[]> {
  const steps = (await loadReading(store, tenant, runId)).steps.filter(step => (nodeId ?? step.nodeId) === step.nodeId)
  if (nodeId !== undefined && steps.length === 0)
    throw await nodeNotFound(store, tenant, runId, nodeId, `Node ${nodeId} of run ${runId} has received no prompt`)
  const chains = new Map<string, RunStep[]>()
  for (const step of steps) {
    const { provider, model } = step.request.parameters
    const key = JSON.stringify([step.nodeId, provider, model])
    const chain = chains.get(key)
    if (chain === undefined) chains.set(key, [step])
    else chain.push(step)
  }
  return [...chains.values()]
}
