// The node types that a run can execute. A reader refuses every other type: an approval gate that ran as an agent would approve itself.
import { nearest } from '../pack/nearest.ts'

/** The type of a node that names none. */
export const AGENT_TYPE = 'onbook.agent'

/** The type of the one node of a run that asks a session directly. Nobody writes it into a workflow. */
export const SESSION_TYPE = 'onbook.session'

/** Each of them is one agent at work. The last one is the name that OpenWOP's conformance suite uses. */
export const NODE_TYPES: readonly string[] = [AGENT_TYPE, 'core.ai.callPrompt', 'local.sample.demo.mock-ai']

/** Why a type cannot run here, or null. */
export function nodeTypeProblem(typeId: string): string | null {
  if (NODE_TYPES.includes(typeId)) return null
  const meant = nearest(typeId, NODE_TYPES)
  return `There is no node type "${typeId}" here${meant === null ? '' : `: did you mean "${meant}"`}. Known types: ${NODE_TYPES.join(', ')}`
}
