import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { policyValid } from './rule.ts'

testLayoutRule(policyValid, {
  accepts: [
    { why: 'no policy at all', files: {} },
    { why: 'nothing but a comment', files: { 'onbook.policy.yaml': '# nobody may anything yet\n' } },
    { why: 'a grant', files: { 'onbook.policy.yaml': 'grants:\n  - tools: ["workspace.*"]\n    arguments: { path: ["docs/**"] }\n' } },
    { why: 'what is none, elsewhere', files: { 'context/onbook.policy.yaml': 'grants: 7\n' } },
  ],
  rejects: [
    {
      why: 'no YAML',
      files: { 'onbook.policy.yaml': 'grants: [\n' },
      problems: ['onbook.policy.yaml:2:1 Flow sequence in block collection must be sufficiently indented and end with a ]'],
    },
    {
      why: 'values that do not fit, each at its place',
      files: { 'onbook.policy.yaml': 'grants:\n  - tools: [a]\n    agent: [writer]\n    approval: maybe\noffers: []\n' },
      problems: [
        'onbook.policy.yaml:3:5 There is no "agent" here: did you mean "agents"?',
        'onbook.policy.yaml:4:15 "grants/0/approval" must be a boolean or an object, not a string',
        'onbook.policy.yaml:5:1 There is no "offers" here: did you mean "offer"?',
      ],
    },
    {
      why: 'a pattern that nothing fits, and a denial that asks',
      files: {
        'onbook.policy.yaml':
          'grants:\n  - tools: [read_file]\n    arguments: { path: ["../**"] }\n  - { tools: ["*"], deny: true, approval: true }\n',
      },
      problems: [
        'onbook.policy.yaml:3:25 Nothing fits "../**": a text with ".." or "\\" in it fits no pattern',
        'onbook.policy.yaml:4:33 A denial needs no approval: leave out "approval", or "deny"',
      ],
    },
  ],
})
