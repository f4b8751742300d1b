import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { deadOverride } from './rule.ts'

const agent = (fields: string) => ({ 'agents/writer.yaml': `agentId: local.news.writer\n${fields}` })
const override = 'promptOverrides:\n  user: prompt:a\n  system: prompt:b\n'

testLayoutRule(deadOverride, {
  accepts: [
    { why: 'an override without a text', files: agent(override) },
    { why: 'a text, and overrides of other kinds', files: agent('systemPrompt: You write.\npromptOverrides:\n  user: prompt:a\n') },
  ],
  rejects: [
    {
      why: 'a text beside it',
      files: agent(`systemPrompt: You write.\n${override}`),
      problems: ['agents/writer.yaml:5:11 The agent has a text of its own, which goes before this: it never applies'],
    },
    {
      why: 'a text in a file',
      files: { ...agent(`systemPromptRef: writer.md\n${override}`), 'agents/writer.md': 'You write.' },
      problems: ['agents/writer.yaml:5:11 The agent has a text of its own, which goes before this: it never applies'],
    },
  ],
})
