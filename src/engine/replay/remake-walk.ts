// What of an event follows from what the run froze and from how far it had come: the workflow, visits, edges, names of tools. Composes nothing.

import type { RunEvent } from '../../core/run/events.ts'
import { edgesThatHold, graphOf } from '../../core/run/graph.ts'
import { isBusy, nodeOf, type RunState } from '../../core/run/state.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import { loadFrozen } from '../runs/frozen.ts'
import { type NodeOutput, readStored } from '../turns/node-values.ts'
import { worldOf } from '../runs/world.ts'

export interface Walked {
  readonly recorded: object
  readonly found: object
}

/** Null where nothing follows. @param state before the event; @param session before the event that tells the same there */
export async function remakeWalk(
  store: Store,
  tenant: string,
  state: RunState,
  event: RunEvent,
  session: SessionState | null,
): Promise<Walked | null> {
  const workflow = async () => (await worldOf(store, tenant, state)).workflow
  switch (event.type) {
    case 'run.created': {
      const { workflowId, version, stallAfter, rulesVersion = null, orchestration } = event
      const { workflow: frozen } = await loadFrozen(store, tenant, event.frozen)
      const { id, ...rest } = frozen
      const rule = { stallAfter: rest.stallAfter, rulesVersion: rest.rulesVersion ?? null }
      const found = { workflowId: id, version: rest.version, ...rule, orchestration: rest.orchestration }
      return { recorded: { workflowId, version, stallAfter, rulesVersion, orchestration }, found }
    }
    case 'run.started':
      return { recorded: { workflowId: event.workflowId }, found: { workflowId: state.workflowId } }
    case 'node.started': {
      const { nodeId, typeId, visit } = event
      const node = (await workflow()).nodes.find(({ id }) => id === nodeId)
      return { recorded: { typeId, visit }, found: { typeId: node?.typeId ?? null, visit: nodeOf(state, nodeId).visits + 1 } }
    }
    case 'handoff.delivered': {
      const { handoff, nodeId } = event
      // What a call waited for is not there any more once that is settled.
      const to = state.inbox.find(one => one.handoff === handoff)?.to
      return to === undefined ? null : { recorded: { nodeId }, found: { nodeId: to } }
    }
    case 'step.started':
      return { recorded: { session: event.session }, found: { session: nodeOf(state, event.nodeId).session } }
    case 'tool.judged':
    case 'tool.settled': {
      const known = session?.run?.batch?.calls.find(({ id }) => id === event.call)
      return known === undefined ? null : { recorded: { tool: event.tool }, found: { tool: known.name } }
    }
    case 'node.completed':
    case 'node.failed': {
      const { nodeId, edges } = event
      const output = event.type === 'node.failed' ? null : (await readStored<NodeOutput>(store, tenant, event.output)).output
      const status = event.type === 'node.failed' ? 'failed' : 'completed'
      const holding = edgesThatHold(graphOf(await workflow()), nodeId, { status, output })
      return { recorded: { nodeId, edges }, found: { nodeId: isBusy(nodeOf(state, nodeId)) ? nodeId : null, edges: holding } }
    }
    default:
      return null
  }
}
