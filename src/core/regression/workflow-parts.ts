// Finds the parts of a workflow that differ from the record, and applies some of them. Runs nothing.
import { canonicalJson, type Json } from '../digest/digest.ts'
import type { Workflow, WorkflowNode } from '../workflow/workflow.ts'

/** The order of the nodes. */
const ORDER = 'nodes'
const NODE = 'nodes/'
/** They say nothing to a model, or concern how a run is started and ended: that stays as it was. */
const KEPT: readonly string[] = [
  'id',
  'version',
  'description',
  'nodes',
  'mode',
  'budget',
  'stallAfter',
  'rulesVersion',
  'configurableSchema',
]

/** By field, and by node: `promptRefs`, `nodes/writer`. In a steady order. */
export function changedParts(recorded: Workflow, proposed: Workflow): readonly string[] {
  const fields = Object.keys(proposed).filter(
    key => !KEPT.includes(key) && !isSame(recorded[key as keyof Workflow], proposed[key as keyof Workflow]),
  )
  const nodes = idsIn(recorded, proposed)
    .filter(id => !isSame(nodeIn(recorded, id), nodeIn(proposed, id)))
    .map(id => `${NODE}${id}`)
  const isOrdered = isSame(idsIn(takeParts(recorded, proposed, nodes)), idsIn(proposed))
  return [...fields, ...(isOrdered ? [] : [ORDER]), ...nodes].sort()
}

export function takeParts(recorded: Workflow, proposed: Workflow, parts: readonly string[]): Workflow {
  if (parts.length === 0) return recorded
  const fields = parts.filter(part => part !== ORDER && !part.startsWith(NODE))
  const order = parts.includes(ORDER) ? idsIn(proposed, recorded) : idsIn(recorded, proposed)
  const nodes = order.flatMap(id => nodeIn(parts.includes(`${NODE}${id}`) ? proposed : recorded, id) ?? [])
  return { ...recorded, ...Object.fromEntries(fields.map(field => [field, proposed[field as keyof Workflow]])), nodes }
}

const idsIn = (...workflows: readonly Workflow[]): readonly string[] => [
  ...new Set(workflows.flatMap(({ nodes }) => nodes.map(({ id }) => id))),
]

const nodeIn = ({ nodes }: Workflow, id: string): WorkflowNode | undefined => nodes.find(node => node.id === id)

const isSame = (one: unknown, other: unknown): boolean => canonicalJson((one ?? null) as Json) === canonicalJson((other ?? null) as Json)
