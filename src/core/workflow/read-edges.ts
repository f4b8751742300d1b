// Converts the edges of a workflow from the written to the internal form. Their format is already checked.
import type { Json } from '../digest/digest.ts'
import { nearest } from '../pack/nearest.ts'
import { shown } from '../resolve/prompt-ref.ts'
import type { Pointer } from '../schema/pointer.ts'
import type { Say } from './read-node.ts'
import type { EdgeCondition, EdgeRule, WorkflowEdge } from './workflow.ts'

export interface WrittenEdge {
  readonly id?: string
  readonly from?: string
  readonly to?: string
  readonly sourceNodeId?: string
  readonly targetNodeId?: string
  readonly sourceOutput?: string
  readonly targetInput?: string
  readonly condition?: { readonly type?: EdgeCondition['type'] | 'expression' | 'regex'; readonly left?: string; readonly right?: Json }
  readonly label?: string
  readonly triggerRule?: EdgeRule
  readonly type?: 'handoff' | 'report'
  readonly bidirectional?: boolean
  readonly repeats?: number
  readonly contextPacks?: WorkflowEdge['contextPacks']
}

/** Those without an end that is known are left out, and said. */
export function readEdges(written: readonly WrittenEdge[], nodes: readonly string[], say: Say): readonly WorkflowEdge[] {
  const nameEdge = edgeNames(written)
  const nodeIds = new Set(nodes)
  return written.flatMap((edge, index) => {
    const at = ['edges', index]
    const from = endOf(edge, 'from', 'sourceNodeId', at, nodeIds, say)
    const to = endOf(edge, 'to', 'targetNodeId', at, nodeIds, say)
    const condition = edge.condition === undefined ? null : readCondition(edge.condition, [...at, 'condition'], say)
    if (from === null || to === null) return []
    const { targetInput = null, sourceOutput = 'output', triggerRule = 'all_success', label = null, type = 'handoff' } = edge
    const { bidirectional = false, repeats = null, contextPacks = [] } = edge
    const id = edge.id ?? nameEdge(from, to)
    const rule = triggerRule
    return [{ id, from, to, input: targetInput, output: sourceOutput, condition, rule, label, type, bidirectional, repeats, contextPacks }]
  })
}

function endOf(
  edge: WrittenEdge,
  short: 'from' | 'to',
  long: 'sourceNodeId' | 'targetNodeId',
  at: Pointer,
  nodeIds: ReadonlySet<string>,
  say: Say,
): string | null {
  const id = edge[short] ?? edge[long]
  if (id === undefined) {
    say(at, `The edge has no "${short}": name a node`)
    return null
  }
  if (edge[short] !== undefined && edge[long] !== undefined && edge[short] !== edge[long])
    say([...at, long], `"${short}" and "${long}" name different nodes: keep one`)
  return sayUnknown(id, [...at, edge[short] === undefined ? long : short], nodeIds, say) ? null : id
}

/** Whether it is unknown. */
export function sayUnknown(id: string, at: Pointer, nodeIds: ReadonlySet<string>, say: Say): boolean {
  if (nodeIds.has(id)) return false
  const meant = nearest(id, nodeIds)
  say(at, `There is no node "${shown(id)}"${meant === null ? ': name one of "nodes"' : `: did you mean "${shown(meant)}"?`}`)
  return true
}

/** Ids for edges without one. They do not collide with existing ids. */
function edgeNames(written: readonly WrittenEdge[]): (from: string, to: string) => string {
  const taken = new Set(written.flatMap(({ id }) => id ?? []))
  const counts = new Map<string, number>()
  return (from, to) => {
    const plain = `${from}->${to}`
    let count = counts.get(plain) ?? 0
    let name: string
    do {
      count++
      name = count === 1 ? plain : `${plain}#${count}`
    } while (taken.has(name))
    counts.set(plain, count)
    taken.add(name)
    return name
  }
}

function readCondition({ type, left, right = null }: NonNullable<WrittenEdge['condition']>, at: Pointer, say: Say): EdgeCondition | null {
  if (type === undefined) say(at, 'The condition has no "type": equals, notEquals, contains, truthy or falsy')
  else if (type === 'expression' || type === 'regex')
    say([...at, 'type'], `Conditions of type ${type} are not supported, because they are untrusted code: compare with equals or contains`)
  else if (left === undefined || left === '') say(at, 'The condition has no "left": name what is compared, as in output.verdict')
  else return { type, left, right }
  return null
}
