import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { policyNames } from './rule.ts'

const policy = (grant: string) => ({ 'onbook.policy.yaml': `grants:\n  - ${grant}\n` })

testLayoutRule(policyNames, {
  accepts: [
    { why: 'no policy', files: {} },
    { why: 'tools that ship', files: policy('tools: [read_file, workspace.read, spawn_node]') },
    { why: 'a beginning', files: policy('tools: ["read_fil*"]') },
    { why: 'a tool of a server', files: policy('tools: [weather.forecast]') },
    { why: 'roles that ship, and one that is unlike any', files: policy('{ tools: [read_file], roles: [planner, accountant] }') },
    {
      why: 'what lies here',
      files: {
        ...policy('{ tools: [read_filed], roles: [planters] }'),
        'tools/descriptors/read_filed.json': {},
        'docs/templates/planters.md': 'x',
      },
    },
  ],
  rejects: [
    {
      why: 'a slip in a tool and in a role',
      files: policy('{ tools: ["*", raed_file], roles: [planer] }'),
      problems: [
        'onbook.policy.yaml:2:20 No tool that is known here is called raed_file',
        'onbook.policy.yaml:2:40 No role that is known here is called planer',
      ],
      suggestions: ['did you mean read_file?', 'did you mean planner?'],
    },
    {
      why: 'nearly a tool of this workspace',
      files: { ...policy('tools: [forcast]'), 'tools/descriptors/forecast.json': {} },
      problems: ['onbook.policy.yaml:2:13 No tool that is known here is called forcast'],
    },
  ],
})
