import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { policyShadowed } from './rule.ts'

const policy = (...grants: readonly string[]) => ({ 'onbook.policy.yaml': `grants:\n${grants.map(one => `  - { ${one} }\n`).join('')}` })
const second = (by = 1) => `onbook.policy.yaml:3:5 Grant 2 never decides: grant ${by}, on line 2, takes everything it names`

testLayoutRule(policyShadowed, {
  accepts: [
    { why: 'no policy, and one that cannot be read', files: {} },
    { why: 'one that cannot be read', files: { 'onbook.policy.yaml': 'grants: 7\n' } },
    { why: 'the narrower first', files: policy('tools: [read_file]', 'tools: ["*"]') },
    { why: 'other agents', files: policy('tools: ["*"], agents: [writer]', 'tools: ["*"], agents: [critic]') },
    { why: 'somebody more', files: policy('tools: ["*"], agents: [writer]', 'tools: ["*"], agents: [writer, critic]') },
    { why: 'those without a role', files: policy('tools: ["*"], roles: ["*"]', 'tools: ["*"]') },
    {
      why: 'other arguments',
      files: policy('tools: [a], arguments: { path: ["docs/**"] }', 'tools: [a], arguments: { path: ["src/**"] }'),
    },
    { why: 'arguments at all', files: policy('tools: [a], arguments: { path: ["docs/**"] }', 'tools: [a]') },
    {
      why: 'a denial that takes what is unclear',
      files: policy('tools: [a], arguments: { path: ["docs/**"] }', 'tools: [a], arguments: { path: ["docs/**"] }, deny: true'),
    },
  ],
  rejects: [
    {
      why: 'the same twice',
      files: policy('tools: [a]', 'tools: [a]'),
      problems: [second()],
      suggestions: ['remove it, or narrow the one before it'],
    },
    { why: 'everything first', files: policy('tools: ["*"]', 'tools: [a], agents: [writer], approval: true'), problems: [second()] },
    { why: 'a beginning', files: policy('tools: ["repo.*"]', 'tools: ["repo.read", "repo.files.*"]'), problems: [second()] },
    {
      why: 'a denial that comes too late',
      files: policy('tools: ["*"]', 'tools: [command], deny: true'),
      problems: [second()],
      suggestions: ['put it before the other'],
    },
    {
      why: 'arguments that the other has too',
      files: policy('tools: [a], arguments: { path: [x, y] }', 'tools: [a], arguments: { path: [x], mode: [w] }'),
      problems: [second()],
    },
    { why: 'no agent at all', files: policy('tools: [a], agents: ["*"]', 'tools: [a], agents: []'), problems: [second()] },
  ],
})
