import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { workflowRole } from './rule.ts'

const workflow = (node: string) => ({ 'workflows/news.yaml': `id: news\nnodes:\n  - id: a\n${node}` })
const agent = (role: string) => ({ 'agents/writer.yaml': `agentId: local.news.writer\nrole: ${role}\n` })

testLayoutRule(workflowRole, {
  accepts: [
    { why: 'roles that are shipped', files: { ...workflow('    role: planner\n'), ...agent('reviewer') } },
    { why: 'a role of the workspace', files: { ...workflow('    role: scribe\n'), 'docs/templates/scribe.md': 'You write.' } },
    { why: 'no role', files: workflow('') },
  ],
  rejects: [
    {
      why: 'roles that are nowhere',
      files: { ...workflow('    role: constructor\n'), ...agent('reviwer') },
      problems: [
        'agents/writer.yaml:2:7 There is no role reviwer: neither docs/templates/reviwer.md nor one that is shipped',
        'workflows/news.yaml:4:11 There is no role constructor: neither docs/templates/constructor.md nor one that is shipped',
      ],
      suggestions: [
        'did you mean reviewer?',
        'write docs/templates/constructor.md, or name one of orchestrator, planner, implementer, reviewer, investigator',
      ],
    },
    {
      why: 'the same in a config, near one of the workspace',
      files: { ...workflow('    config:\n      role: scibe\n'), 'docs/templates/scribe.md': 'You write.' },
      problems: ['workflows/news.yaml:5:13 There is no role scibe: neither docs/templates/scibe.md nor one that is shipped'],
      suggestions: ['did you mean scribe?'],
    },
  ],
})
