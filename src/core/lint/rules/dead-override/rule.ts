import { documentsOf } from '../../documents.ts'
import type { LayoutRule } from '../../rule.ts'

export const deadOverride: LayoutRule = {
  name: 'dead-override',
  summary: 'An agent with a text of its own overrides no system prompt: its text goes before that.',
  severity: 'warning',

  *checkLayout(layout) {
    for (const { file, read } of documentsOf(layout).agents)
      if (read !== null && read.systemPrompt !== null && read.promptOverrides.system !== undefined)
        yield {
          file,
          pointer: ['promptOverrides', 'system'],
          message: 'The agent has a text of its own, which goes before this: it never applies',
          suggestion: 'remove this, or the text',
        }
  },
}
