// onbook.policy.yaml: read whole or not at all, and every problem has its place.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEFAULT_POLICY, gateRules, sessionPolicy } from './host-policy.ts'
import { policyFormat } from './policy-format.ts'
import { readPolicy } from './read-policy.ts'

it('allows nothing more than what it says, and nothing at all without a file', () => {
  expect(readPolicy('# nothing yet\n')).toEqual({ policy: DEFAULT_POLICY, problems: [], lines: [] })
  const read = readPolicy('grants:\n  - tools: ["workspace.*"]\n    agents: [writer]\n\n  - tools: [a]\noffer: [workspace.read]\n')
  expect(read).toEqual({
    policy: {
      ...DEFAULT_POLICY,
      grants: [{ tools: ['workspace.*'], agents: ['writer'] }, { tools: ['a'] }],
      offer: ['workspace.read'],
    },
    problems: [],
    lines: [2, 5],
  })
})

it('says what holds for all calls, and what is left out is as usual', () => {
  expect(gateRules(readPolicy('offer: []\n').policy)).toEqual({ planningCommands: [], orchestratorAsks: true, approvalMs: 86_400_000 })
  const text = 'approvals: { expireAfterMs: 60000 }\nplanningCommands: [git status, ls *]\norchestrator: { asks: false }\n'
  expect(gateRules(readPolicy(text).policy)).toEqual({
    planningCommands: ['git status', 'ls *'],
    orchestratorAsks: false,
    approvalMs: 60_000,
  })
})

const one = (rest: string) => `grants:\n  - tools: ["*"]\n    ${rest}\n`

it.each([
  one('arguments: { path: ["docs/**"], to.name: [a, 1, true] }'),
  one('approval: { by: ["cli:ana", "key:*"], expireAfterMs: 1000 }'),
  one('deny: true'),
  one('arguments: { cmd: ["git log *"] }'),
])('%j is a policy', text => {
  expect(readPolicy(text).problems).toEqual([])
})

const WRONG: readonly [why: string, text: string, line: number, column: number, problem: RegExp][] = [
  ['a setting that is not there', 'grants: []\ngrant: []\n', 2, 1, /^There is no "grant" here: did you mean "grants"\?$/],
  ['a list', '- tools: [a]\n', 1, 1, /^The policy must be an object/],
  ['a grant without tools', 'grants:\n  - tenants: [acme]\n', 2, 5, /has no "tools"$/],
  ['a grant of no tool', 'grants:\n  - tools: []\n', 2, 12, /is empty$/],
  ['a star before the end', 'grants:\n  - tools: ["a*b"]\n', 2, 13, /has the wrong form: "a\*b"$/],
  [
    'a session that may write',
    'workspaces:\n  - workspaces: [desk]\n    operations: [write]\n',
    3,
    18,
    /must be one of resolve, list, read, diff$/,
  ],
  ['a digest for a name', `offer: ["sha256:${'0'.repeat(64)}"]\n`, 1, 9, /has the wrong form/],
  ['what is no YAML', 'grants: [\n', 2, 1, /Flow sequence/],
  ['an argument that names nothing', one('arguments: { path: [] }'), 3, 24, /is empty$/],
  ['a pattern that is an object', one('arguments: { path: [{}] }'), 3, 25, /must be a string or a number or a boolean/],
  ['a pattern that leads out', one('arguments: { path: ["docs/../x"] }'), 3, 25, /^Nothing fits "docs\/\.\.\/x"/],
  ['a path of an argument that is none', one('arguments: { a..b: [x] }'), 3, 24, /has the wrong form/],
  ['a denial that asks', one('deny: true\n    approval: true'), 4, 5, /^A denial needs no approval/],
  ['a denial of some commands', one('deny: true\n    arguments: { cmd: ["rm *"] }'), 4, 18, /too many ways to deny/],
  ['a command that a shell would do more with', one('arguments: { cmd: ["git status; rm x"] }'), 3, 24, /lists no command/],
  ['every command, in planning', 'planningCommands: ["*"]\n', 1, 20, /^"\*" lists no command/],
  ['approvers that are nobody', one('approval: { by: [] }'), 3, 21, /is empty$/],
  ['a time that is none', 'approvals: { expireAfterMs: 1h }\n', 1, 29, /must be an integer, not a string$/],
]
it.each(WRONG)('%s is a problem with its place, and nothing of the file is used', (_, text, line, column, problem) => {
  const { policy, problems } = readPolicy(text)
  expect(problems[0]).toEqual({ message: expect.stringMatching(problem), position: { line, column } })
  expect(policy).toEqual(DEFAULT_POLICY)
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
    const { policy } = readPolicy(
      'workspaces:\n  - { sessions: ["desk-*"], workspaces: [desk], paths: [context] }\n  - { tenants: [umbrella], workspaces: ["*"] }\n',
    )
    const operations = ['resolve', 'list', 'read', 'diff']
    expect(sessionPolicy(policy, 'acme', 'desk-1')).toEqual([{ workspaces: ['desk'], paths: ['context'], operations }])
    expect(sessionPolicy(policy, 'acme', 'other')).toEqual([])
    expect(sessionPolicy(policy, 'umbrella', 'other')).toEqual([{ workspaces: ['*'], operations }])
  })
})
