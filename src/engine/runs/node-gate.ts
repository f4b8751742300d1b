// What the gate has to know about a node: its role, its settings and the mode of its run, as they are at this moment.
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import type { NodeGate } from '../sessions/performing.ts'
import { frozenRole, type LoadedFrozen } from './frozen.ts'
import { agentOf, settingsOf } from './task.ts'

export function nodeGate(frozen: LoadedFrozen, state: RunState, nodeId: string): NodeGate {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const agent = agentOf(frozen, node)
  const role = frozenRole(frozen, node, agent)
  const spawners = spawnersOf(frozen, nodeId)
  return {
    agent: agent?.agentId ?? (spawners.length === 0 ? null : actingFor(frozen, state, spawners.at(-1)!)),
    onBehalfOf: spawners.map(id => roleNameOf(frozen, id)),
    free: [REQUEST_IMPLEMENTATION],
    role: role === null ? null : { name: role.name, requests: role.requests },
    node: settingsOf(frozen, node, agent),
    mode: state.mode,
    ownEdge: false,
    mustAsk: frozen.spawned.get(nodeId)?.node.asks === true,
    problem: null,
  }
}

/** The node that spawned it, the one that spawned that, and so on to one of the workflow. */
function spawnersOf({ spawned }: Pick<LoadedFrozen, 'spawned'>, nodeId: string): readonly string[] {
  const by = spawned.get(nodeId)?.node.by
  return by === undefined ? [] : [by, ...spawnersOf({ spawned }, by)]
}

function actingFor(frozen: LoadedFrozen, state: RunState, nodeId: string): string {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  return agentOf(frozen, node)?.agentId ?? nodeOf(state, nodeId).session
}

function roleNameOf(frozen: LoadedFrozen, nodeId: string): string | null {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  return frozenRole(frozen, node, agentOf(frozen, node))?.name ?? null
}
