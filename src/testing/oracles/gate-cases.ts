// Every situation of the gate, by number: tests walk all of them or a fair part. The oracle says which verdict is right.
import { authorize, type GateFacts, type NodeSettings, type Role } from '../../core/gate/authorize.ts'
import type { ToolCall } from '../../core/gate/capability.ts'
import { expectVerdict, FOREIGN, GATE_CALLS, type GateCall } from './gate-oracle.ts'

export interface GateCase {
  readonly row: GateCall
  readonly call: ToolCall
  readonly facts: GateFacts
}

const BOTH = [false, true]
const WORDS = ['run_commands', 'read_repo', 'edit_code', 'write_docs', 'edge_management_self', 'edge_management_all', `tool:${FOREIGN}`]
const subsets = Array.from({ length: 2 ** WORDS.length }, (_, bits) => WORDS.filter((_, at) => (bits >> at) % 2 === 1))

/** None; then with every set of requests, the empty one included: a head that asks for nothing. */
export const ROLES: readonly (Role | null)[] = [
  null,
  ...['orchestrator', 'implementer'].flatMap(name => subsets.map(requests => ({ name, requests }))),
]

export const NODES: readonly (NodeSettings | null)[] = [
  null,
  ...(['none', 'self', 'all'] as const).flatMap(edgeManagement =>
    BOTH.flatMap(writeCode =>
      BOTH.flatMap(writeDocs =>
        BOTH.flatMap(runCommands =>
          BOTH.flatMap(delegateOnly => BOTH.map(gated => ({ edgeManagement, writeCode, writeDocs, runCommands, delegateOnly, gated }))),
        ),
      ),
    ),
  ),
]

const MODES = [null, 'planning', 'implementation'] as const
const APPROVALS = ['unasked', 'approved', 'denied', 'foreign'] as const

const SIZES = [ROLES, NODES, GATE_CALLS, BOTH, BOTH, BOTH, MODES, APPROVALS, BOTH, BOTH, BOTH, BOTH, BOTH, BOTH, BOTH].map(
  ({ length }) => length,
)
export const GATE_CASES = SIZES.reduce((product, size) => product * size, 1)
/** The first of them: in these the call is well-formed, visible, bound and granted. */
export const OPEN_CASES = GATE_CASES / 2 ** 4

export function gateCaseAt(number: number): GateCase {
  let left = number
  const pick = <T>(from: readonly T[]): T => {
    const found = from[left % from.length] as T
    left = Math.floor(left / from.length)
    return found
  }
  const role = pick(ROLES)
  const node = pick(NODES)
  const row = pick(GATE_CALLS)
  const allowListed = pick(BOTH)
  const reads = pick(BOTH)
  const planning = pick(BOTH)
  const ownEdge = pick(BOTH)
  const orchestratorAsks = pick(BOTH)
  const mode = pick(MODES)
  const approval = pick(APPROVALS)
  const needsPerson = pick(BOTH)
  const grant = { granted: !pick(BOTH), approval: needsPerson, planning, reason: 'as the case says' }
  const problem = pick(BOTH) ? 'The case says that it is malformed' : null
  const visible = !pick(BOTH)
  const bound = !pick(BOTH)
  const call = row.calls[number % row.calls.length] as ToolCall
  return { row, call, facts: { problem, visible, bound, grant, reads, role, node, mode, allowListed, ownEdge, orchestratorAsks, approval } }
}

/** Null when the gate and the model agree on the decision and on every condition. */
export function disagreementAt(number: number): string | null {
  const { row, call, facts } = gateCaseAt(number)
  const expected = expectVerdict(row, facts)
  const { decision, conditions } = authorize(call, facts)
  const agree = decision === expected.decision && conditions.every(({ outcome }, at) => outcome === expected.outcomes[at])
  return agree && conditions.length === expected.outcomes.length
    ? null
    : JSON.stringify({ number, is: row.is, call, facts, expected, decision, conditions })
}
