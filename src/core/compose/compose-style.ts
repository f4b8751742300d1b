// Decides how much of a prompt is Onbook's own. The agent or the workflow chooses; a run freezes the default that applied at its start.
import type { Agent } from '../agent/agent.ts'
import { isGraphTool } from '../tools/graph-descriptors.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { Mode } from './mode.ts'

/** `verbatim`: the author's text and the input, nothing else. `graph`: all five blocks, with contract, mode and task. */
export const COMPOSE_STYLES = ['verbatim', 'graph'] as const
export type ComposeStyle = (typeof COMPOSE_STYLES)[number]

/** The facts that decide the default, besides the workflow. */
export interface ComposeFacts {
  readonly agent: Agent | null
  readonly mode: Mode
  /** Whether agents of the run work on a repo: then the mode limits what they may change. */
  readonly hasRepository: boolean
}

/** `verbatim` for a graph of one node without role, mode, handoffs or graph tools. */
export function defaultStyle({ nodes, edges }: Workflow, { agent, mode, hasRepository }: ComposeFacts): ComposeStyle {
  const [node, ...others] = nodes
  if (node === undefined || others.length + edges.length > 0 || mode === 'planning' || hasRepository) return 'graph'
  const edgeManagement = node.settings?.edgeManagement ?? agent?.settings?.edgeManagement ?? 'none'
  const usesGraphTools = edgeManagement !== 'none' || agent?.toolAllowlist?.some(isGraphTool) === true
  return (node.role ?? agent?.role ?? null) !== null || usesGraphTools ? 'graph' : 'verbatim'
}

/** The agent's choice, then the workflow's, then the default. @param frozen undefined for a run that was started before styles existed */
export function styleOf(frozen: ComposeStyle | undefined, workflow: Workflow, agent: Agent | null): ComposeStyle {
  if (frozen === undefined) return 'graph'
  return agent?.compose ?? workflow.compose ?? frozen
}
