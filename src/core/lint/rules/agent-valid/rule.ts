import { documentsOf, twins } from '../../documents.ts'
import type { LayoutRule } from '../../rule.ts'

export const agentValid: LayoutRule = {
  name: 'agent-valid',
  summary: 'Every agent is of its format, has at most one text of its own, which is there, and an agentId that no other file has.',
  severity: 'error',

  *checkLayout(layout) {
    const { agents } = documentsOf(layout)
    for (const { found } of agents) yield* found
    yield* twins(agents, ({ agentId }) => agentId, 'agentId')
  },
}
