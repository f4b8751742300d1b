// The gate against a model made from its tables, over a fair part of all situations; test:deep walks every one that gets past policy.
import { describe, expect, it } from 'vitest'
import { disagreementAt, GATE_CASES, gateCaseAt, OPEN_CASES } from '../../testing/oracles/gate-cases.ts'
import { GATE_CALLS } from '../../testing/oracles/gate-oracle.ts'
import { readRole } from '../role/role.ts'
import { shippedRoles } from '../role/shipped-roles.ts'
import { authorize, type EdgeManagement, type GateFacts, type NodeSettings, type Role } from './authorize.ts'
import type { ToolCall } from './capability.ts'

/** A prime far from every size, so that steps of it meet all of them alike. */
const STRIDE = 7_919_317
const numbers = function* (count: number, of: number): Generator<number> {
  for (let at = 0; at < count; at++) yield (at * STRIDE) % of
}

it('50,000 of all situations and 100,000 of those past policy are judged as the tables say, condition by condition', () => {
  for (const [count, of] of [[50_000, GATE_CASES] as const, [100_000, OPEN_CASES] as const])
    for (const number of numbers(count, of)) {
      const found = disagreementAt(number)
      if (found !== null) expect.fail(found)
    }
})

it('the situations that were looked at are not all refused', () => {
  const seen = { allowed: 0, waiting: 0, refused: 0 }
  for (const number of numbers(20_000, OPEN_CASES)) {
    const { call, facts } = gateCaseAt(number)
    seen[authorize(call, facts).decision]++
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(1_000)
})

const NODE: NodeSettings = { edgeManagement: 'all', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false }
const OPEN: GateFacts = {
  problem: null,
  visible: true,
  bound: true,
  grant: { granted: true, reason: 'granted', approval: false },
  role: null,
  node: NODE,
  mode: 'implementation',
  allowListed: false,
  ownEdge: false,
  orchestratorAsks: false,
  approval: 'unasked',
}
const SCOPES = ['none', 'self', 'all'] as const
const roleWith = (name: string, scope: EdgeManagement): Role => ({
  name,
  requests: { none: ['read_repo'], self: ['edge_management_self'], all: ['edge_management_all'] }[scope],
})
const failing = (call: ToolCall, facts: GateFacts) => {
  const { decision, conditions } = authorize(call, facts)
  return `${decision} ${conditions.find(({ outcome }) => outcome === 'failed')?.condition ?? ''}`.trim()
}

describe('spawn_node', () => {
  const call: ToolCall = { name: 'spawn_node', arguments: { label: 'Helper', roleTemplate: 'implementer' } }
  interface Row {
    readonly template: EdgeManagement
    readonly node: EdgeManagement
    readonly role: string
    readonly asks: boolean
    readonly user: GateFacts['approval']
  }
  const rows = SCOPES.flatMap(template =>
    SCOPES.flatMap(node =>
      ['orchestrator', 'planner'].flatMap(role =>
        [false, true].flatMap(asks =>
          (['unasked', 'denied', 'expired', 'foreign', 'approved'] as const).map((user): Row => ({ template, node, role, asks, user })),
        ),
      ),
    ),
  )
  const past = ({ template, node }: Row) => template === 'all' && node === 'all'
  const refused = 'refused approved'
  const answers = { unasked: 'waiting approved', denied: refused, expired: refused, foreign: refused, approved: 'allowed' }
  const table: readonly [name: string, rows: (row: Row) => boolean, result: (row: Row) => string][] = [
    ['a template that declares no scope, or only its own edges', row => row.template !== 'all', () => 'refused requested'],
    ['a node set to none or self', row => row.template === 'all' && row.node !== 'all', () => 'refused node'],
    ['a role that is no orchestrator: always a person', row => past(row) && row.role === 'planner', ({ user }) => answers[user]],
    ['an orchestrator whose policy asks', row => past(row) && row.role === 'orchestrator' && row.asks, ({ user }) => answers[user]],
    [
      'an orchestrator whose policy does not ask: nobody, but a denial stands',
      row => past(row) && row.role === 'orchestrator' && !row.asks,
      ({ user }) => (user === 'denied' || user === 'expired' ? refused : 'allowed'),
    ],
  ]

  it.each(table)('%s', (_, applies, result) => {
    const those = rows.filter(applies)
    expect(those).not.toEqual([])
    for (const row of those) {
      const facts = { ...OPEN, role: roleWith(row.role, row.template), node: { ...NODE, edgeManagement: row.node } }
      expect([row, failing(call, { ...facts, orchestratorAsks: row.asks, approval: row.user })]).toEqual([row, result(row)])
    }
  })

  it('has one row for each of its 180 situations', () => {
    expect(rows.map(row => table.filter(([, applies]) => applies(row)).length)).toEqual(Array(180).fill(1))
  })

  it('needs a person where there is no role, and where there is no node', () => {
    expect(failing(call, OPEN)).toBe('waiting approved')
    expect(failing(call, { ...OPEN, role: roleWith('planner', 'all'), node: null })).toBe('waiting approved')
  })
})

describe('create_edge', () => {
  const call: ToolCall = { name: 'create_edge', arguments: { from: 'a', to: 'b' } }
  const reached = SCOPES.flatMap(template => SCOPES.flatMap(node => [false, true].map(ownEdge => ({ template, node, ownEdge }))))

  it.each(reached)(
    'goes as far as the narrower of template $template and node $node, own edge: $ownEdge',
    ({ template, node, ownEdge }) => {
      const scope = SCOPES[Math.min(SCOPES.indexOf(template), SCOPES.indexOf(node))]
      const may = scope === 'all' || (scope === 'self' && ownEdge)
      const facts = { ...OPEN, role: roleWith('planner', template), node: { ...NODE, edgeManagement: node }, ownEdge }
      expect(authorize(call, facts).decision).toBe(may ? 'waiting' : 'refused')
      expect(authorize(call, { ...facts, approval: 'approved' }).decision).toBe(may ? 'allowed' : 'refused')
    },
  )

  it('is held to its own edges by the template alone where there is no node', () => {
    const facts: GateFacts = { ...OPEN, role: roleWith('planner', 'self'), node: null }
    expect(failing(call, facts)).toBe('refused requested')
    expect(failing(call, { ...facts, ownEdge: true })).toBe('waiting approved')
  })

  it('has its ends looked at before anybody is asked, whatever asks', () => {
    for (const edgeManagement of ['self', 'all'] as const)
      for (const gated of [false, true])
        for (const approval of [false, true]) {
          const facts = { ...OPEN, role: roleWith('planner', 'self'), node: { ...NODE, edgeManagement, gated }, orchestratorAsks: true }
          const { decision, conditions } = authorize(call, { ...facts, grant: { ...OPEN.grant, approval } })
          expect([decision, conditions.at(-1)?.outcome]).toEqual(['refused', 'not_reached'])
        }
  })
})

it('what a person denied stays denied when nobody would have to be asked any more', () => {
  for (const name of ['read_file', 'search', 'send_handoff'])
    expect(failing({ name, arguments: {} }, { ...OPEN, approval: 'denied' })).toBe('refused approved')
})

it('a node that is gated asks for reading and handing over, too', () => {
  const gated = { ...OPEN, node: { ...NODE, gated: true } }
  for (const name of ['read_file', 'send_handoff', 'search']) expect(failing({ name, arguments: {} }, gated)).toBe('waiting approved')
})

/** As the guide has it; what is not in a row, the role does not ask for. */
const SHIPPED: Readonly<Record<string, readonly string[]>> = {
  orchestrator: [
    ...['command', 'read_file', 'list_files', 'spawn_node', 'create_edge'],
    ...['write_file under docs', 'delete_file under docs', 'write_file elsewhere', 'delete_file elsewhere'],
  ],
  planner: ['read_file', 'list_files', 'write_file under docs', 'delete_file under docs'],
  implementer: ['command', 'read_file', 'list_files', 'write_file elsewhere', 'delete_file elsewhere'],
  reviewer: ['command', 'read_file', 'list_files'],
  investigator: ['read_file', 'list_files'],
}
const ALWAYS = ['send_handoff', 'request_implementation']

describe('bug 3: what the head of a role asks for is what the gate asks it for', () => {
  it.each(Object.entries(SHIPPED))('%s', (name, asked) => {
    const read = readRole(shippedRoles.get(name)!, name)
    const role = read.ok ? read.role : null
    const passes = GATE_CALLS.filter(({ calls }) =>
      calls.every(call =>
        authorize(call, { ...OPEN, role }).conditions.some(one => one.condition === 'requested' && one.outcome === 'passed'),
      ),
    )
    expect(new Set(passes.map(({ is }) => is))).toEqual(new Set([...asked, ...ALWAYS]))
  })

  it('without a head it asks for nothing, whatever its text says', () => {
    const read = readRole('You are an orchestrator.\n\n[template]\ncapabilities = ["edge_management_all"]\n', 'orchestrator')
    const role = read.ok ? read.role : null
    expect(failing({ name: 'spawn_node', arguments: {} }, { ...OPEN, role })).toBe('refused requested')
  })
})

const RANK = { refused: 0, waiting: 1, allowed: 2 }
const OTHER_ROLES = ['none', 'self', 'all'].map(scope => roleWith('planner', scope as EdgeManagement))

/** Everything that can be taken from a situation in one move. */
function less({ grant, role, node, ...facts }: GateFacts): Partial<GateFacts>[] {
  const from: Partial<GateFacts>[] = [
    { problem: 'malformed' },
    { visible: false },
    { bound: false },
    { grant: { ...grant, granted: false } },
    { grant: { ...grant, approval: true } },
    { allowListed: false },
    { ownEdge: false },
    { orchestratorAsks: true },
    { approval: 'denied' },
    { mode: 'planning' },
    ...(facts.approval === 'approved' ? [{ approval: 'unasked' as const }] : []),
    ...(facts.mode === null ? [{ mode: 'implementation' as const }] : []),
    ...(role === null ? OTHER_ROLES.map(other => ({ role: other })) : [{ role: { ...role, name: 'planner' } }]),
    ...(role?.requests ?? []).map(word => ({ role: { name: role!.name, requests: role!.requests.filter(one => one !== word) } })),
  ]
  if (node === null) return [...from, { node: NODE }]
  const settings: Partial<NodeSettings>[] = [
    { writeCode: false },
    { writeDocs: false },
    { runCommands: false },
    { delegateOnly: true },
    { gated: true },
    { edgeManagement: 'none' },
    ...(node.edgeManagement === 'all' ? [{ edgeManagement: 'self' as const }] : []),
  ]
  return [...from, ...settings.map(taken => ({ node: { ...node, ...taken } }))]
}

it('taking anything away never lets more through, and never asks a person about what was refused', () => {
  for (const number of numbers(10_000, OPEN_CASES)) {
    const { call, facts } = gateCaseAt(number)
    const before = authorize(call, facts).decision
    for (const taken of less(facts)) {
      const after = authorize(call, { ...facts, ...taken }).decision
      if (RANK[after] > RANK[before]) expect.fail(JSON.stringify({ call, facts, taken, before, after }))
    }
  }
})
