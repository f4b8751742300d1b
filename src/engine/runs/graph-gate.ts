// What the gate has to know about a call of a graph tool: whatever is wrong with it is found before anybody is asked.
import type { ToolCall } from '../../core/gate/capability.ts'
import { type GraphPlace, type Planned, planEdge, planHandoff, planSpawn } from '../../core/run/graph-plans.ts'
import type { NodeGate } from '../sessions/performing.ts'
import { type Spawner, spawnOf } from './spawn.ts'

const problemIn = (planned: Planned<unknown>): string | null => (planned.ok ? null : planned.problem)

export async function graphGate(
  place: GraphPlace,
  spawner: Spawner | null,
  { name, arguments: given }: ToolCall,
): Promise<Pick<NodeGate, 'problem' | 'ownEdge' | 'mustAsk'>> {
  const fine = { problem: null, ownEdge: false, mustAsk: false }
  switch (name) {
    case 'spawn_node': {
      const planned = planSpawn(place, given)
      if (!planned.ok || spawner === null) return { ...fine, problem: problemIn(planned) ?? 'the node is not at work' }
      const spawned = await spawnOf(spawner, planned.plan)
      // Who may spawn without being asked could make another that may.
      return { ...fine, problem: spawned.ok ? null : spawned.problem, mustAsk: planned.plan.role === 'orchestrator' }
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
