// The gate: all conditions or nothing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { authorize, CONDITIONS, type GateFacts, type NodeSettings } from './authorize.ts'
import { capabilityOf, isDocsPath } from './capability.ts'

const node: NodeSettings = { edgeManagement: 'all', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false }
const open: GateFacts = {
  problem: null,
  visible: true,
  bound: true,
  grant: { granted: true, reason: 'the policy grants it', approval: false },
  role: null,
  node: null,
  mode: null,
  allowListed: false,
  ownEdge: false,
  orchestratorAsks: false,
  approval: 'unasked',
}
const call = (name: string, args: object = {}) => ({ name, arguments: args as never })
const outcomes = (verdict: ReturnType<typeof authorize>) => Object.fromEntries(verdict.conditions.map(one => [one.condition, one.outcome]))

describe('a call', () => {
  it('without role, node and mode needs a form, a descriptor, a binding and a grant', () => {
    const verdict = authorize(call('search'), open)
    expect(verdict.decision).toBe('allowed')
    expect(outcomes(verdict)).toEqual({
      well_formed: 'passed',
      visible: 'passed',
      bound: 'passed',
      granted: 'passed',
      requested: 'not_applicable',
      node: 'not_applicable',
      mode: 'not_applicable',
      approved: 'not_applicable',
    })
  })

  const lacking: readonly [string, Partial<GateFacts>, string][] = [
    ['well_formed', { problem: '"path" is missing' }, '"path" is missing'],
    ['visible', { visible: false }, 'search is not in the active catalog'],
    ['visible', { visible: false, unseen: 'nobody has it' }, 'search is not in the active catalog: nobody has it'],
    ['bound', { bound: false }, 'this host has no binding for search'],
    ['granted', { grant: { granted: false, reason: 'no rule grants it', approval: false } }, 'no rule grants it'],
    ['requested', { role: { name: 'critic', requests: [] } }, 'role critic does not request tool:search'],
    ['approved', { node: { ...node, gated: true }, approval: 'denied' }, 'a person denied it'],
  ]
  it.each(lacking)('that is not %s is refused, says why, and reaches nothing further', (condition, facts, reason) => {
    const { decision, conditions } = authorize(call('search'), { ...open, ...facts })
    expect(decision).toBe('refused')
    const at = conditions.findIndex(one => one.outcome === 'failed')
    expect(conditions[at]).toEqual({ condition, outcome: 'failed', reason })
    expect(conditions.slice(at + 1).every(one => one.outcome === 'not_reached')).toBe(true)
  })

  it('waits for a person who was not asked yet', () => {
    expect(authorize(call('search'), { ...open, grant: { ...open.grant, approval: true } }).decision).toBe('waiting')
    expect(authorize(call('search'), { ...open, grant: { ...open.grant, approval: true }, approval: 'approved' }).decision).toBe('allowed')
  })
})

describe('spawn_node', () => {
  const orchestrator = { name: 'orchestrator', requests: ['edge_management_all'] }
  const other = { name: 'planner', requests: ['edge_management_all'] }
  const table: readonly [string, Partial<GateFacts>, string][] = [
    ['no scope declared', { role: { name: 'orchestrator', requests: [] } }, 'refused'],
    ['a node set to none', { role: orchestrator, node: { ...node, edgeManagement: 'none' } }, 'refused'],
    ['a node set to self', { role: orchestrator, node: { ...node, edgeManagement: 'self' } }, 'refused'],
    ['another role, unasked', { role: other }, 'waiting'],
    ['another role, denied', { role: other, approval: 'denied' }, 'refused'],
    ['another role, approved', { role: other, approval: 'approved' }, 'allowed'],
    ['an orchestrator that asks, unasked', { role: orchestrator, orchestratorAsks: true }, 'waiting'],
    ['an orchestrator that asks, approved', { role: orchestrator, orchestratorAsks: true, approval: 'approved' }, 'allowed'],
    ['an orchestrator that need not ask', { role: orchestrator }, 'allowed'],
  ]
  it.each(table)('with %s', (_, facts, decision) => {
    expect(authorize(call('spawn_node'), { ...open, node, ...facts }).decision).toBe(decision)
  })
})

it('create_edge of others needs the whole graph, asked before any person is', () => {
  const self = { name: 'planner', requests: ['edge_management_self'] }
  const strange = authorize(call('create_edge'), { ...open, node, role: self })
  expect([strange.decision, outcomes(strange).requested, outcomes(strange).approved]).toEqual(['refused', 'failed', 'not_reached'])
  expect(authorize(call('create_edge'), { ...open, node, role: self, ownEdge: true }).decision).toBe('waiting')
})

describe('planning', () => {
  const planning: GateFacts = { ...open, node, mode: 'planning' }
  it.each([
    ['write_file', { path: 'docs/plan.md' }, 'allowed'],
    ['write_file', { path: 'src/a.ts' }, 'refused'],
    ['write_file', { path: 'docs/../src/a.ts' }, 'refused'],
    ['delete_file', { path: 'documents/a' }, 'refused'],
    ['command', { cmd: 'ls' }, 'refused'],
    ['read_file', { path: 'src/a.ts' }, 'allowed'],
  ])('%s %j is %s', (name, args, decision) => {
    expect(authorize(call(name, args), planning).decision).toBe(decision)
  })

  it('runs a command that is on its list', () => {
    expect(authorize(call('command', { cmd: 'git status' }), { ...planning, allowListed: true }).decision).toBe('allowed')
  })
})

it.each(['docs', 'docs/', './docs/a', 'docs\\a'])('%s is a path of docs by what it says', path => {
  expect(isDocsPath(path)).toBe(true)
})

it.each(['/docs/a', 'C:\\docs', 'a/docs', 'docs/..', 'Docs/a', null])('%s is none', path => {
  expect(isDocsPath(path)).toBe(false)
})

it('a tool that is not built in is requested by its name', () => {
  expect(capabilityOf(call('search'))).toBe('tool:search')
  expect(capabilityOf(call('send_handoff'))).toBeNull()
})

const anyNode = fc.record({
  edgeManagement: fc.constantFrom('none', 'self', 'all'),
  writeCode: fc.boolean(),
  writeDocs: fc.boolean(),
  runCommands: fc.boolean(),
  delegateOnly: fc.boolean(),
  gated: fc.boolean(),
})
const anyFacts = fc.record({
  problem: fc.constantFrom(null, 'wrong'),
  visible: fc.boolean(),
  bound: fc.boolean(),
  grant: fc.record({ granted: fc.boolean(), reason: fc.constant('so'), approval: fc.boolean() }),
  role: fc.option(
    fc.record({
      name: fc.constantFrom('orchestrator', 'critic'),
      requests: fc.subarray([
        'run_commands',
        'read_repo',
        'edit_code',
        'write_docs',
        'edge_management_self',
        'edge_management_all',
        'tool:search',
      ]),
    }),
  ),
  node: fc.option(anyNode),
  mode: fc.constantFrom(null, 'planning', 'implementation'),
  allowListed: fc.boolean(),
  ownEdge: fc.boolean(),
  orchestratorAsks: fc.boolean(),
  approval: fc.constantFrom('approved', 'denied', 'unasked'),
}) as fc.Arbitrary<GateFacts>
const anyCall = fc
  .constantFrom('command', 'read_file', 'write_file', 'spawn_node', 'create_edge', 'send_handoff', 'search')
  .map(name => call(name))

it('no condition is left out, and one that fails is enough', () => {
  fc.assert(
    fc.property(anyCall, anyFacts, (one, facts) => {
      const { decision, conditions } = authorize(one, facts)
      expect(conditions.map(({ condition }) => condition)).toEqual(CONDITIONS)
      expect(decision === 'allowed').toBe(conditions.every(({ outcome }) => outcome === 'passed' || outcome === 'not_applicable'))
    }),
  )
})

it('taking something away never allows what was refused', () => {
  fc.assert(
    fc.property(anyCall, anyFacts, (one, facts) => {
      const less: readonly Partial<GateFacts>[] = [
        { visible: false },
        { bound: false },
        { grant: { ...facts.grant, granted: false } },
        { grant: { ...facts.grant, approval: true } },
        ...(facts.role === null ? [] : [{ role: { ...facts.role, requests: facts.role.requests.slice(1) } }]),
        ...(facts.node === null
          ? []
          : [{ node: { ...facts.node, edgeManagement: 'none' as const } }, { node: { ...facts.node, gated: true } }]),
        ...(facts.mode === 'implementation' ? [{ mode: 'planning' as const }] : []),
      ]
      if (authorize(one, facts).decision === 'allowed') return
      for (const taken of less) expect(authorize(one, { ...facts, ...taken }).decision).not.toBe('allowed')
    }),
  )
})
