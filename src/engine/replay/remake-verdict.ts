// Judges a tool call again, as far as the record holds the inputs of the verdict. Inputs that it does not hold come from the verdict itself.
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { authorize, type Condition, type GateFacts, type Verdict } from '../../core/gate/authorize.ts'
import { changesGraph } from '../../core/gate/capability.ts'
import { FREE, grantOfAll } from '../../core/gate/grants.ts'
import type { HostPolicy } from '../../core/gate/host-policy.ts'
import { planEdge } from '../../core/run/graph/graph-plans.ts'
import { isPlanningCommand } from '../../core/tools/allow-listed.ts'
import { type CallApproval, callNamed } from '../../core/turn/state.ts'
import type { Store } from '../../ports.ts'
import { answerOf } from '../turns/gate-facts.ts'
import { toolsIn } from '../turns/model-call.ts'
import { nodeGate } from '../turns/node-gate.ts'
import { readStored } from '../turns/node-values.ts'
import type { AtWork } from '../turns/performing.ts'

interface JudgedOnRecord {
  readonly store: Store
  readonly tenant: string
  /** The state of the turn when the call was judged. */
  readonly at: Pick<AtWork, 'state' | 'frozen' | 'turn'>
  readonly nodeId: string
  readonly call: string
  readonly verdict: Verdict
  /** Policies that may have been active, newest first. Without any, the policy's part of the verdict is assumed. */
  readonly policies?: readonly HostPolicy[]
}

/** Null for a call that the turn does not know. */
export async function remakeVerdict(judged: JudgedOnRecord): Promise<Verdict | null> {
  const { store, tenant, at, nodeId, verdict, policies = [] } = judged
  const { state, frozen, turn } = at
  const call = callNamed(turn, judged.call)
  const request = turn.step?.request
  if (call === null || request === undefined) return null
  const { name } = call
  const given = await readStored<Json>(store, tenant, call.approval?.changed ?? call.arguments)
  const shown = (await toolsIn(digest => store.object(tenant, digest), request.tools ?? [])).tools
  const gate = nodeGate(frozen, state, nodeId)
  const said = (condition: Condition) => verdict.conditions.find(one => one.condition === condition)
  const holds = (condition: Condition): boolean => said(condition)?.outcome !== 'failed'
  const reasonOf = (condition: Condition): string => said(condition)?.reason ?? ''
  const { approval } = call
  const planned = name === 'create_edge' ? planEdge({ state, workflow: frozen.workflow, nodeId }, given) : null
  const facts: GateFacts = {
    problem: holds('well_formed') ? null : reasonOf('well_formed'),
    unchecked: said('well_formed')?.outcome === 'not_reached',
    visible: shown.some(tool => tool.name === name),
    ...unseenIn(reasonOf('visible')),
    bound: holds('bound'),
    unbound: reasonOf('bound'),
    // The policy decides whether a person must approve; the record has the request and the answer.
    grant: {
      granted: holds('granted'),
      reason: reasonOf('granted'),
      approval: said('approved')?.outcome !== 'not_applicable',
      planning: reasonOf('mode').endsWith('its grant is for planning'),
    },
    reads: readsOn(reasonOf('mode'), holds('mode')),
    role: gate.role,
    node: gate.node,
    mode: gate.mode,
    // The commands that planning may run are set by the policy.
    allowListed: holds('mode'),
    ownEdge: planned?.ok === true && planned.plan.own,
    orchestratorAsks: false,
    approval: answerOn(approval, holds('approved')),
  }
  const verdicts = policies.map(policy => authorize({ name, arguments: given }, { ...facts, ...settled(policy) }))
  return verdicts.find(one => isSame(one, verdict)) ?? verdicts[0] ?? authorize({ name, arguments: given }, facts)

  /** The facts that a policy settles. Whether a graph change needs approval depends on more, and is assumed. */
  function settled(policy: HostPolicy): Partial<GateFacts> {
    const question = { tool: name, tenant, agent: gate.agent, role: gate.role?.name ?? null, mode: gate.mode, arguments: given }
    const granting = gate.free.includes(name) ? FREE : grantOfAll(policy.grants, question, gate.onBehalfOf)
    const { granted, reason, planning } = granting
    const named = planning === undefined ? {} : { planning }
    const allowListed = isPlanningCommand(given, policy.planningCommands)
    if (changesGraph(name)) return { grant: { ...facts.grant, granted, reason, ...named }, allowListed }
    const grant = { granted, reason, approval: granting.approval !== null, ...named }
    return { grant, allowListed, approval: answerOf(approval, granting) }
  }
}

/** Whose answer counts is set by the policy. @param counted whether it did */
function answerOn(approval: CallApproval | null, counted: boolean): GateFacts['approval'] {
  if (approval === null || approval.decision === null) return 'unasked'
  if (approval.decision !== 'approved') return approval.decision
  return counted ? 'approved' : 'foreign'
}

/** The run does not record what a person confirmed on adopting a tool: the verdict is assumed. */
function readsOn(reason: string, held: boolean): boolean | 'unjudged' {
  if (reason === 'planning allows it') return 'unjudged'
  return held && reason.endsWith('it only reads')
}

/** The text that a server sends about a tool that is not adopted is on record only here. */
function unseenIn(reason: string): Pick<GateFacts, 'unseen'> {
  const [, unseen] = /^\S+ is not in the active catalog: (.*)$/s.exec(reason) ?? []
  return unseen === undefined ? {} : { unseen }
}

const isSame = (one: Verdict, other: Verdict): boolean => canonicalJson(one as unknown as Json) === canonicalJson(other as unknown as Json)
