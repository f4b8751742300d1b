// The current world of a run: the objects that it froze, and the nodes and edges that agents added since. Read only.
import type { FrozenRole } from '../../../core/run/frozen.ts'
import { grownWorkflow, type SpawnedNode } from '../../../core/run/graph/grown.ts'
import type { RunState } from '../../../core/run/state.ts'
import type { Workflow } from '../../../core/workflow/workflow.ts'
import type { Store } from '../../../ports.ts'
import { readStored } from '../../turns/node-values.ts'
import { type LoadedFrozen, type LoadedSpawn, loadFrozen, type RunWorld } from './frozen.ts'

/** The run's graph, without prompts. */
export const workflowNow = async (store: Store, tenant: string, state: RunState): Promise<Workflow> =>
  grownWorkflow((await loadFrozen(store, tenant, state.frozen!)).workflow, state)

/** The world of a workflow without agents, roles and refs. */
export const worldWith = (workflow: Workflow, { hostDefaults, agentBindings, model }: RunWorld): LoadedFrozen => ({
  workflow,
  agents: new Map(),
  roles: new Map(),
  spawned: new Map(),
  lookup: { found: {}, defaults: {} },
  hostDefaults,
  agentBindings,
  model,
  repository: null,
})

/** Keyed by the added nodes: the same object every time, so that derived values can be cached by identity. */
const worlds = new WeakMap<readonly SpawnedNode[], LoadedFrozen>()

export async function worldOf(store: Store, tenant: string, state: RunState): Promise<LoadedFrozen> {
  const { nodes } = state.grown
  const cached = worlds.get(nodes)
  if (nodes.length > 0 && cached !== undefined) return cached
  const frozen = await loadFrozen(store, tenant, state.frozen!)
  if (nodes.length === 0) return frozen
  const spawned = new Map<string, LoadedSpawn>()
  for (const node of nodes) spawned.set(node.nodeId, await loadSpawn(store, tenant, node))
  const made = { ...frozen, workflow: grownWorkflow(frozen.workflow, state), spawned }
  worlds.set(nodes, made)
  return made
}

/** By the event's own object, as it comes through every later state: what composing makes of a role hangs on it. */
const spawns = new WeakMap<SpawnedNode, LoadedSpawn>()

async function loadSpawn(store: Store, tenant: string, node: SpawnedNode): Promise<LoadedSpawn> {
  const cached = spawns.get(node)
  if (cached !== undefined) return cached
  const textOf = async (digest: SpawnedNode['role']['text']) => (await readStored<{ readonly text: string }>(store, tenant, digest)).text
  const { name, source, ref, file, text, requests } = node.role
  const role: FrozenRole = { name, source, ref, digest: file, requests, text: await textOf(text) }
  const made = { node, role, prompt: node.prompt === null ? null : await textOf(node.prompt) }
  spawns.set(node, made)
  return made
}
