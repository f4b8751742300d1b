// Bug 14 of the list: a spawned node has at most the permissions that its parent has or may hand on, and that were
// requested, at any depth.
import { expect, it } from 'vitest'
import { NODES, ROLES } from '../../testing/oracles/gate-cases.ts'
import { GATE_CALLS } from '../../testing/oracles/gate-oracle.ts'
import { narrowedRequests, narrowedSettings } from '../run/graph/narrowed.ts'
import { authorize, type GateFacts, type NodeSettings, type Role } from './authorize.ts'
import type { ToolCall } from './capability.ts'

interface Holder {
  readonly role: Role | null
  readonly node: NodeSettings
}

const NODE_SETTINGS = NODES.filter(node => node !== null)
const pick = <T>(from: readonly T[], number: number): T => from[number % from.length]!
/** Two primes, so that roles and settings meet in every way. */
const holderAt = (number: number): Holder => ({ role: pick(ROLES, number * 101), node: pick(NODE_SETTINGS, number * 67) })
const named = (holder: Holder): Holder & { readonly role: Role } => ({ ...holder, role: holder.role ?? { name: 'planner', requests: [] } })

/** A requested child always has a role: its name, and the capabilities that its file requests. */
const childOf = (parent: Holder, { role, node }: Holder & { readonly role: Role }): Holder => ({
  role: { name: role.name, requests: narrowedRequests(parent.role?.requests ?? null, role.requests) },
  node: narrowedSettings(parent.node, node),
})

/** The permissions that a node has or can hand on: `delegateOnly` restricts only its own calls. */
const holding = ({ role, node }: Holder): Holder => ({ role, node: { ...node, delegateOnly: false } })

const FACTS: Omit<GateFacts, 'role' | 'node' | 'ownEdge' | 'mode'> = {
  problem: null,
  visible: true,
  bound: true,
  grant: { granted: true, reason: 'granted', approval: false },
  allowListed: true,
  orchestratorAsks: true,
  approval: 'unasked',
}
const judged = (call: ToolCall, holder: Holder, ownEdge: boolean, mode: GateFacts['mode']) =>
  authorize(call, { ...FACTS, ...holder, ownEdge, mode })
/** Past role and settings, whether or not a person is still to be asked. */
const may = (call: ToolCall, holder: Holder, ownEdge: boolean): boolean =>
  judged(call, holder, ownEdge, 'implementation').decision !== 'refused'

const RANK = { refused: 0, waiting: 1, allowed: 2 }
const CALLS = GATE_CALLS.map(({ calls }) => calls[0]!)
const TRIED = 400

it('bug 14: a child may do exactly what its parent may hand on and what was asked for it may', () => {
  for (let number = 0; number < TRIED; number++) {
    const [parent, asked] = [holderAt(number), named(holderAt(number * 13 + 7))]
    const child = childOf(parent, asked)
    for (const call of CALLS)
      for (const ownEdge of [false, true])
        if (may(call, child, ownEdge) !== (may(call, holding(parent), ownEdge) && may(call, asked, ownEdge)))
          expect.fail(JSON.stringify({ call, ownEdge, parent, asked, child }))
  }
})

it('bug 14: a child never gets past the gate where its parent waits or is refused what it would hand on, down to the third generation', () => {
  for (let number = 0; number < TRIED; number++) {
    const generations = [holderAt(number)]
    for (const step of [5, 11, 17]) generations.push(childOf(generations.at(-1)!, named(holderAt(number * step + step))))
    for (const call of CALLS)
      for (const mode of ['planning', 'implementation'] as const) {
        const ranks = generations.map(one => RANK[judged(call, holding(one), number % 2 === 0, mode).decision])
        if (ranks.some((rank, at) => rank > (ranks[at - 1] ?? rank))) expect.fail(JSON.stringify({ call, mode, generations, ranks }))
      }
  }
})

it('bug 14: an orchestrator that a planner spawned has nothing that the planner lacks', () => {
  const planner: Holder = {
    role: { name: 'planner', requests: ['read_repo', 'write_docs', 'edge_management_all'] },
    node: { edgeManagement: 'all', writeCode: false, writeDocs: true, runCommands: false, delegateOnly: false, gated: true },
  }
  const everything = ['run_commands', 'read_repo', 'edit_code', 'write_docs', 'edge_management_self', 'edge_management_all']
  const wanted: NodeSettings = {
    edgeManagement: 'all',
    writeCode: true,
    writeDocs: true,
    runCommands: true,
    delegateOnly: false,
    gated: false,
  }
  const child = childOf(planner, { role: { name: 'orchestrator', requests: everything }, node: wanted })
  expect(child.node).toEqual(planner.node)
  expect(child.role!.requests.filter(word => !['edge_management_self', ...planner.role!.requests].includes(word))).toEqual([])
  expect(judged({ name: 'spawn_node', arguments: {} }, child, false, 'implementation').decision).toBe('waiting')
})
