// The names of a run's nodes: ids, which we assign, and aliases, which agents choose. A name means one node for the whole
// life of the record.
import { shown } from '../../resolve/prompt-ref.ts'
import type { Workflow, WorkflowNode } from '../../workflow/workflow.ts'

const ALIAS = /^[a-z0-9][a-z0-9_-]{0,63}$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Ids go before aliases; the case of an alias does not matter. */
export function findNode({ nodes }: Workflow, ref: string): WorkflowNode | null {
  const name = ref.trim()
  const lower = name.toLowerCase()
  return nodes.find(({ id }) => id === name) ?? nodes.find(({ alias }) => alias?.toLowerCase() === lower) ?? null
}

/** The problem with an alias for a new node; null when it is valid. */
export function aliasProblem(workflow: Workflow, alias: string): string | null {
  if (!ALIAS.test(alias))
    return `invalid alias "${shown(alias)}": 1 to 64 letters, digits, underscores and hyphens, the first a letter or digit`
  if (UUID.test(alias)) return `invalid alias "${shown(alias)}": it looks like an id; choose a word`
  if (isTaken(workflow, alias)) return `duplicate alias "${shown(alias)}": it is the name of another node of this run; choose another`
  return null
}

const isTaken = ({ nodes }: Workflow, name: string): boolean => {
  const lower = name.toLowerCase()
  return nodes.some(({ id, alias }) => id.toLowerCase() === lower || alias?.toLowerCase() === lower)
}

const LONGEST_SLUG = 40

/** Readable, and the name of nothing else. @param alias of the new node itself */
export function newNodeId(workflow: Workflow, label: string, alias: string | null): string {
  const slug = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '')
  for (let count = 1; ; count += 1) {
    const id = `${slug || 'node'}-${count}`
    if (!isTaken(workflow, id) && id !== alias?.toLowerCase()) return id
  }
}
