// What of an event follows from what the run froze and from how far it had come: the workflow, visits, edges, names of tools. Composes nothing.

import type { RunEvent } from '../../core/run/events.ts'
import { edgesThatHold, graphOf } from '../../core/run/graph.ts'
import { isBusy, nodeOf, type RunState } from '../../core/run/state.ts'
import { callNamed, type OpenCall } from '../../core/turn/state.ts'
import type { Store } from '../../ports.ts'
import { loadFrozen } from '../runs/frozen.ts'
import { worldOf } from '../runs/world.ts'
import { type NodeOutput, readStored } from '../turns/node-values.ts'

export interface Walked {
  readonly recorded: object
  readonly found: object
}

/** Null where nothing follows. @param state before the event */
export async function remakeWalk(store: Store, tenant: string, state: RunState, event: RunEvent): Promise<Walked | null> {
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
    case 'call.judged': {
      const known = callOf(state, event)
      return known === null ? null : { recorded: { tool: event.tool }, found: { tool: known.name } }
    }
    case 'call.settled': {
      const known = callOf(state, event)
      if (known === null) return null
      const { tool, arguments: given } = event
      return { recorded: { tool, arguments: given }, found: { tool: known.name, arguments: known.approval?.changed ?? known.arguments } }
    }
    case 'approval.requested': {
      const { wants } = event
      const known = wants.kind === 'tool' ? callOf(state, { nodeId: event.nodeId, call: wants.call }) : null
      if (wants.kind !== 'tool' || known === null) return null
      return { recorded: { tool: wants.tool, arguments: wants.arguments }, found: { tool: known.name, arguments: known.arguments } }
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

function callOf(state: RunState, { nodeId, call }: { readonly nodeId: string; readonly call: string }): OpenCall | null {
  const { turn } = nodeOf(state, nodeId)
  return turn === null ? null : callNamed(turn, call)
}
