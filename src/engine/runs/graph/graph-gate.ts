// Collects the facts that the gate needs for a call of a graph tool. Problems with the call surface before a person has to approve it.
import type { ToolCall } from '../../../core/gate/capability.ts'
import { type GraphPlace, type Planned, planEdge, planHandoff, planSpawn } from '../../../core/run/graph/graph-plans.ts'
import { GRAPH_DESCRIPTORS, isGraphTool } from '../../../core/tools/graph-descriptors.ts'
import type { Validator } from '../../../ports.ts'
import { problemWith } from '../../turns/gate-facts.ts'
import type { NodeGate } from '../../turns/performing.ts'
import { type Spawner, spawnOf } from './spawn.ts'

const problemIn = (planned: Planned<unknown>): string | null => (planned.ok ? null : planned.problem)

/** @param spawner null when no agent works as the node: only the request is checked then, not whether another node could be spawned */
export async function graphGate(
  validator: Pick<Validator, 'ask'>,
  place: GraphPlace,
  spawner: Spawner | null,
  { name, arguments: given }: ToolCall,
): Promise<Pick<NodeGate, 'problem' | 'ownEdge' | 'mustAsk'>> {
  const fine = { problem: null, ownEdge: false, mustAsk: false }
  // A catalog may describe these tools differently; the code below relies on our own descriptors.
  const malformed = isGraphTool(name) ? await problemWith(validator, GRAPH_DESCRIPTORS[name], given) : null
  if (malformed !== null) return { ...fine, problem: malformed }
  switch (name) {
    case 'spawn_node': {
      const planned = planSpawn(place, given)
      if (!planned.ok) return { ...fine, problem: planned.problem }
      // A node that may spawn without approval could spawn another one that may.
      const mustAsk = planned.plan.role === 'orchestrator'
      const spawned = spawner === null ? null : await spawnOf(spawner, planned.plan)
      return { ...fine, problem: spawned?.ok === false ? spawned.problem : null, mustAsk }
    }
    case 'create_edge': {
      const planned = planEdge(place, given)
      return { ...fine, problem: problemIn(planned), ownEdge: planned.ok && planned.plan.own }
    }
    case 'send_handoff':
      return { ...fine, problem: problemIn(planHandoff(place, given)) }
    default:
      return fine
  }
}
