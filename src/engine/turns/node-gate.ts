// The facts that the gate needs about a node: its role, its settings and the current mode of its run.
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import type { RunState } from '../../core/run/state.ts'
import { frozenRole, type LoadedFrozen } from '../runs/start/frozen.ts'
import { agentName } from './agent-name.ts'
import type { NodeGate } from './performing.ts'
import { agentOf, isDirect, settingsOf } from './task.ts'

export function nodeGate(frozen: LoadedFrozen, state: RunState, nodeId: string): NodeGate {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const agent = agentOf(frozen, node)
  const role = frozenRole(frozen, node, agent)
  const spawners = spawnersOf(frozen, nodeId)
  return {
    // A node that was spawned acts for the one of the workflow that its line began with.
    agent: agentName({ state, frozen }, agent === null ? (spawners.at(-1) ?? nodeId) : nodeId),
    onBehalfOf: spawners.map(id => roleNameOf(frozen, id)),
    free: [REQUEST_IMPLEMENTATION],
    role: role === null ? null : { name: role.name, requests: role.requests },
    // A session that is asked directly has no settings and no mode.
    node: isDirect(node) ? null : settingsOf(frozen, node, agent),
    mode: isDirect(node) ? null : state.mode,
    ownEdge: false,
    mustAsk: frozen.spawned.get(nodeId)?.node.asks === true,
    problem: null,
  }
}

/** The chain of spawning nodes, up to a node of the workflow. */
function spawnersOf({ spawned }: Pick<LoadedFrozen, 'spawned'>, nodeId: string): readonly string[] {
  const by = spawned.get(nodeId)?.node.by
  return by === undefined ? [] : [by, ...spawnersOf({ spawned }, by)]
}

function roleNameOf(frozen: LoadedFrozen, nodeId: string): string | null {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  return frozenRole(frozen, node, agentOf(frozen, node))?.name ?? null
}
