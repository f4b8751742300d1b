// The node types that a run can execute. A reader refuses every other type: an approval gate that ran as an agent would approve itself.
import { nearest } from '../pack/nearest.ts'

/** The type of a node that names none. */
export const AGENT_TYPE = 'onbook.agent'

/** The type of the one node of a run that sends a message directly to a session. Workflows do not contain it. */
export const SESSION_TYPE = 'onbook.session'

/** The types of nodes that run one agent. The last one is the name in OpenWOP's conformance suite. */
export const NODE_TYPES: readonly string[] = [AGENT_TYPE, 'core.ai.callPrompt', 'local.sample.demo.mock-ai']

/** Why a type cannot run here, or null. */
export function nodeTypeProblem(typeId: string): string | null {
  if (NODE_TYPES.includes(typeId)) return null
  const meant = nearest(typeId, NODE_TYPES)
  return `There is no node type "${typeId}" here${meant === null ? '' : `: did you mean "${meant}"`}. Known types: ${NODE_TYPES.join(', ')}`
}
