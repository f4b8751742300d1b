// Folder: Whether a tool call may run: grants, conditions, verdicts, and the policy of a host. Content gives no authority.
// Decides whether a tool call may run: all conditions, in order, each with its outcome. A visible tool is not an allowed
// one, and a request grants nothing.
import { type Capability, capabilityOf, changesGraph, type ToolCall } from './capability.ts'
import { shortReason } from './short-reason.ts'

export const CONDITIONS = ['well_formed', 'visible', 'bound', 'granted', 'requested', 'node', 'mode', 'approved'] as const
export type Condition = (typeof CONDITIONS)[number]
export type Outcome = 'passed' | 'failed' | 'not_reached' | 'not_applicable'

export interface Judged {
  readonly condition: Condition
  readonly outcome: Outcome
  readonly reason: string
}

/** `waiting`: every other condition holds, and a person has to approve. */
export interface Verdict {
  readonly decision: 'allowed' | 'refused' | 'waiting'
  /** All of them, in order. */
  readonly conditions: readonly Judged[]
}

export type EdgeManagement = 'none' | 'self' | 'all'

export interface NodeSettings {
  readonly edgeManagement: EdgeManagement
  readonly writeCode: boolean
  readonly writeDocs: boolean
  readonly runCommands: boolean
  readonly delegateOnly: boolean
  /** Every call needs a person. */
  readonly gated: boolean
}

export interface Role {
  readonly name: string
  readonly requests: readonly string[]
}

/** The mode of a run. Only a call in a run has one. */
export type Mode = NonNullable<GateFacts['mode']>

/** The facts about a call when it is judged. Null where there is no role, node or mode. */
export interface GateFacts {
  /** The problem with its form. */
  readonly problem: string | null
  /** Its descriptor's schema was not run: the call is not visible, bound or granted, and is refused without it. */
  readonly unchecked?: boolean
  readonly visible: boolean
  /** Why it is not visible, if known. */
  readonly unseen?: string
  readonly bound: boolean
  /** Why it is not bound, when there is more to report than that the host has no such tool. */
  readonly unbound?: string
  /** `planning`: the grant that decides is for planning by name. */
  readonly grant: { readonly granted: boolean; readonly reason: string; readonly approval: boolean; readonly planning?: boolean }
  /**
   * Whether a tool that is not built in only reads: the host's own binding says so, or a person confirmed it on adoption. `unjudged`: judged
   * before planning bound such tools, and judged the same again.
   */
  readonly reads?: boolean | 'unjudged'
  readonly role: Role | null
  readonly node: NodeSettings | null
  readonly mode: 'planning' | 'implementation' | null
  /** Whether planning may run this command. The caller knows the command and checks it. */
  readonly allowListed: boolean
  /** Whether the calling node is an end of the new edge. */
  readonly ownEdge: boolean
  /** Whether an orchestrator, too, needs a person to change the graph. */
  readonly orchestratorAsks: boolean
  /** `foreign`: approved by a person who may not approve the present call. */
  readonly approval: 'approved' | 'denied' | 'expired' | 'unasked' | 'foreign'
}

type Finding = readonly [outcome: Outcome, reason: string]

export function authorize(call: ToolCall, facts: GateFacts): Verdict {
  const conditions: Judged[] = []
  let open = true
  for (const condition of CONDITIONS) {
    const judged: Judged = open ? judge(condition, call, facts) : { condition, outcome: 'not_reached', reason: '' }
    conditions.push(judged)
    if (judged.outcome === 'failed') open = false
  }
  const refused = conditions.find(({ outcome }) => outcome === 'failed')
  if (refused === undefined) return { decision: 'allowed', conditions }
  return { decision: refused.condition === 'approved' && facts.approval === 'unasked' ? 'waiting' : 'refused', conditions }
}

/** Judges each condition independently of those before it: for explaining, never for deciding. */
export const judgeEach = (call: ToolCall, facts: GateFacts): readonly Judged[] => CONDITIONS.map(condition => judge(condition, call, facts))

function judge(condition: Condition, call: ToolCall, facts: GateFacts): Judged {
  const [outcome, reason] = JUDGES[condition](call, facts)
  return { condition, outcome, reason: shortReason(reason) }
}

const passed = (reason: string): Finding => ['passed', reason]
const failed = (reason: string): Finding => ['failed', reason]
const notApplicable = (reason: string): Finding => ['not_applicable', reason]

const JUDGES: Readonly<Record<Condition, (call: ToolCall, facts: GateFacts) => Finding>> = {
  well_formed: judgeForm,
  visible: ({ name }, { visible, unseen }) =>
    visible
      ? passed('it is in the active catalog')
      : failed(`${name} is not in the active catalog${unseen === undefined ? '' : `: ${unseen}`}`),
  bound: ({ name }, { bound, unbound }) =>
    bound ? passed('the host can do it') : failed(unbound ?? `this host has no binding for ${name}`),
  granted: (_, { grant }) => (grant.granted ? passed(grant.reason) : failed(grant.reason)),
  requested: judgeRequest,
  node: judgeNode,
  mode: judgeMode,
  approved: judgeApproval,
}

function judgeForm(_: ToolCall, { problem, unchecked, visible, bound, grant }: GateFacts): Finding {
  if (problem !== null) return failed(problem)
  if (unchecked !== true) return passed('its arguments fit its descriptor')
  // An unchecked call never runs.
  if (visible && bound && grant.granted) return failed('its arguments were not checked against its descriptor')
  return ['not_reached', 'it is refused whatever its arguments are']
}

/** Together with the node's own settings this gives the narrower of both scopes: either can refuse. */
function judgeRequest(call: ToolCall, { role, ownEdge }: GateFacts): Finding {
  if (role === null) return notApplicable('there is no role')
  const capability = capabilityOf(call)
  if (capability === null) return passed('it needs no request')
  const wanted: Capability[] = capability === 'edge_management_self' ? ['edge_management_all', capability] : [capability]
  const match = wanted.find(one => role.requests.includes(one))
  if (match === 'edge_management_self' && !ownEdge) return failed(`role ${role.name} requests only edges of its own`)
  return match === undefined ? failed(`role ${role.name} does not request ${capability}`) : passed(`role ${role.name} requests ${match}`)
}

function judgeNode(call: ToolCall, { node, ownEdge }: GateFacts): Finding {
  if (node === null) return notApplicable('there is no node')
  const capability = capabilityOf(call)
  if (node.delegateOnly && ['run_commands', 'edit_code', 'write_docs'].includes(capability ?? '')) return failed('the node only delegates')
  if (capability === 'run_commands' && !node.runCommands) return failed('the node may not run commands')
  if (capability === 'edit_code' && !node.writeCode) return failed('the node may not edit code')
  if (capability === 'write_docs' && !node.writeDocs) return failed('the node may not write docs')
  if (!changesGraph(call.name)) return passed('the node is set to allow it')
  return judgeEdges(call.name, node.edgeManagement, ownEdge)
}

function judgeEdges(name: string, scope: EdgeManagement, ownEdge: boolean): Finding {
  if (scope === 'all') return passed('the node may change the whole graph')
  if (name === 'spawn_node') return failed('the node may not add nodes')
  if (scope === 'none') return failed('the node may not make edges')
  return ownEdge ? passed('the node may make edges of its own') : failed('the node may make only edges of its own')
}

function judgeMode(call: ToolCall, { mode, allowListed, reads, grant }: GateFacts): Finding {
  if (mode === null) return notApplicable('there is no mode')
  if (mode === 'implementation') return passed('the run is in implementation')
  const capability = capabilityOf(call)
  if (capability === 'edit_code') return failed('the run is in planning: only docs may be written')
  if (capability === 'run_commands' && !allowListed) return failed('the run is in planning, and the command is not on its list')
  if (!isOther(capability) || reads === 'unjudged') return passed('planning allows it')
  if (reads === true) return passed('planning allows it: it only reads')
  if (grant.planning === true) return passed('planning allows it: its grant is for planning')
  return failed(
    `the run is in planning, and nothing says that ${call.name} only reads: adopt it with --reads, or grant it with "modes: [planning]"`,
  )
}

/** A tool that is not built in. */
const isOther = (capability: Capability | null): boolean => capability?.startsWith('tool:') === true

export const DENIED = 'a person denied it'

function judgeApproval({ name }: ToolCall, { grant, node, role, orchestratorAsks, approval }: GateFacts): Finding {
  const asks = grant.approval || node?.gated === true || (changesGraph(name) && (role?.name !== 'orchestrator' || orchestratorAsks))
  // Also when no approval is needed any more: the policy may have changed since the request, and the answer remains valid.
  if (approval === 'denied') return failed(DENIED)
  if (approval === 'expired') return failed('nobody answered in time')
  if (!asks) return notApplicable('nobody has to be asked')
  if (approval === 'foreign') return failed('it is not for whoever approved it to approve')
  return approval === 'approved' ? passed('a person approved it') : failed('a person has to approve it')
}
