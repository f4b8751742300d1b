// Folder: The policy and the settings of a host on record, and explanations of verdicts.
// Explains the gate's verdict on a prospective call, for a host or a folder: collects the facts, and calls nothing.
import type { Mode } from '../../core/compose/mode.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { Role } from '../../core/gate/authorize.ts'
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import { type Explained, explainCall, type ProspectiveCall } from '../../core/gate/explain.ts'
import type { PlacedPolicy } from '../../core/gate/read-policy.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import { GRAPH_DESCRIPTORS, isGraphTool } from '../../core/tools/graph-descriptors.ts'
import { Fault } from '../../errors.ts'
import type { RoleFiles, Store, Validator } from '../../ports.ts'
import { loadRole } from '../roles/load-role.ts'
import { graphGate } from '../runs/graph/graph-gate.ts'
import { loadRun } from '../runs/load.ts'
import { worldOf } from '../runs/start/world.ts'
import { type BoundTools, bindingFor } from '../tools/bound.ts'
import { onlyReads, problemOfCall } from '../turns/gate-facts.ts'
import { buildCall } from '../turns/model-call.ts'
import { nodeGate } from '../turns/node-gate.ts'
import { validatorOf } from '../work/fair-validator.ts'

export interface ExplainParts extends BoundTools {
  readonly store: Store
  readonly policy: PlacedPolicy
  readonly validator: Validator
  readonly roles: RoleFiles | null
}

export interface ExplainRequest {
  readonly tool: string
  /** Not needed for a node of a run, which has its own. */
  readonly agent?: string | undefined
  readonly role?: string | undefined
  readonly mode?: Mode | undefined
  readonly arguments?: Json | undefined
  readonly node?: { readonly runId: string; readonly nodeId: string } | undefined
}

/** The verdict, with the caller that it applies to. */
export interface ExplainedPolicy extends Explained {
  readonly tool: string
  readonly tenant: string
  readonly agent: string
  readonly role: string | null
  readonly mode: Mode | null
}

/** The facts about the caller. */
type Caller = Pick<ProspectiveCall, 'agent' | 'role' | 'node' | 'mode' | 'free' | 'onBehalfOf' | 'mustAsk' | 'problem' | 'ownEdge'> & {
  /** Null when no agent has seen a catalog yet. */
  readonly shown: readonly Descriptor[] | null
}

export async function explainPolicy(parts: ExplainParts, tenant: string, request: ExplainRequest): Promise<ExplainedPolicy> {
  const { tool, arguments: given } = request
  const caller = request.node === undefined ? await namedCaller(parts, request) : await callerAt(parts, tenant, request, request.node)
  const { shown, ...who } = caller
  const binding = await bindingFor(parts, tenant, tool)
  const own = isGraphTool(tool) ? GRAPH_DESCRIPTORS[tool] : binding?.descriptor
  const descriptor = shown === null ? own : shown.find(({ name }) => name === tool)
  const refused = given === undefined ? null : ((await binding?.refuses?.({ arguments: given })) ?? null)
  const call: ProspectiveCall = {
    ...who,
    tool,
    tenant,
    reads: onlyReads(binding),
    // A real check would have to ask the server, and perhaps start it.
    ...(binding?.unbound === undefined ? { bound: binding !== undefined || (request.node !== undefined && isOfGraphs(tool)) } : {}),
    ...(refused === null ? {} : { bound: false, unbound: refused }),
    ...(shown === null ? {} : { visible: descriptor !== undefined }),
    ...(given === undefined ? {} : { arguments: given }),
    ...(given === undefined || descriptor === undefined
      ? {}
      : { problem: (await problemOfCall(validatorOf(parts.validator, tenant), descriptor, own, given)) ?? who.problem ?? null }),
  }
  const { policy, lines } = parts.policy
  const { agent, role, mode } = who
  return { tool, tenant, agent, role: role?.name ?? null, mode, ...explainCall(policy, call, lines) }
}

/** They are bound for the nodes of graphs alone. */
const isOfGraphs = (tool: string): boolean => isGraphTool(tool) || tool === REQUEST_IMPLEMENTATION

async function namedCaller({ roles }: ExplainParts, { agent, role, mode }: ExplainRequest): Promise<Caller> {
  if (agent === undefined) throw new Fault('usage_invalid', { problem: 'Name the caller: an agent, or a node of a run' })
  return { agent, role: role === undefined ? null : await roleNamed(roles, role), node: null, mode: mode ?? null, shown: null }
}

async function roleNamed(roles: RoleFiles | null, name: string): Promise<Role> {
  const { role } = await loadRole(roles, name)
  return { name: role.name, requests: role.requests }
}

/** Values in the request replace those of the run. */
async function callerAt(
  { store, roles, validator }: ExplainParts,
  tenant: string,
  { tool, agent, role, mode, arguments: given }: ExplainRequest,
  { runId, nodeId }: { readonly runId: string; readonly nodeId: string },
): Promise<Caller> {
  const { state } = await loadRun(store, tenant, runId)
  if (state.frozen === null) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  const frozen = await worldOf(store, tenant, state)
  if (!frozen.workflow.nodes.some(({ id }) => id === nodeId))
    throw new Fault('node_missing', { problem: `Run ${runId} has no node ${nodeId}` })
  const gate = nodeGate(frozen, state, nodeId)
  const isOfGraph = given !== undefined && isGraphTool(tool)
  const place = { state, workflow: frozen.workflow, nodeId }
  const inGraph = isOfGraph ? await graphGate(validatorOf(validator, tenant), place, null, { name: tool, arguments: given }) : null
  const request = nodeOf(state, nodeId).turn?.step?.request
  const built = request === undefined ? null : await buildCall(store, tenant, request)
  return {
    agent: agent ?? gate.agent,
    role: role === undefined ? gate.role : await roleNamed(roles, role),
    node: gate.node,
    mode: mode ?? gate.mode,
    free: gate.free.includes(tool),
    onBehalfOf: gate.onBehalfOf,
    mustAsk: gate.mustAsk || inGraph?.mustAsk === true,
    ...(inGraph === null ? {} : { problem: inGraph.problem, ownEdge: inGraph.ownEdge }),
    shown: built?.ok === true ? built.call.tools : null,
  }
}
