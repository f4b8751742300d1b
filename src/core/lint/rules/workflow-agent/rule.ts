import type { Json } from '../../../digest/digest.ts'
import { isObject, type JsonObject } from '../../../digest/is-object.ts'
import { nearest } from '../../../pack/nearest.ts'
import type { Pointer } from '../../../schema/pointer.ts'
import { documentsOf } from '../../documents.ts'
import type { LayoutRule } from '../../rule.ts'

export const workflowAgent: LayoutRule = {
  name: 'workflow-agent',
  summary: 'Every agent that a workflow names is in agents/.',
  severity: 'error',

  *checkLayout(layout) {
    const { agents, workflows } = documentsOf(layout)
    // One that is not valid is there all the same.
    const agentIds = new Set(agents.flatMap(({ written: { agentId } }) => (typeof agentId === 'string' ? [agentId] : [])))
    for (const { file, read, written } of workflows)
      for (const [index, { agentId }] of (read?.nodes ?? []).entries()) {
        if (agentId === null || agentIds.has(agentId)) continue
        const meant = nearest(agentId, agentIds)
        yield {
          file,
          pointer: ['nodes', index, ...placeIn((written.nodes as readonly Json[])[index])],
          message: `No file of agents/ has the agent ${agentId}`,
          suggestion: meant === null ? 'write one, or name another' : `did you mean ${meant}?`,
        }
      }
  },
}

/** Where a node names its agent. */
function placeIn(node: Json | undefined): Pointer {
  const { agent, config } = isObject(node) ? node : ({} as JsonObject)
  if (agent !== undefined) return isObject(agent) ? ['agent', 'agentId'] : ['agent']
  const configured = isObject(config) ? config.agent : undefined
  if (configured === undefined) return ['config', 'agentId']
  return isObject(configured) ? ['config', 'agent', 'agentId'] : ['config', 'agent']
}
