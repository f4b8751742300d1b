import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NODES, ROLES } from '../../../testing/oracles/gate-cases.ts'
import { authorize, type GateFacts, type NodeSettings } from '../../gate/authorize.ts'
import type { ToolCall } from '../../gate/capability.ts'
import { narrowedRequests, narrowedSettings } from './narrowed.ts'

const CALLS: readonly ToolCall[] = [
  ...['command', 'read_file', 'list_files', 'spawn_node', 'create_edge', 'send_handoff', 'mcp.search'].map(name => ({
    name,
    arguments: {},
  })),
  ...['write_file', 'delete_file'].flatMap(name => ['docs/a.md', 'src/a.ts'].map(path => ({ name, arguments: { path } }))),
]
const settings = fc.constantFrom(...NODES.filter((node): node is NodeSettings => node !== null))
const role = fc.constantFrom(...ROLES)
const rest = fc.record({
  mode: fc.constantFrom('planning' as const, 'implementation' as const),
  allowListed: fc.boolean(),
  ownEdge: fc.boolean(),
})

it('bug 14: whatever a child is allowed its parent is allowed or hands on, for all that parents have and children ask for', () => {
  fc.assert(
    fc.property(settings, role, settings, role, rest, (parent, parentRole, asked, askedRole, facts) => {
      const judged = (node: NodeSettings, of: GateFacts['role'], call: ToolCall) =>
        authorize(call, {
          problem: null,
          visible: true,
          bound: true,
          grant: { granted: true, reason: '', approval: false },
          role: of,
          node,
          orchestratorAsks: true,
          approval: 'approved',
          ...facts,
        }).decision === 'allowed'
      const childRole = { name: 'child', requests: narrowedRequests(parentRole?.requests ?? null, askedRole?.requests ?? []) }
      const child = narrowedSettings(parent, asked)
      const handedOn = { ...parent, delegateOnly: false }
      for (const call of CALLS) if (judged(child, childRole, call)) expect(judged(handedOn, parentRole, call)).toBe(true)
      // And at most what was asked for.
      for (const call of CALLS) if (judged(child, childRole, call)) expect(judged(asked, askedRole, call)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

it('a child that asks for all edges where its parent has those of its own gets those', () =>
  expect(narrowedRequests(['edge_management_self', 'read_repo'], ['edge_management_all', 'edit_code'])).toEqual(['edge_management_self']))

it('who only delegates hands on what it holds, and a child only delegates where that is asked for it', () => {
  const all: NodeSettings = {
    edgeManagement: 'all',
    writeCode: true,
    writeDocs: true,
    runCommands: true,
    delegateOnly: false,
    gated: false,
  }
  const delegating = { ...all, delegateOnly: true }
  expect(narrowedSettings(delegating, all)).toEqual(all)
  expect(narrowedSettings(all, delegating)).toEqual(delegating)
})

it('a scope that nobody knows is none', () => {
  const [known] = NODES.filter(node => node !== null)
  const unknown = { ...known!, edgeManagement: 'bogus' as NodeSettings['edgeManagement'] }
  expect(narrowedSettings({ ...known!, edgeManagement: 'all' }, unknown).edgeManagement).toBe('none')
})
