// A tool call judged again, as far as the record holds what it was judged by. What it does not hold is taken from the verdict itself.
import type { Json } from '../../core/digest/digest.ts'
import { authorize, type Condition, type GateFacts, type Verdict } from '../../core/gate/authorize.ts'
import { planEdge } from '../../core/run/graph-plans.ts'
import type { RunState } from '../../core/run/state.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import type { LoadedFrozen } from '../runs/frozen.ts'
import { nodeGate } from '../runs/node-gate.ts'
import { readStored } from '../runs/node-values.ts'
import { toolsIn } from '../sessions/model-call.ts'

/** Conditions that are believed, each with why. What follows from them is judged again. */
export const BELIEVED: Readonly<Partial<Record<Condition, string>>> = {
  well_formed: 'the schema of a tool is foreign code, and is not run again',
  bound: 'what a host can do is its code, and not on record',
  granted: 'a verdict does not name the policy that was in force',
}

interface JudgedOnRecord {
  readonly store: Store
  readonly tenant: string
  readonly state: RunState
  readonly frozen: LoadedFrozen
  readonly nodeId: string
  readonly session: SessionState
  readonly call: string
  readonly verdict: Verdict
}

/** Null for a call that the session does not know. */
export async function remakeVerdict(judged: JudgedOnRecord): Promise<Verdict | null> {
  const { store, tenant, state, frozen, nodeId, session, verdict } = judged
  const call = session.run?.batch?.calls.find(({ id }) => id === judged.call)
  const request = session.run?.step?.request
  if (call === undefined || request === undefined) return null
  const { name, approval } = call
  const given = await readStored<Json>(store, tenant, approval?.arguments ?? call.arguments)
  const shown = (await toolsIn(digest => store.object(tenant, digest), request.tools ?? [])).tools
  const gate = nodeGate(frozen, state, nodeId)
  const said = (condition: Condition) => verdict.conditions.find(one => one.condition === condition)
  const holds = (condition: Condition): boolean => said(condition)?.outcome !== 'failed'
  const reasonOf = (condition: Condition): string => said(condition)?.reason ?? ''
  const planned = name === 'create_edge' ? planEdge({ state, workflow: frozen.workflow, nodeId }, given) : null
  const facts: GateFacts = {
    problem: holds('well_formed') ? null : reasonOf('well_formed'),
    visible: shown.some(tool => tool.name === name),
    bound: holds('bound'),
    unbound: reasonOf('bound'),
    // Whether a person is asked is set by the policy; whether one was, and what they said, is on record.
    grant: { granted: holds('granted'), reason: reasonOf('granted'), approval: said('approved')?.outcome !== 'not_applicable' },
    role: gate.role,
    node: gate.node,
    mode: gate.mode,
    // The commands that planning may run are set by the policy.
    allowListed: holds('mode'),
    ownEdge: planned?.ok === true && planned.plan.own,
    orchestratorAsks: false,
    approval: approval === null || approval.decision === null ? 'unasked' : approval.decision === 'approved' ? 'approved' : 'denied',
  }
  return authorize({ name, arguments: given }, facts)
}
