// Collects a node's task from the workflow and the run. Decides nothing about how it is printed.
import type { Agent } from '../../core/agent/agent.ts'
import { type ComposeStyle, styleOf } from '../../core/compose/compose-style.ts'
import type { Handoff, TaskPayload } from '../../core/compose/task-payload.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { NodeSettings } from '../../core/gate/authorize.ts'
import { usualSettings } from '../../core/gate/usual-settings.ts'
import { edgesOf } from '../../core/run/graph/grown.ts'
import type { RunState } from '../../core/run/state.ts'
import { SESSION_TYPE } from '../../core/workflow/node-types.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import { frozenRole, type LoadedFrozen, roleOf } from '../runs/start/frozen.ts'

/** A setting that neither the agent nor the node sets has the default of its role, as it was when the run started. */
export const settingsOf = (
  { settings }: Pick<LoadedFrozen, 'settings'>,
  node: Pick<WorkflowNode, 'role' | 'settings'>,
  agent: Agent | null,
): NodeSettings => ({
  ...usualSettings(settings, roleOf(node, agent)),
  ...agent?.settings,
  ...node.settings,
})

export const agentOf = ({ agents }: Pick<LoadedFrozen, 'agents'>, { agentId }: WorkflowNode): Agent | null =>
  agentId === null ? null : (agents.get(agentId) ?? null)

/** A session that is asked directly: its messages are sent as they are, and nothing is composed. */
export const isDirect = ({ typeId }: Pick<WorkflowNode, 'typeId'>): boolean => typeId === SESSION_TYPE

/** A node that an agent added works in a graph, whatever the workflow chose. */
export const composeStyle = (frozen: LoadedFrozen, node: WorkflowNode): ComposeStyle =>
  frozen.spawned.has(node.id) ? 'graph' : styleOf(frozen.compose, frozen.workflow, agentOf(frozen, node))

export function taskOf(
  frozen: LoadedFrozen,
  state: RunState,
  node: WorkflowNode,
  given: { readonly inputs: JsonObject; readonly handoffs: readonly Handoff[] },
): TaskPayload {
  const { workflow, repository } = frozen
  const agent = agentOf(frozen, node)
  const objective = node.objective ?? workflow.objective
  const done = node.definitionOfDone ?? workflow.definitionOfDone
  const role = frozenRole(frozen, node, agent)
  return {
    runId: state.forkOf?.names.runId ?? state.runId,
    nodeId: node.id,
    orchestration: node.orchestration ?? state.orchestration,
    ...(objective === null ? {} : { objective }),
    ...(done === null ? {} : { definitionOfDone: done }),
    inputs: given.inputs,
    handoffs: given.handoffs,
    ...(repository === null ? {} : { repository }),
    settings: settingsOf(frozen, node, agent),
    ...(role === null ? {} : { requests: role.requests }),
    nodes: workflow.nodes.map(one => rosterRow(frozen, one)),
    edges: edgesOf(workflow, state).map(({ from, to, type, bidirectional, label }) => ({
      from,
      to,
      type,
      bidirectional,
      ...(label === null ? {} : { label }),
    })),
  }
}

function rosterRow(frozen: LoadedFrozen, node: WorkflowNode): TaskPayload['nodes'][number] {
  const role = roleOf(node, agentOf(frozen, node))
  return { id: node.id, label: node.label, ...(node.alias === null ? {} : { alias: node.alias }), ...(role === null ? {} : { role }) }
}
