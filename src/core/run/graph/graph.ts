// Computes the order of a graph: which nodes start, which are skipped, and where an edge leads back. Depends on the
// workflow and the run alone.
import { canonicalJson, type Json } from '../../digest/digest.ts'
import { isObject } from '../../digest/is-object.ts'
import type { EdgeCondition, Workflow, WorkflowEdge, WorkflowNode } from '../../workflow/workflow.ts'
import { isBusy, type NodeState, nodeOf, type RunState } from '../state.ts'
import { hasMail } from './handoffs.ts'

export interface Graph {
  readonly nodes: ReadonlyMap<string, WorkflowNode>
  /** By node: edges that lead on, to it and from it, and those that lead back from it. */
  readonly to: ReadonlyMap<string, readonly WorkflowEdge[]>
  readonly from: ReadonlyMap<string, readonly WorkflowEdge[]>
  readonly back: ReadonlyMap<string, readonly WorkflowEdge[]>
}

const graphs = new WeakMap<Workflow, Graph>()

export function graphOf(workflow: Workflow): Graph {
  const cached = graphs.get(workflow)
  if (cached !== undefined) return cached
  const on = workflow.edges.filter(({ repeats }) => repeats === null)
  const made: Graph = {
    nodes: new Map(workflow.nodes.map(node => [node.id, node])),
    to: by('to', on),
    from: by('from', on),
    back: by(
      'from',
      workflow.edges.filter(({ repeats }) => repeats !== null),
    ),
  }
  graphs.set(workflow, made)
  return made
}

function by(end: 'from' | 'to', edges: readonly WorkflowEdge[]): ReadonlyMap<string, readonly WorkflowEdge[]> {
  const groups = new Map<string, WorkflowEdge[]>()
  for (const edge of edges) groups.set(edge[end], [...(groups.get(edge[end]) ?? []), edge])
  return groups
}

/** Everything that comes after a node, along edges that lead on. */
export function reachOf({ from }: Graph, nodeId: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [nodeId]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const { to } of from.get(at) ?? [])
      if (!reached.has(to)) {
        reached.add(to)
        open.push(to)
      }
  return reached
}

export interface Next {
  readonly start: readonly string[]
  readonly skip: readonly { readonly nodeId: string; readonly reason: string }[]
}

/** The next starts and skips of the graph, in the order of the workflow. */
export function nextIn(graph: Graph, state: RunState): Next {
  const start: string[] = []
  const skip: { nodeId: string; reason: string }[] = []
  const held = new Set(state.again.flatMap(id => [...reachOf(graph, id)]))
  for (const [nodeId, node] of graph.nodes) {
    if (held.has(nodeId)) continue
    const { status, visits } = nodeOf(state, nodeId)
    if (state.again.includes(nodeId)) {
      if (status !== 'running' && status !== 'waiting' && isQuietAfter(graph, state, nodeId)) start.push(nodeId)
      continue
    }
    // A handoff arrived after the node ended: it works once more, and no node after it is repeated.
    if (isOver(status) && hasMail(state, nodeId)) {
      start.push(nodeId)
      continue
    }
    const edges = graph.to.get(nodeId) ?? []
    if (status !== 'idle' || (edges.length === 0 && visits > 0)) continue
    const verdict = judge(edges, state)
    // A disabled node is skipped in its turn, so that no node after it overtakes those before it.
    if (verdict === 'wait') continue
    if (node.disabled) skip.push({ nodeId, reason: 'it is disabled' })
    else if (verdict === 'start') start.push(nodeId)
    else skip.push({ nodeId, reason: verdict.reason })
  }
  return { start, skip }
}

const isOver = (status: NodeState['status']): boolean => status === 'completed' || status === 'failed' || status === 'skipped'

const isQuietAfter = (graph: Graph, state: RunState, nodeId: string): boolean =>
  ![...reachOf(graph, nodeId)].some(id => isBusy(nodeOf(state, id)))

const ANY: readonly string[] = ['any_success', 'any_failed']

function judge(edges: readonly WorkflowEdge[], state: RunState): 'start' | 'wait' | { readonly reason: string } {
  const ends = edges.map(edge => ({ edge, source: nodeOf(state, edge.from) }))
  if (ends.some(({ source }) => source.status === 'idle' || isBusy(source))) return 'wait'
  const closed = ends.filter(({ edge, source }) => !lets(edge, source))
  const needed = closed.find(({ edge }) => !ANY.includes(edge.rule))
  if (needed !== undefined) return { reason: whyClosed(needed.edge, needed.source) }
  for (const rule of ANY) {
    const of = ends.filter(({ edge }) => edge.rule === rule)
    if (of.length > 0 && of.every(one => closed.includes(one))) return { reason: whyClosed(of[0]!.edge, of[0]!.source) }
  }
  return 'start'
}

function lets({ id, rule }: WorkflowEdge, { status, edges }: NodeState): boolean {
  const holds = edges.includes(id)
  switch (rule) {
    case 'all_success':
    case 'any_success':
      return status === 'completed' && holds
    case 'any_failed':
      return status === 'failed' && holds
    case 'none_failed':
      return status === 'skipped' || (status === 'completed' && holds)
    case 'all_complete':
      return status === 'skipped' || holds
  }
}

const whyClosed = ({ id, from, rule }: WorkflowEdge, { status, edges }: NodeState): string =>
  status === 'completed' && !edges.includes(id)
    ? `the condition of edge ${id} does not hold`
    : `node ${from} is ${status}, and edge ${id} asks for ${rule}`

/** Whether the run continues although this node failed: an edge handles the failure. */
export const isHandled = (graph: Graph, nodeId: string, holding: readonly string[]): boolean =>
  (graph.from.get(nodeId) ?? []).some(({ id, rule }) => holding.includes(id) && (rule === 'any_failed' || rule === 'all_complete'))

/** Any text may be the id of an edge, `constructor` too. */
export const timesFollowed = ({ followed }: Pick<RunState, 'followed'>, edgeId: string): number =>
  Object.hasOwn(followed, edgeId) ? followed[edgeId]! : 0

/** The edge that leads back from a node that has just ended; null when none may. A skipped node cannot be repeated. */
export function wayBack({ back }: Graph, state: RunState, nodeId: string, holding: readonly string[]): WorkflowEdge | null {
  const may = ({ id, to, repeats }: WorkflowEdge): boolean =>
    holding.includes(id) && timesFollowed(state, id) < repeats! && nodeOf(state, to).status !== 'skipped'
  return (back.get(nodeId) ?? []).find(may) ?? null
}

/** The outgoing edges of a node whose condition holds for its result. */
export function edgesThatHold(
  { from, back }: Graph,
  nodeId: string,
  result: { readonly status: string; readonly output: Json },
): readonly string[] {
  const all = [...(from.get(nodeId) ?? []), ...(back.get(nodeId) ?? [])]
  return all.filter(({ condition }) => condition === null || holds(condition, result)).map(({ id }) => id)
}

function holds({ type, left, right }: EdgeCondition, result: JsonLike): boolean {
  const value = valueAt(result, left)
  switch (type) {
    case 'truthy':
      return Boolean(value)
    case 'falsy':
      return !value
    case 'equals':
      return isSame(value, right)
    case 'notEquals':
      return !isSame(value, right)
    case 'contains':
      if (typeof value === 'string') return typeof right === 'string' && value.includes(right)
      return Array.isArray(value) && value.some(one => isSame(one, right))
  }
}

type JsonLike = { readonly status: string; readonly output: Json }

export function valueAt(value: Json | JsonLike, path: string): Json | undefined {
  let at: Json | undefined = value as Json
  for (const name of path.split('.').filter(part => part !== '')) {
    if (Array.isArray(at)) at = /^\d+$/.test(name) ? at[Number(name)] : undefined
    else at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

/** Ignores the order of keys, which depends on the model. */
const isSame = (a: Json | undefined, b: Json): boolean => a !== undefined && canonicalJson(a) === canonicalJson(b)
