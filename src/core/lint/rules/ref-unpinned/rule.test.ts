import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { refUnpinned } from './rule.ts'

const agent = (ref: string) => ({ 'agents/writer.yaml': `agentId: local.news.writer\npromptOverrides: { system: "${ref}" }\n` })
const workflow = (ref: string) => ({ 'workflows/news.yaml': `id: news\nnodes:\n  - id: a\n    config: { systemPromptRef: "${ref}" }\n` })

testLayoutRule(refUnpinned, {
  accepts: [
    { why: 'a version', files: { ...agent('prompt:writer@1.0.0'), ...workflow('prompt:writer@1.0.0') } },
    { why: 'a label', files: { ...agent('prompt:writer@production'), ...workflow('prompt:writer@production') } },
    { why: 'no ref', files: { 'workflows/news.yaml': 'id: news\nnodes:\n  - id: a\n' } },
    { why: 'what is not a ref', files: workflow('writer @@') },
  ],
  rejects: [
    {
      why: 'neither, in an agent',
      files: agent('prompt:writer'),
      problems: ['agents/writer.yaml:2:28 prompt:writer names no version: a run uses the version that is active when it starts'],
      suggestions: ['name a version to pin it (prompt:writer@1.0.0), or a label that you move (prompt:writer@production)'],
    },
    {
      why: 'neither, in a workflow',
      files: workflow('prompt:writer'),
      problems: ['workflows/news.yaml:4:32 prompt:writer names no version: a run uses the version that is active when it starts'],
    },
  ],
})
