// The world that a run froze, with a proposal applied, or with some of its causes. Names that the run never used are looked up in the
// proposal, and
// in the published library.
import type { Agent } from '../../core/agent/agent.ts'
import { type Cause, causeKey } from '../../core/regression/cause.ts'
import { takeParts } from '../../core/regression/workflow-parts.ts'
import { answersIn, type FrozenLookup, type FrozenRole, freezeLookup, refKey } from '../../core/run/frozen.ts'
import { grownWorkflow } from '../../core/run/graph/grown.ts'
import { narrowedRequests } from '../../core/run/graph/narrowed.ts'
import type { RunState } from '../../core/run/state.ts'
import type { Failure } from '../../core/session/events.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import { loadAgent } from '../definitions/agents.ts'
import { editedLookup } from '../library/edited-lookup.ts'
import { frozenRole, type LoadedFrozen, type LoadedSpawn, resolveRequest, roleOf, wantedBy } from '../runs/start/frozen.ts'
import { agentOf } from '../turns/task.ts'
import { activeIn, type Proposal } from './proposal.ts'
import { causesFor, proposedFound, proposedRole, templateCause } from './proposed-causes.ts'

export interface ProposedWorld {
  readonly frozen: LoadedFrozen
  /** By role: why no run could be started with it. */
  readonly unusable: ReadonlyMap<string, Failure>
  /** By recorded role: its replacement, for nodes that agents added. */
  readonly replaced: ReadonlyMap<string, FrozenRole>
}

export interface ProposedWorlds {
  /** Empty when the proposal equals the frozen world. */
  readonly causes: readonly Cause[]
  /** With these in place: the same object every time. */
  with(causes: readonly Cause[]): Promise<ProposedWorld>
}

/** @param frozen without the nodes that agents added, but with the frozen inputs of those nodes */
export async function proposedWorlds(proposal: Proposal, frozen: LoadedFrozen): Promise<ProposedWorlds> {
  const worlds = new Map<string, Promise<ProposedWorld>>()
  return {
    causes: await causesFor(proposal, frozen),
    with(causes) {
      const key = causes.map(causeKey).join()
      const known = worlds.get(key) ?? worldWith(proposal, frozen, causes)
      worlds.set(key, known)
      return known
    },
  }
}

const roleKey = (name: string, digest: string | null): string => JSON.stringify([name, digest])

/** With what agents had added to the graph by then. */
export function grown({ frozen, replaced }: ProposedWorld, recorded: LoadedFrozen, state: RunState): LoadedFrozen {
  if (state.grown.nodes.length === 0) return frozen
  const workflow = grownWorkflow(frozen.workflow, state)
  const spawned = new Map<string, LoadedSpawn>()
  const now = { ...frozen, workflow, spawned }
  for (const [id, spawn] of recorded.spawned) {
    const role = replaced.get(roleKey(spawn.role.name, spawn.role.digest))
    const parent = workflow.nodes.find(one => one.id === spawn.node.by)
    const asked = parent === undefined ? null : (frozenRole(now, parent, agentOf(now, parent))?.requests ?? null)
    spawned.set(id, role === undefined ? spawn : { ...spawn, role: { ...role, requests: narrowedRequests(asked, role.requests) } })
  }
  return now
}

async function worldWith(proposal: Proposal, recorded: LoadedFrozen, causes: readonly Cause[]): Promise<ProposedWorld> {
  const of = (kind: Cause['cause']) => causes.filter(({ cause }) => cause === kind)
  const proposed = proposal.workflows.get(recorded.workflow.id)?.workflow ?? recorded.workflow
  const workflow = takeParts(
    recorded.workflow,
    proposed,
    causes.flatMap(({ part }) => part ?? []),
  )
  const named = of('agent').map(({ name }) => name)
  const agents = await agentsWith(proposal, recorded, workflow, named)
  const { roles, ...rest } = await rolesWith(proposal, recorded, { workflow, agents }, of('role'))
  const frozen = { ...recorded, workflow, agents, roles }
  return { frozen: { ...frozen, lookup: await lookupWith(proposal, frozen, of('template')) }, ...rest }
}

async function agentsWith(
  { agents, library }: Proposal,
  recorded: LoadedFrozen,
  { nodes }: Workflow,
  taken: readonly string[],
): Promise<ReadonlyMap<string, Agent>> {
  const known = new Set(recorded.workflow.nodes.map(({ agentId }) => agentId))
  const found = new Map(recorded.agents)
  for (const { agentId } of nodes) {
    if (agentId === null || (known.has(agentId) && !taken.includes(agentId))) continue
    const agent = agents.get(agentId)?.agent ?? (await loadAgent(library.store, library.tenant, agentId))?.agent
    if (agent !== undefined) found.set(agentId, agent)
  }
  return found
}

async function rolesWith(
  proposal: Proposal,
  recorded: LoadedFrozen,
  { workflow, agents }: Pick<LoadedFrozen, 'workflow' | 'agents'>,
  taken: readonly Cause[],
): Promise<Pick<LoadedFrozen, 'roles'> & Pick<ProposedWorld, 'unusable' | 'replaced'>> {
  const roles = new Map(recorded.roles)
  const unusable = new Map<string, Failure>()
  const replaced = new Map<string, FrozenRole>()
  for (const { name, from } of taken) {
    const role = await proposedRole(proposal, name)
    if ('code' in role) unusable.set(name, role)
    else replaced.set(roleKey(name, from), role)
  }
  for (const node of workflow.nodes) {
    const name = roleOf(node, agents.get(node.agentId ?? '') ?? null)
    if (name === null || unusable.has(name)) continue
    const was = recorded.roles.get(name)
    const role = was === undefined ? await proposedRole(proposal, name) : (replaced.get(roleKey(name, was.digest)) ?? was)
    if ('code' in role) unusable.set(name, role)
    else roles.set(name, role)
  }
  return { roles, unusable, replaced }
}

/** @param taken the causes to apply; names that no run used always come from the proposal */
async function lookupWith(proposal: Proposal, frozen: LoadedFrozen, taken: readonly Cause[]): Promise<FrozenLookup> {
  const { found, defaults } = frozen.lookup
  const keys = new Set(taken.map(causeKey))
  const isTaken = (cause: Cause | null): boolean => cause !== null && keys.has(causeKey(cause))
  const changed = answersIn(frozen.lookup)
    .filter(([, ref, was]) => taken.length > 0 && isTaken(templateCause(proposal, ref, was)))
    .map(([key, ref, was]) => [key, proposedFound(proposal, ref, was)] as const)
  const wanted = wantedBy(frozen.workflow.nodes.map(node => resolveRequest(frozen, node, {})))
  const refs = wanted.refs.filter(ref => !Object.hasOwn(found, refKey(ref)))
  const edited = { templates: proposal.templates.map(({ template }) => template), active: activeIn(proposal) }
  // The host's defaults stay as the run froze them: no proposal of a tenant reaches the host's library.
  const missing = { refs, libraries: wanted.libraries, hostRefs: [] }
  const fresh =
    refs.length === 0 && missing.libraries.length === 0
      ? { found: {}, defaults: {} }
      : freezeLookup(await editedLookup(proposal.library, edited, missing), missing)
  return {
    ...frozen.lookup,
    found: { ...fresh.found, ...found, ...Object.fromEntries(changed) },
    defaults: { ...fresh.defaults, ...defaults },
  }
}
