import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { workflowAgent } from './rule.ts'

const agents = { 'agents/writer.yaml': 'agentId: local.news.writer\n' }
const workflow = (node: string) => ({ 'workflows/news.yaml': `id: news\nnodes:\n  - id: a\n${node}` })

testLayoutRule(workflowAgent, {
  accepts: [
    { why: 'an agent that is there', files: { ...agents, ...workflow('    agent: local.news.writer\n') } },
    {
      why: 'one that is there and not valid',
      files: { 'agents/w.yaml': 'agentId: local.news.writer\nx: 1\n', ...workflow('    agent: local.news.writer\n') },
    },
    { why: 'no agent', files: workflow('') },
    { why: 'a workflow that is not valid', files: workflow('    agent: nobody.at.all\n    x: 1\n') },
  ],
  rejects: [
    {
      why: 'an agent that is nowhere',
      files: { ...agents, ...workflow('    agent: local.news.wirter\n') },
      problems: ['workflows/news.yaml:4:12 No file of agents/ has the agent local.news.wirter'],
      suggestions: ['did you mean local.news.writer?'],
    },
    {
      why: 'the same by an AgentRef',
      files: workflow('    agent:\n      agentId: core.a.b\n'),
      problems: ['workflows/news.yaml:5:16 No file of agents/ has the agent core.a.b'],
      suggestions: ['write one, or name another'],
    },
    {
      why: 'the same in a config',
      files: workflow('    config:\n      agentId: core.a.b\n'),
      problems: ['workflows/news.yaml:5:16 No file of agents/ has the agent core.a.b'],
    },
    {
      why: 'the same in a config, by the other key',
      files: workflow('    config:\n      agent: core.a.b\n'),
      problems: ['workflows/news.yaml:5:14 No file of agents/ has the agent core.a.b'],
    },
  ],
})
