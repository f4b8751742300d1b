// Explains whether a call would be allowed, as far as that is known before the call: the gate's own verdict, and the
// result of each grant.
import type { Json } from '../digest/digest.ts'
import { isPlanningCommand } from '../tools/allow-listed.ts'
import { authorize, type Condition, type GateFacts, type Judged, judgeEach, type Outcome, type Verdict } from './authorize.ts'
import {
  type Asking,
  FREE,
  type Grant,
  type Granting,
  type GrantProspect,
  grantOfAll,
  grantOfSome,
  isListed,
  type Lack,
  lackOf,
  lackOfSome,
  strictest,
} from './grants.ts'
import { gateRules, type HostPolicy } from './host-policy.ts'

/** A field that is left out is unknown, and assumed to hold. */
export interface ProspectiveCall extends Omit<GrantProspect, 'role' | 'mode'> {
  readonly arguments?: Json
  readonly problem?: string | null
  readonly visible?: boolean
  readonly bound?: boolean
  /** Why it is not. */
  readonly unbound?: string
  readonly role: GateFacts['role']
  readonly node: GateFacts['node']
  readonly mode: GateFacts['mode']
  /** For a tool that is not built in. */
  readonly reads?: boolean
  readonly ownEdge?: boolean
  /** A tool that every node may use, under any policy. */
  readonly free?: boolean
  /** Roles of those that spawned the node. */
  readonly onBehalfOf?: readonly (string | null)[]
  /** A person must approve, under any policy. */
  readonly mustAsk?: boolean
}

export interface ExplainedCondition extends Omit<Judged, 'outcome'> {
  readonly outcome: Outcome | 'unknown'
}

export interface TriedGrant {
  /** From 1, as reasons name it. */
  readonly grant: number
  /** Where it begins in the file; null when that is not known. */
  readonly line: number | null
  readonly outcome: 'decides' | 'lacks' | 'not_reached'
  readonly reason: string
}

export interface Explained {
  /** With all that is not known taken to hold. */
  readonly decision: Verdict['decision']
  /** Each by itself: also those that a call would not reach. */
  readonly conditions: readonly ExplainedCondition[]
  /** Those that name the tool and concern the tenant, in order. */
  readonly grants: readonly TriedGrant[]
  /** Who may approve, and for how long; null when no approval is needed. */
  readonly asks: Asking | null
}

export function explainCall(policy: HostPolicy, call: ProspectiveCall, lines: readonly number[] = []): Explained {
  const granting = grantingOf(policy.grants, call)
  const facts = factsOf(policy, call, granting, true)
  const possible = call.arguments === undefined ? EITHER : [call.arguments]
  const calls = possible.map(input => ({ name: call.tool, arguments: input }))
  const decisions = calls.map(one => authorize(one, facts).decision)
  const decision = BEST_FIRST.find(one => decisions.includes(one))!
  const atWorst = factsOf(policy, call, grantingOf(grantsAtWorst(policy.grants, call), call), false)
  const doubtful = new Set(calls.flatMap(one => judgeEach(one, atWorst)).flatMap(failure))
  const asks = granting.approval ?? ANYBODY
  return {
    decision,
    conditions: judgeEach(calls[decisions.indexOf(decision)]!, facts).map(one =>
      one.outcome !== 'failed' && doubtful.has(one.condition) ? unknown(one, call) : one,
    ),
    grants: call.free === true ? [] : triedGrants(policy.grants, call, lines),
    asks: decision === 'waiting' ? { ...asks, expireAfterMs: asks.expireAfterMs ?? gateRules(policy).approvalMs } : null,
  }
}

const BEST_FIRST = ['allowed', 'waiting', 'refused'] as const
/** Tools whose needed permission depends on the path: a file of the docs, or any other. */
const EITHER: readonly Json[] = [{}, { path: 'docs' }]

const failure = ({ condition, outcome }: Judged): readonly Condition[] => (outcome === 'failed' ? [condition] : [])

const ANYBODY: Asking = { by: null, expireAfterMs: null }

/** @param assumed the value of every unknown fact */
function factsOf(policy: HostPolicy, call: ProspectiveCall, granting: Granting, assumed: boolean): GateFacts {
  const { planningCommands, orchestratorAsks } = gateRules(policy)
  const { arguments: input, problem = assumed ? null : '', visible = assumed, bound = assumed, reads = assumed, ownEdge = assumed } = call
  return {
    problem: input === undefined && !assumed ? '' : problem,
    visible,
    bound,
    ...(call.unbound === undefined ? {} : { unbound: call.unbound }),
    grant: { ...granting, approval: granting.approval !== null },
    reads,
    role: call.role,
    node: call.node,
    mode: call.mode,
    allowListed: input === undefined ? assumed : isPlanningCommand(input, planningCommands),
    ownEdge,
    orchestratorAsks: orchestratorAsks || call.mustAsk === true,
    approval: 'unasked',
  }
}

function grantingOf(grants: readonly Grant[], { arguments: input, role, free, onBehalfOf = [], ...call }: ProspectiveCall): Granting {
  if (free === true) return FREE
  const prospect = { ...call, role: role?.name ?? null }
  if (input !== undefined) return grantOfAll(grants, { ...prospect, arguments: input }, onBehalfOf)
  return strictest([prospect.role, ...onBehalfOf].map(one => grantOfSome(grants, { ...prospect, role: one })))
}

/** For unknown arguments: no grant with argument rules fits, and every such denial does. */
const grantsAtWorst = (grants: readonly Grant[], { arguments: input }: ProspectiveCall): readonly Grant[] =>
  input === undefined
    ? grants.flatMap(({ arguments: rules, ...grant }) => (rules === undefined || grant.deny === true ? [grant] : []))
    : grants

function unknown({ condition, reason }: Judged, { arguments: input }: ProspectiveCall): ExplainedCondition {
  const reasons: Partial<Record<Condition, string>> = {
    well_formed: input === undefined ? 'what it would be called with is not said' : 'its descriptor is not known',
    visible: 'which tools the model would be shown is not known',
    bound: 'whether the host can do it is found out when it is called',
    granted: reason,
  }
  return { condition, outcome: 'unknown', reason: reasons[condition] ?? 'that depends on what it would be called with' }
}

function triedGrants(grants: readonly Grant[], call: ProspectiveCall, lines: readonly number[]): readonly TriedGrant[] {
  const tried: TriedGrant[] = []
  let decided = false
  for (const [index, grant] of grants.entries()) {
    const place = { grant: index + 1, line: lines[index] ?? null }
    const lack = lackIn(grant, call)
    if (isListed(grant.tools, call.tool) && isListed(grant.tenants, call.tenant))
      tried.push({ ...place, ...outcomeOf(grant, call, lack, decided) })
    decided ||= lack === null
  }
  return tried
}

function lackIn(grant: Grant, { arguments: input, role, ...call }: ProspectiveCall): Lack | null {
  const prospect = { ...call, role: role?.name ?? null }
  return input === undefined ? lackOfSome(grant, prospect) : lackOf(grant, { ...prospect, arguments: input })
}

function outcomeOf(grant: Grant, call: ProspectiveCall, lack: Lack | null, decided: boolean): Pick<TriedGrant, 'outcome' | 'reason'> {
  if (lack !== null) return { outcome: 'lacks', reason: lackText(grant, call, lack) }
  if (decided) return { outcome: 'not_reached', reason: 'one before it has decided' }
  const fits = grant.deny === true ? 'it denies it' : grant.approval ? 'it grants it, once a person has approved' : 'it grants it'
  return {
    outcome: 'decides',
    reason: call.arguments === undefined && grant.arguments !== undefined ? `${fits}, for some arguments` : fits,
  }
}

function lackText({ arguments: rules = {}, modes = [], deny }: Grant, { agent, role, mode }: ProspectiveCall, lack: Lack): string {
  if (lack.part === 'arguments') {
    const patterns = (rules[lack.argument] ?? ['.']).map(one => JSON.stringify(one)).join(' or ')
    return deny === true ? `it denies where "${lack.argument}" is ${patterns}` : `it needs "${lack.argument}" to be ${patterns}`
  }
  if (lack.part === 'modes') return `it is for ${modes.join(' and ')}, and ${mode === null ? 'no mode is named' : `the mode is ${mode}`}`
  if (lack.part === 'roles') return role === null ? 'it is for roles, and there is none' : `it is not for role ${role.name}`
  return `it is not for ${agent}`
}
