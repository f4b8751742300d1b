// Finds the edges of a workflow that lead back, and problems of its shape: unbounded cycles, unreachable nodes.
import { shown } from '../resolve/prompt-ref.ts'
import type { Mismatch } from '../schema/verdict.ts'

export interface GraphEdge {
  readonly from: string
  readonly to: string
  /** Null leads on. */
  readonly repeats: number | null
}

/** `nodes`: in the order in which they were written. Edges lead only to those. */
export interface Graph<E extends GraphEdge = GraphEdge> {
  readonly nodes: readonly string[]
  readonly edges: readonly E[]
}

/** When no edge is marked as leading back, those lead back that are on a cycle and lead to their own node or an earlier one. */
export function markLeadingBack<E extends GraphEdge>({ nodes, edges }: Graph<E>, bound: number): readonly E[] {
  const place = new Map(nodes.map((id, index) => [id, index]))
  const knot = knotsOf({ nodes, edges })
  const leadsBack = ({ from, to }: E) => knot.get(from) === knot.get(to) && place.get(to)! <= place.get(from)!
  return edges.map(edge => (leadsBack(edge) ? { ...edge, repeats: bound } : edge))
}

export function* graphProblems({ nodes, edges }: Graph): Iterable<Mismatch> {
  const leadingOn = edges.filter(({ repeats }) => repeats === null)
  const next = nextOf(leadingOn)
  yield* cycleProblems({ nodes, edges }, knotsOf({ nodes, edges: leadingOn }))
  const targets = new Set(leadingOn.map(({ to }) => to))
  const reached = reachedFrom(
    nodes.filter(id => !targets.has(id)),
    next,
  )
  for (const [index, id] of nodes.entries())
    if (!reached.has(id))
      yield { pointer: ['nodes', index], message: `Nothing leads to "${shown(id)}": every way to it begins in a cycle. Let one node begin` }
  yield* wrongWayProblems(edges, next)
}

function* cycleProblems({ nodes, edges }: Graph, knot: ReadonlyMap<string, number>): Iterable<Mismatch> {
  const place = new Map(nodes.map((id, index) => [id, index]))
  const reported = new Set<number>()
  for (const [index, { from, to, repeats }] of edges.entries()) {
    const which = knot.get(from)!
    // Every cycle has an edge that does not lead to a later node. One is enough to tell.
    if (repeats !== null || which !== knot.get(to) || place.get(to)! > place.get(from)! || reported.has(which)) continue
    reported.add(which)
    yield {
      pointer: ['edges', index],
      message: `A cycle without a bound: "${shown(from)}" leads back to "${shown(to)}". Say "repeats" at the edge that leads back`,
    }
  }
}

/** An edge that leads back must lead to a node from which its source was reached; otherwise it would start unrelated work. */
function* wrongWayProblems(edges: readonly GraphEdge[], next: Next): Iterable<Mismatch> {
  const reach = new Map<string, ReadonlySet<string>>()
  for (const [index, { from, to, repeats }] of edges.entries()) {
    if (repeats === null) continue
    const behind = reach.get(to) ?? reachedFrom([to], next)
    reach.set(to, behind)
    if (!behind.has(from))
      yield {
        pointer: ['edges', index],
        message: `"${shown(to)}" does not lead on to "${shown(from)}", so this edge cannot lead back. Write the nodes in the order in which they work, or remove "repeats"`,
      }
  }
}

type Next = ReadonlyMap<string, readonly string[]>

function nextOf(edges: readonly GraphEdge[]): Next {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) {
    const targets = next.get(from)
    if (targets === undefined) next.set(from, [to])
    else targets.push(to)
  }
  return next
}

function reachedFrom(starts: readonly string[], next: Next): ReadonlySet<string> {
  const reached = new Set(starts)
  // A set is walked in the order of insertion, including items that the walk adds.
  for (const id of reached) for (const target of next.get(id) ?? []) reached.add(target)
  return reached
}

/** Nodes that lead to one another share a number (Tarjan's strongly connected components). */
function knotsOf({ nodes, edges }: Graph): ReadonlyMap<string, number> {
  const next = nextOf(edges)
  const knot = new Map<string, number>()
  const seen = new Map<string, number>()
  const open: string[] = []
  const visit = (id: string): number => {
    const own = seen.size
    seen.set(id, own)
    open.push(id)
    let low = own
    for (const target of next.get(id) ?? []) {
      if (!seen.has(target)) low = Math.min(low, visit(target))
      else if (!knot.has(target)) low = Math.min(low, seen.get(target)!)
    }
    if (low === own) for (const member of open.splice(open.indexOf(id))) knot.set(member, own)
    return low
  }
  for (const id of nodes) if (!seen.has(id)) visit(id)
  return knot
}
