// Remakes the parts of an event that follow from the frozen workflow and the progress of the run: visits, edges, names of tools. Composes nothing.

import type { RunEvent } from '../../core/run/events.ts'
import { edgesThatHold, graphOf } from '../../core/run/graph/graph.ts'
import { isBusy, nodeOf, type RunState } from '../../core/run/state.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { callNamed, type OpenCall } from '../../core/turn/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { type LoadedFrozen, loadFrozen } from '../runs/start/frozen.ts'
import { worldOf } from '../runs/start/world.ts'
import { configFor, placeOfNode } from '../runs/start-node.ts'
import { type NodeOutput, readStored } from '../turns/node-values.ts'

type NodeStarted = Extract<RunEvent, { readonly type: 'node.started' }>

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
      const frozen = await worldOf(store, tenant, state)
      const node = frozen.workflow.nodes.find(({ id }) => id === event.nodeId)
      if (node === undefined) return { recorded: { typeId: event.typeId }, found: { typeId: null } }
      return remakeStart(frozen, state, node, event)
    }
    case 'handoff.delivered': {
      const { handoff, nodeId } = event
      // The state no longer holds a call's wait once it is settled.
      const to = state.inbox.find(one => one.handoff === handoff)?.to
      return to === undefined ? null : { recorded: { nodeId }, found: { nodeId: to } }
    }
    case 'step.started':
    case 'step.retried':
    case 'step.settled':
    case 'calls.asked': {
      const steps = nodeOf(state, event.nodeId).turn?.steps ?? 0
      return { recorded: { step: event.step }, found: { step: event.type === 'step.started' ? steps + 1 : steps } }
    }
    case 'call.judged': {
      const known = callOf(state, event)
      return known === null ? unasked(event) : { recorded: { tool: event.tool }, found: { tool: known.name } }
    }
    case 'call.settled': {
      const known = callOf(state, event)
      if (known === null) return unasked(event)
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

/** The state of its home session is not on the run's record: without a home everything follows, with one its config and snapshot do not. */
function remakeStart(frozen: LoadedFrozen, state: RunState, node: WorkflowNode, event: NodeStarted): Walked {
  const { typeId, visit, interactive, session, home, config, snapshot, apply } = event
  const place = placeOfNode(frozen, state, node)
  const recorded = { typeId, visit, interactive, session, home }
  const found = {
    typeId: node.typeId,
    visit: nodeOf(state, event.nodeId).visits + 1,
    interactive: place.interactive,
    session: session === null ? null : place.session,
    home: home === null ? null : place.name,
  }
  if (home !== null) return { recorded, found }
  const own = { config: place.asked?.config ?? configFor(frozen, node, emptyConfig), snapshot: place.asked?.snapshot ?? null, apply: 0 }
  return { recorded: { ...recorded, config, snapshot, apply }, found: { ...found, ...own } }
}

/** No reply of the node asked for it. */
const unasked = ({ call }: { readonly call: string }): Walked => ({ recorded: { call }, found: { call: null } })

function callOf(state: RunState, { nodeId, call }: { readonly nodeId: string; readonly call: string }): OpenCall | null {
  const { turn } = nodeOf(state, nodeId)
  return turn === null ? null : callNamed(turn, call)
}
