// onbook.policy.yaml: read whole or not at all, and every problem has its place.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEFAULT_POLICY, sessionPolicy } from '../core/gate/host-policy.ts'
import { policyFormat, readPolicyFile } from './policy-file.ts'

it('allows nothing more than what it says, and nothing at all without a file', () => {
  expect(readPolicyFile('# nothing yet\n')).toEqual({ policy: DEFAULT_POLICY, problems: [] })
  const { policy, problems } = readPolicyFile('grants:\n  - tools: ["workspace.*"]\n    agents: [writer]\noffer: [workspace.read]\n')
  expect(problems).toEqual([])
  expect(policy).toEqual({ grants: [{ tools: ['workspace.*'], agents: ['writer'] }], workspaces: null, offer: ['workspace.read'] })
})

const WRONG: readonly [string, string, RegExp][] = [
  ['a setting that is not there', 'grants: []\ngrant: []\n', /^line 2, column 1: there is no setting "grant"/],
  ['a grant without tools', 'grants:\n  - tenants: [acme]\n', /^line 2, column 5: .*tools/],
  [
    'a session that may write',
    'workspaces:\n  - workspaces: [desk]\n    operations: [write]\n',
    /^line 3, column 18: .*resolve, list, read, diff/,
  ],
  ['a digest for a name', `offer: ["sha256:${'0'.repeat(64)}"]\n`, /^line 1, column 9: /],
  ['what is no YAML', 'grants: [\n', /^line \d+, column \d+: /],
]
it.each(WRONG)('%s is a problem with line and column, and nothing of the file is used', (_, text, problem) => {
  const read = readPolicyFile(text)
  expect(read.problems[0]).toMatch(problem)
  expect(read.policy).toEqual(DEFAULT_POLICY)
})

it('is published as a schema', () => {
  expect(JSON.parse(readFileSync('schemas/policy.schema.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(policyFormat)))
})

describe('what a session may read', () => {
  it('is all that its tenant has, when nothing is said', () => {
    expect(sessionPolicy(DEFAULT_POLICY, 'acme', 'writer')).toEqual([
      { workspaces: ['*'], operations: ['resolve', 'list', 'read', 'diff'] },
    ])
  })

  it('is what names it, and nothing when nothing does', () => {
    const { policy } = readPolicyFile(
      'workspaces:\n  - { sessions: ["desk-*"], workspaces: [desk], paths: [context] }\n  - { tenants: [umbrella], workspaces: ["*"] }\n',
    )
    const operations = ['resolve', 'list', 'read', 'diff']
    expect(sessionPolicy(policy, 'acme', 'desk-1')).toEqual([{ workspaces: ['desk'], paths: ['context'], operations }])
    expect(sessionPolicy(policy, 'acme', 'other')).toEqual([])
    expect(sessionPolicy(policy, 'umbrella', 'other')).toEqual([{ workspaces: ['*'], operations }])
  })
})
