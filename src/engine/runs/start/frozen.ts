// Stores the inputs that a run freezes, and reads them back. Runs of one workflow freeze the same objects and share them.
import type { Agent } from '../../../core/agent/agent.ts'
import { defaultStyle } from '../../../core/compose/compose-style.ts'
import type { Mode } from '../../../core/compose/mode.ts'
import type { Repository } from '../../../core/compose/task-payload.ts'
import { canonicalJson, type Digest, digestText, type Json } from '../../../core/digest/digest.ts'
import { USUAL_SETTINGS } from '../../../core/gate/usual-settings.ts'
import { boundAgent } from '../../../core/resolve/bound-agent.ts'
import { type KindRefs, type ResolveRequest, refFields, withoutRefs } from '../../../core/resolve/layers.ts'
import { missingReason } from '../../../core/resolve/resolve.ts'
import { answersIn, type Frozen, type FrozenLookup, type FrozenRole, freezeLookup, type Wanted } from '../../../core/run/frozen.ts'
import type { SpawnedNode } from '../../../core/run/graph/grown.ts'
import type { RunWarning } from '../../../core/run/warning.ts'
import type { StoredText } from '../../../core/session/history.ts'
import type { Workflow, WorkflowNode } from '../../../core/workflow/workflow.ts'
import type { RoleFiles, Store } from '../../../ports.ts'
import { loadAgent } from '../../definitions/agents.ts'
import { loadLookup } from '../../library/lookup.ts'
import { refsOf } from '../../library/refs-of.ts'
import { HOST_TENANT } from '../../library/rows.ts'
import { coalesceReads } from '../../reading/coalesce.ts'
import { rememberedContent } from '../../reading/remembered.ts'
import { type LoadedRole, loadRole } from '../../roles/load-role.ts'
import { type Keeper, keeper } from '../../turns/keep.ts'
import type { PackNode } from './check-input.ts'
import { packNodes } from './pack-nodes.ts'

/**
 * Workflows and agents are files of the workspace: their refs may name labels. The version that a label points to is frozen with the rest.
 */
export const DIALECT = { labels: true }

/** The host's settings when a run starts. */
export interface RunWorld {
  readonly hostDefaults: KindRefs
  readonly agentBindings: boolean
  /** The host does not support prompts: its runs keep refs and resolve none. Default: it does. */
  readonly opaqueRefs?: boolean
  readonly roles: RoleFiles | null
  readonly model: Frozen['model']
  /** Describes the repo to agents; called when a run starts. Null: prompts do not describe the repo. */
  readonly repository: (() => Promise<Repository>) | null
  /** Warnings that the host adds when a run starts. */
  readonly warnings?: (tenant: string) => Promise<readonly RunWarning[]>
}

export interface FrozenTexts {
  readonly digest: Digest
  readonly texts: readonly StoredText[]
  readonly warnings: readonly RunWarning[]
  readonly packs: readonly PackNode[]
}

export async function freeze(
  store: Store,
  tenant: string,
  workflow: Workflow,
  world: RunWorld,
  runOverrides: KindRefs,
  mode: Mode,
): Promise<FrozenTexts> {
  const { hostDefaults, agentBindings, model } = world
  const repository = world.repository === null ? null : await world.repository()
  const agents = await agentsOf(store, tenant, workflow)
  const roles = await rolesOf(world.roles, workflow, agents)
  const agent = agents.get(workflow.nodes[0]?.agentId ?? '') ?? null
  const compose = defaultStyle(workflow, { agent, mode, hasRepository: repository !== null })
  const opaque = world.opaqueRefs === true ? { opaqueRefs: true as const } : {}
  const rest = { hostDefaults, agentBindings, ...opaque, model, repository, settings: USUAL_SETTINGS, inlinePrompts: true, compose }
  const requests = workflow.nodes.map(node => resolveRequest({ workflow, agents, ...rest }, node, runOverrides))
  const { keep, keepAs, texts } = keeper()
  const lookup = await lookupNow(store, tenant, requests, keepAs)
  const options = [...agents.values(), ...workflow.nodes].flatMap(({ model: { providerOptions: given } }) =>
    given === undefined ? [] : [keep(canonicalJson(given))],
  )
  const packs = await packNodes(store, tenant, { workflow, agents, requests, lookup, compose })
  for (const { text } of packs) keep(text)
  const node = {
    $node: 'frozen',
    ...(packs.length === 0 ? {} : { packs: Object.fromEntries(packs.map(({ node: { id }, text }) => [id, digestText(text)])) }),
    // Requests name them by digest.
    ...(options.length === 0 ? {} : { providerOptions: options }),
    workflow: keepAs(...spelled(workflow)),
    agents: Object.fromEntries([...agents].map(([id, agent]) => [id, keepAs(...spelled(agent))])),
    roles: Object.fromEntries(
      [...roles].map(([name, { raw, ...role }]) => [name, { file: keep(raw), role: keep(canonicalJson(role as unknown as Json)) }]),
    ),
    lookup: chunksOf(lookup).map(chunk => keep(canonicalJson(chunk as unknown as Json))),
    ...rest,
  }
  const digest = keep(canonicalJson(node as unknown as Json))
  return { digest, texts: texts(), packs, warnings: [...missingLabels(lookup), ...((await world.warnings?.(tenant)) ?? [])] }
}

const missingLabels = (lookup: FrozenLookup): readonly RunWarning[] =>
  answersIn(lookup).flatMap(([, ref, found]) =>
    found.status === 'missing' && found.versions !== undefined ? [{ code: 'label_missing', message: missingReason(ref, found) }] : [],
  )

/** Resolves everything that the run may ask for to its current version. The host's own versions are stored with the tenant. */
export async function lookupNow(
  store: Store,
  tenant: string,
  requests: readonly ResolveRequest[],
  keepAs: Keeper['keepAs'],
): Promise<FrozenLookup> {
  const wanted = wantedBy(requests)
  const known = await loadLookup(store, tenant, wanted)
  for (const { tenant: owner, digest } of [...known.rows, ...known.hostRows])
    if (owner === HOST_TENANT) keepAs(digest, new TextDecoder().decode(await store.object(owner, digest)))
  return freezeLookup(known, wanted)
}

export function wantedBy(requests: readonly ResolveRequest[]): Wanted {
  const asked = requests.map(request => refsOf(request, DIALECT))
  return {
    refs: asked.flatMap(({ refs }) => refs),
    libraries: [...new Set(asked.flatMap(({ libraries }) => libraries))],
    // The same for every node.
    hostRefs: asked[0]?.hostRefs ?? [],
  }
}

/** A node of the record may not be large, and a workflow may name thousands of templates. */
const MOST_FOUND = 1_000

function chunksOf({ found, defaults, host }: FrozenLookup): readonly object[] {
  const entries = Object.entries(found)
  const chunks: object[] = [{ $node: 'lookup', found: {}, defaults, host }]
  for (let at = 0; at < entries.length; at += MOST_FOUND)
    chunks.push({ $node: 'lookup', found: Object.fromEntries(entries.slice(at, at + MOST_FOUND)), defaults: {} })
  return chunks
}

/** Many runs freeze the same: it is spelled once. */
const spellings = new WeakMap<object, readonly [Digest, string]>()

function spelled(value: Workflow | Agent): readonly [Digest, string] {
  const known = spellings.get(value)
  if (known !== undefined) return known
  const text = canonicalJson(value as unknown as Json)
  const made = [digestText(text), text] as const
  spellings.set(value, made)
  return made
}

export async function agentsOf(store: Store, tenant: string, { nodes }: Workflow): Promise<ReadonlyMap<string, Agent>> {
  const found = new Map<string, Agent>()
  for (const id of new Set(nodes.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])))) {
    const loaded = await loadAgent(store, tenant, id)
    if (loaded !== null) found.set(id, loaded.agent)
  }
  return found
}

async function rolesOf(
  files: RoleFiles | null,
  { nodes }: Workflow,
  agents: ReadonlyMap<string, Agent>,
): Promise<ReadonlyMap<string, FrozenRole & { readonly raw: string }>> {
  const found = new Map<string, FrozenRole & { readonly raw: string }>()
  for (const node of nodes) {
    const name = roleOf(node, agents.get(node.agentId ?? '') ?? null)
    if (name === null || found.has(name)) continue
    const { role, source, ref, digest } = await roleIn(files, name)
    found.set(name, { name, source, ref, digest, requests: role.requests, text: role.text, raw: role.raw })
  }
  return found
}

/** Files are looked for in many steps: runs that start together look once. */
const readers = new WeakMap<RoleFiles, ReturnType<typeof coalesceReads>>()

export function roleIn(files: RoleFiles | null, name: string): Promise<LoadedRole> {
  if (files === null) return loadRole(null, name)
  const together = readers.get(files) ?? coalesceReads()
  readers.set(files, together)
  return together(name, () => loadRole(files, name))
}

export const roleOf = ({ role }: Pick<WorkflowNode, 'role'>, agent: Agent | null): string | null => role ?? agent?.role ?? null

type ResolvedWorld = Pick<LoadedFrozen, 'workflow' | 'agents' | 'hostDefaults' | 'agentBindings' | 'opaqueRefs'>

export function resolveRequest(world: ResolvedWorld, node: WorkflowNode, runOverrides: KindRefs): ResolveRequest {
  const request = writtenRequest(world, node, runOverrides)
  return world.opaqueRefs === true ? withoutRefs(request) : request
}

/** The refs that a host without support for prompts leaves aside. */
export const opaqueRefs = (world: ResolvedWorld, node: WorkflowNode, runOverrides: KindRefs): readonly string[] =>
  world.opaqueRefs === true ? refFields(writtenRequest(world, node, runOverrides)) : []

function writtenRequest(world: ResolvedWorld, node: WorkflowNode, runOverrides: KindRefs): ResolveRequest {
  const agent = node.agentId === null ? null : (world.agents.get(node.agentId) ?? null)
  return {
    nodeId: node.id,
    config: node.config,
    agent: agent === null ? null : bound(agent),
    agentBindings: world.agentBindings,
    runOverrides,
    workflowDefaults: world.workflow.promptRefs,
    hostDefaults: world.hostDefaults,
  }
}

const bound = ({ agentId, version, systemPrompt, promptOverrides, promptLibraryRef }: Agent): ResolveRequest['agent'] =>
  boundAgent({ agentId, version, systemPrompt, promptOverrides: promptOverrides as { [kind: string]: Json }, promptLibraryRef })

/** Returns the same object every time, so that derived values can be cached by identity. */
export const loadFrozen = (store: Store, tenant: string, digest: Digest): Promise<LoadedFrozen> =>
  rememberedContent(store, JSON.stringify(['frozen', tenant, digest]), async () => {
    const read = async <T>(name: Digest): Promise<T> => JSON.parse(new TextDecoder().decode(await store.object(tenant, name))) as T
    const node = await read<StoredFrozen>(digest)
    const agents = new Map<string, Agent>()
    for (const [id, name] of Object.entries(node.agents)) agents.set(id, await read<Agent>(name))
    const roles = new Map<string, FrozenRole>()
    for (const [name, { role }] of Object.entries(node.roles)) roles.set(name, await read<FrozenRole>(role))
    const lookups: FrozenLookup[] = []
    for (const name of node.lookup) lookups.push(await read<FrozenLookup>(name))
    const lookup: FrozenLookup = {
      found: Object.assign({}, ...lookups.map(({ found }) => found)),
      defaults: Object.assign({}, ...lookups.map(({ defaults }) => defaults)),
      ...(lookups.some(({ host }) => host !== undefined) ? { host: Object.assign({}, ...lookups.map(({ host = {} }) => host)) } : {}),
    }
    return { ...node, lookup, workflow: await read<Workflow>(node.workflow), agents, roles, spawned: NONE }
  })

interface StoredFrozen extends Omit<Frozen, 'workflow' | 'agents' | 'roles' | 'lookup'> {
  readonly workflow: Digest
  readonly lookup: readonly Digest[]
  readonly agents: Readonly<Record<string, Digest>>
  readonly roles: Readonly<Record<string, { readonly role: Digest; readonly file: Digest }>>
}

export interface LoadedFrozen extends Omit<Frozen, 'agents' | 'roles'> {
  readonly agents: ReadonlyMap<string, Agent>
  readonly roles: ReadonlyMap<string, FrozenRole>
  /** By node: the frozen inputs of nodes that agents added. */
  readonly spawned: ReadonlyMap<string, LoadedSpawn>
}

export interface LoadedSpawn {
  readonly node: SpawnedNode
  readonly role: FrozenRole
  /** In place of the text of its role; null for nothing. */
  readonly prompt: string | null
}

const NONE: ReadonlyMap<string, LoadedSpawn> = new Map()

/** Null for a node that has none. */
export const frozenRole = ({ spawned, roles }: LoadedFrozen, node: WorkflowNode, agent: Agent | null): FrozenRole | null =>
  spawned.get(node.id)?.role ?? roles.get(roleOf(node, agent) ?? '') ?? null
