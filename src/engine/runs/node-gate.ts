// What the gate has to know about a node: its role, its settings and the mode of its run, as they are at this moment.
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import type { RunState } from '../../core/run/state.ts'
import type { NodeGate } from '../sessions/performing.ts'
import { type LoadedFrozen, roleOf } from './frozen.ts'
import { agentOf, settingsOf } from './task.ts'

export function nodeGate(frozen: LoadedFrozen, { mode }: RunState, nodeId: string): NodeGate {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const agent = agentOf(frozen, node)
  const role = frozen.roles.get(roleOf(node, agent) ?? '')
  return {
    agent: agent?.agentId ?? null,
    free: [REQUEST_IMPLEMENTATION],
    role: role === undefined ? null : { name: role.name, requests: role.requests },
    node: settingsOf(node, agent),
    mode,
    orchestratorAsks: true,
  }
}
