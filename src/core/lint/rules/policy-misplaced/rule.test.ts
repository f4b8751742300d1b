import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { policyMisplaced } from './rule.ts'

const index = { 'agent.workspace.json': {} }
const policy = { 'onbook.policy.yaml': 'grants: []\n' }
const said = 'This is published with the workspace, and allows nothing there: a host reads its policy where it is started'

testLayoutRule(policyMisplaced, {
  accepts: [
    { why: 'where onbook is started', files: policy },
    { why: 'a workspace without one', files: index },
    { why: 'one that is left out when the workspace is published', files: { ...index, ...policy, '.onbookignore': 'onbook.*.yaml\n' } },
    { why: 'a file that is called otherwise', files: { ...index, 'context/my-onbook.policy.yaml': 'x' } },
  ],
  rejects: [
    { why: 'in the root of a workspace', files: { ...index, ...policy }, problems: [`onbook.policy.yaml:1:1 ${said}`] },
    {
      why: 'among its content',
      files: { 'context/onbook.policy.yaml': 'grants: []\n', 'tools/onbook.policy.yaml': 'grants: []\n' },
      problems: [`context/onbook.policy.yaml:1:1 ${said}`, `tools/onbook.policy.yaml:1:1 ${said}`],
      suggestions: Array(2).fill('move it there, or name it in .onbookignore'),
    },
  ],
})
