// The growth of a run's graph: nodes that agents spawn, and edges that only carry handoffs. The frozen workflow does not change.
import type { Digest } from '../../digest/digest.ts'
import type { NodeSettings } from '../../gate/authorize.ts'
import { AGENT_TYPE } from '../../workflow/node-types.ts'
import type { ModelChoice, Workflow, WorkflowEdge, WorkflowNode } from '../../workflow/workflow.ts'

/** As it was when the node was spawned. */
export interface SpawnedRole {
  readonly name: string
  readonly source: 'repo' | 'shipped'
  readonly ref: string
  /** The digest of the file, head included. */
  readonly file: Digest
  /** For the model. */
  readonly text: Digest
  /** The capabilities that its head requests, limited to those that the spawning node may request as well. */
  readonly requests: readonly string[]
}

export interface SpawnedNode {
  readonly nodeId: string
  /** The node that spawned it. */
  readonly by: string
  /** 1 for a node that one of the workflow spawned. */
  readonly depth: number
  readonly label: string
  readonly alias: string | null
  readonly role: SpawnedRole
  readonly model: ModelChoice
  /** At most those of the node that spawned it. */
  readonly settings: NodeSettings
  /** Whether its changes of the graph need approval, in any role. */
  readonly asks: boolean
  /** Names of tools: it is shown no others. */
  readonly tools: readonly string[]
  /** The prompt that replaces the text of its role; null for none. */
  readonly prompt: Digest | null
}

/** A channel for handoffs: neither end waits for the other. */
export interface MadeEdge {
  readonly edgeId: string
  readonly from: string
  readonly to: string
  readonly edgeType: WorkflowEdge['type']
  readonly bidirectional: boolean
  readonly label: string
}

export interface Grown {
  readonly nodes: readonly SpawnedNode[]
  readonly edges: readonly MadeEdge[]
}

export const NOT_GROWN: Grown = { nodes: [], edges: [] }

/** Limits of growth. A run that exceeds them is out of control. */
export const MOST_SPAWNED = 100
export const MOST_EDGES = 1_000
export const MOST_HANDOFFS = 1_000
export const DEEPEST = 5

export const spawnedIn = ({ grown }: { readonly grown: Grown }, nodeId: string): SpawnedNode | null =>
  grown.nodes.find(node => node.nodeId === nodeId) ?? null

/** Caches by the added nodes: values derived from a graph are cached by its object, so the same growth must give the same object. */
const grownOf = new WeakMap<Workflow, WeakMap<readonly SpawnedNode[], Workflow>>()
const frozenOf = new WeakMap<Workflow, Workflow>()

/**
 * The graph a run walks.
 * @param workflow the frozen one of the run, or the result of an earlier call
 */
export function grownWorkflow(workflow: Workflow, { grown: { nodes } }: { readonly grown: Grown }): Workflow {
  const frozen = frozenOf.get(workflow) ?? workflow
  if (nodes.length === 0) return frozen
  const cache = grownOf.get(frozen) ?? new WeakMap<readonly SpawnedNode[], Workflow>()
  grownOf.set(frozen, cache)
  const made = cache.get(nodes) ?? { ...frozen, nodes: [...frozen.nodes, ...nodes.map(asNode)] }
  cache.set(nodes, made)
  frozenOf.set(made, frozen)
  return made
}

const asNode = ({ nodeId, label, alias, role, model, settings }: SpawnedNode): WorkflowNode => ({
  id: nodeId,
  typeId: AGENT_TYPE,
  label,
  alias,
  config: {},
  inputs: {},
  disabled: false,
  agentId: null,
  role: role.name,
  objective: null,
  definitionOfDone: null,
  session: null,
  model,
  settings,
  // The spawning node uses the result, so the node does not wait for a person.
  orchestration: 'auto',
})

type Ends = Pick<MadeEdge, 'from' | 'to' | 'bidirectional'>

/** All edges: those of the workflow and those that agents made. */
export const edgesOf = (
  { edges }: Workflow,
  { grown }: { readonly grown: Grown },
): readonly (Ends & Pick<WorkflowEdge, 'type' | 'label'>)[] =>
  grown.edges.length === 0 ? edges : [...edges, ...grown.edges.map(({ edgeType, ...edge }) => ({ ...edge, type: edgeType }))]

/** Whether something can be sent along it from one to the other. */
export const leads = (edge: Ends, from: string, to: string): boolean =>
  (edge.from === from && edge.to === to) || (edge.bidirectional && edge.from === to && edge.to === from)
