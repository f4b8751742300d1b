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
  const known = graphs.get(workflow)
  if (known !== undefined) return known
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
  const found = new Map<string, WorkflowEdge[]>()
  for (const edge of edges) found.set(edge[end], [...(found.get(edge[end]) ?? []), edge])
  return found
}

/** Everything that comes after a node, along edges that lead on. */
export function reachOf({ from }: Graph, nodeId: string): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [nodeId]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const { to } of from.get(at) ?? [])
      if (!found.has(to)) {
        found.add(to)
        open.push(to)
      }
  return found
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
    // A node that is disabled is passed over in its turn, so that nothing after it overtakes what is before it.
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

/** Whether the run goes on although this node failed: an edge is there for that. */
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
  given: { readonly status: string; readonly output: Json },
): readonly string[] {
  const all = [...(from.get(nodeId) ?? []), ...(back.get(nodeId) ?? [])]
  return all.filter(({ condition }) => condition === null || holds(condition, given)).map(({ id }) => id)
}

function holds({ type, left, right }: EdgeCondition, given: JsonLike): boolean {
  const found = valueAt(given, left)
  switch (type) {
    case 'truthy':
      return Boolean(found)
    case 'falsy':
      return !found
    case 'equals':
      return isSame(found, right)
    case 'notEquals':
      return !isSame(found, right)
    case 'contains':
      if (typeof found === 'string') return typeof right === 'string' && found.includes(right)
      return Array.isArray(found) && found.some(one => isSame(one, right))
  }
}

type JsonLike = { readonly status: string; readonly output: Json }

export function valueAt(value: Json | JsonLike, path: string): Json | undefined {
  let found: Json | undefined = value as Json
  for (const name of path.split('.').filter(part => part !== '')) {
    if (Array.isArray(found)) found = /^\d+$/.test(name) ? found[Number(name)] : undefined
    else found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

/** Ignores the order of keys, which depends on the model. */
const isSame = (a: Json | undefined, b: Json): boolean => a !== undefined && canonicalJson(a) === canonicalJson(b)
