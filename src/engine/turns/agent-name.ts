// The name by which policies know a node's agent: the agent of the workflow, else the session that it works in or takes its snapshot from,
// else the node itself.
import { digestText } from '../../core/digest/digest.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import { agentOf } from './task.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** A name for a node of a run that is a name everywhere, whatever the node is called. */
export const nodeName = (runId: string, nodeId: string): string =>
  `${runId}.${NAME.test(nodeId) ? nodeId : `~${digestText(nodeId).slice('sha256:'.length, 'sha256:'.length + 16)}`}`

export function agentName({ state, frozen }: { readonly state: RunState; readonly frozen: LoadedFrozen }, nodeId: string): string {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const { home, session } = nodeOf(state, nodeId)
  return agentOf(frozen, node)?.agentId ?? home ?? session ?? nodeName(state.runId, nodeId)
}
