// The fault for a question about a node without an answer: lists the run's nodes if the node does not exist, else gives the reason.
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { loadRun } from '../runs/load.ts'
import { workflowNow } from '../runs/start/world.ts'

const MOST_NAMED = 20

/** @param otherwise the message for a node that the run has */
export async function nodeNotFound(store: Store, tenant: string, runId: string, nodeId: string, otherwise: string): Promise<Fault> {
  const { state } = await loadRun(store, tenant, runId)
  const ids = (await workflowNow(store, tenant, state)).nodes.map(({ id }) => id)
  if (ids.includes(nodeId)) return new Fault('node_missing', { problem: otherwise })
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : ''
  return new Fault('node_missing', { problem: `Run ${runId} has no node ${nodeId}. It has: ${ids.slice(0, MOST_NAMED).join(', ')}${more}` })
}
