// The gate a second time, as the tables it was decided from: one row for each kind of call, no line shared with core/gate. It judges nothing but tests.
import type { GateFacts, NodeSettings, Outcome, Verdict } from '../../core/gate/authorize.ts'
import type { ToolCall } from '../../core/gate/capability.ts'

/** The meaning of a call, given by the author of the case: the oracle reads no path. */
export interface GateCall {
  readonly is: string
  /** Any one of these has to be requested; none: nothing has to be. */
  readonly requests: readonly string[]
  readonly settings: (node: NodeSettings) => boolean
  /** `harmless`: a person vouched that it only reads, or the operator granted it for planning by name. */
  readonly planning: 'yes' | 'no' | 'allow-listed' | 'harmless'
  readonly graph: 'spawns' | 'connects' | 'no'
  readonly calls: readonly ToolCall[]
}

export const FOREIGN = 'weather.read'
const DOCS = ['docs/plan.md', 'docs/a/b.md', './docs/plan.md', 'docs//plan.md']
const NOT_DOCS = ['src/a.ts', 'docs/../src/a.ts', 'docsx/a.md', 'Docs/a.md', 'a/docs/b.md', '/docs/a.md', '../docs/a.md', '..', '']
const always = () => true
const free = { settings: always, planning: 'yes', graph: 'no' } as const

const row = (is: string, name: string, args: readonly ToolCall['arguments'][], rest: Omit<GateCall, 'is' | 'calls'>): GateCall => ({
  is,
  calls: args.map(found => ({ name, arguments: found })),
  ...rest,
})

const writing = (name: string, content: Record<string, string>): GateCall[] => [
  row(`${name} under docs`, name, args(DOCS, content), {
    requests: ['write_docs'],
    settings: node => node.writeDocs && !node.delegateOnly,
    planning: 'yes',
    graph: 'no',
  }),
  row(`${name} elsewhere`, name, [...args(NOT_DOCS, content), content, { ...content, path: ['docs/plan.md'] }], {
    requests: ['edit_code'],
    settings: node => node.writeCode && !node.delegateOnly,
    planning: 'no',
    graph: 'no',
  }),
]
const args = (paths: readonly string[], rest: Record<string, string>) => paths.map(path => ({ ...rest, path }))

/** All that a call can be: DESIGN's table of requests, the settings of a node, what planning lets through. */
export const GATE_CALLS: readonly GateCall[] = [
  row('command', 'command', [{ cmd: 'ls' }, { cmd: 'cat docs/plan.md', cwd: 'docs' }, {}], {
    requests: ['run_commands'],
    settings: node => node.runCommands && !node.delegateOnly,
    planning: 'allow-listed',
    graph: 'no',
  }),
  row('read_file', 'read_file', args([...DOCS, ...NOT_DOCS], {}), { ...free, requests: ['read_repo'] }),
  row('list_files', 'list_files', [{}, { path: 'docs' }, { path: 'src' }], { ...free, requests: ['read_repo'] }),
  ...writing('write_file', { content: 'x' }),
  ...writing('delete_file', {}),
  row('spawn_node', 'spawn_node', [{ label: 'Helper', roleTemplate: 'implementer' }], {
    requests: ['edge_management_all'],
    settings: node => node.edgeManagement === 'all',
    planning: 'yes',
    graph: 'spawns',
  }),
  row('create_edge', 'create_edge', [{ from: 'a', to: 'b' }], {
    requests: ['edge_management_self', 'edge_management_all'],
    settings: node => node.edgeManagement !== 'none',
    planning: 'yes',
    graph: 'connects',
  }),
  row('send_handoff', 'send_handoff', [{ to: 'b', message: 'Here.' }], { ...free, requests: [] }),
  row('a tool that is not built in', FOREIGN, [{}, { path: 'docs/plan.md' }], {
    ...free,
    requests: [`tool:${FOREIGN}`],
    planning: 'harmless',
  }),
  row('request_implementation', 'request_implementation', [{ reason: 'Ready.' }], { ...free, requests: [] }),
]

export interface Expected {
  readonly decision: Verdict['decision']
  readonly outcomes: readonly Outcome[]
}

const holds = (held: boolean): Outcome => (held ? 'passed' : 'failed')

function requested(call: GateCall, { role, ownEdge }: GateFacts): Outcome {
  if (role === null) return 'not_applicable'
  if (call.requests.length === 0) return 'passed'
  const scope = call.requests.filter(word => role.requests.includes(word))
  if (call.graph !== 'connects') return holds(scope.length > 0)
  return holds(scope.includes('edge_management_all') || (scope.length > 0 && ownEdge))
}

function settled(call: GateCall, { node, ownEdge }: GateFacts): Outcome {
  if (node === null) return 'not_applicable'
  const near = call.graph !== 'connects' || node.edgeManagement === 'all' || ownEdge
  return holds(call.settings(node) && near)
}

function inMode(call: GateCall, { mode, allowListed, reads, grant }: GateFacts): Outcome {
  if (mode === null) return 'not_applicable'
  if (mode === 'implementation') return 'passed'
  switch (call.planning) {
    case 'yes':
      return 'passed'
    case 'no':
      return 'failed'
    case 'allow-listed':
      return holds(allowListed)
    case 'harmless':
      return holds(reads === true || grant.planning === true)
  }
}

/** A person is needed where policy says so, for every call of a gated node, and to change the graph unless an orchestrator may do without. */
function needsPerson(call: GateCall, { grant, node, role, orchestratorAsks }: GateFacts): boolean {
  const trusted = role?.name === 'orchestrator' && !orchestratorAsks
  return grant.approval || node?.gated === true || (call.graph !== 'no' && !trusted)
}

export function expectVerdict(call: GateCall, facts: GateFacts): Expected {
  const before = [
    holds(facts.problem === null),
    holds(facts.visible),
    holds(facts.bound),
    holds(facts.grant.granted),
    requested(call, facts),
    settled(call, facts),
    inMode(call, facts),
  ]
  const first = before.indexOf('failed')
  if (first !== -1)
    return { decision: 'refused', outcomes: [...before.map((found, at) => (at > first ? 'not_reached' : found)), 'not_reached'] }
  if (!needsPerson(call, facts) && facts.approval !== 'denied' && facts.approval !== 'expired')
    return { decision: 'allowed', outcomes: [...before, 'not_applicable'] }
  return { decision: ANSWERED[facts.approval], outcomes: [...before, holds(facts.approval === 'approved')] }
}

/** Before a person is asked, the condition is on record as failed, too, because it blocks the call. */
const ANSWERED = { approved: 'allowed', denied: 'refused', expired: 'refused', foreign: 'refused', unasked: 'waiting' } as const
