// Computes the node that a spawn would create: its current role, its provider, and no more rights than the node that spawns it. Writes nothing.
import { canonicalJson, type Json } from '../../../core/digest/digest.ts'
import type { EdgeManagement, NodeSettings } from '../../../core/gate/authorize.ts'
import type { SpawnPlan } from '../../../core/run/graph/graph-plans.ts'
import type { SpawnedNode } from '../../../core/run/graph/grown.ts'
import { narrowedRequests, narrowedSettings } from '../../../core/run/graph/narrowed.ts'
import type { RunConfig } from '../../../core/session/config.ts'
import type { StoredText } from '../../../core/session/history.ts'
import type { ModelChoice } from '../../../core/workflow/workflow.ts'
import { Fault } from '../../../errors.ts'
import type { LoadedRole } from '../../roles/load-role.ts'
import { keeper } from '../../turns/keep.ts'
import type { NodeDesk } from '../../turns/start-step.ts'
import { agentOf, settingsOf } from '../../turns/task.ts'
import { frozenRole, type LoadedFrozen } from '../start/frozen.ts'

/** The spawning node, with its config and world. */
export interface Spawner {
  readonly frozen: LoadedFrozen
  readonly nodeId: string
  /** The config of the spawning node's run. */
  readonly config: RunConfig
  readonly roleNamed: (name: string) => Promise<LoadedRole>
  readonly calls: NodeDesk['calls']
}

export type Spawned =
  | { readonly ok: true; readonly node: Omit<SpawnedNode, 'tools'>; readonly texts: readonly StoredText[] }
  | { readonly ok: false; readonly problem: string }

export async function spawnOf(spawner: Spawner, plan: SpawnPlan): Promise<Spawned> {
  const { frozen, nodeId } = spawner
  const { depth, label, alias } = plan
  const parent = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const model = modelFor(spawner, plan.provider)
  if (model === null)
    return { ok: false, problem: `this run uses no provider "${plan.provider}"; it uses ${providersOf(spawner).join(', ')}` }
  if (await hasOwnHands(spawner, model.provider!))
    return { ok: false, problem: `provider "${model.provider}" uses tools of its own, and that of ${nodeId} does not` }
  const role = await roleFor(spawner, plan.role)
  if ('problem' in role) return { ok: false, problem: role.problem }
  const { keep, texts } = keeper()
  const agent = agentOf(frozen, parent)
  const requests = narrowedRequests(frozenRole(frozen, parent, agent)?.requests ?? null, role.requests)
  const asked = settingsOf(frozen, { role: plan.role, settings: askedSettings(plan) }, null)
  const stored = (text: string) => keep(canonicalJson({ text } as unknown as Json))
  const { name, source, ref, digest: file } = role
  return {
    ok: true,
    node: {
      nodeId: plan.nodeId,
      by: nodeId,
      depth,
      label,
      alias,
      role: { name, source, ref, file: role.raw === null ? file : keep(role.raw), text: stored(role.text), requests },
      model,
      settings: narrowedSettings(settingsOf(frozen, parent, agent), asked),
      asks: plan.asks || (frozen.spawned.get(nodeId)?.node.asks ?? false),
      prompt: plan.prompt === null ? null : stored(plan.prompt),
    },
    texts: texts(),
  }
}

interface FoundRole {
  readonly name: string
  readonly source: 'repo' | 'shipped'
  readonly ref: string
  readonly digest: SpawnedNode['role']['file']
  readonly requests: readonly string[]
  readonly text: string
  /** Null where it is in the record already. */
  readonly raw: string | null
}

/** A role that the run froze does not change. */
async function roleFor({ frozen, roleNamed }: Spawner, name: string): Promise<FoundRole | { readonly problem: string }> {
  const known = frozen.roles.get(name)
  if (known !== undefined) return { ...known, raw: null }
  try {
    const { role, source, ref, digest } = await roleNamed(name)
    return { name: role.name, source, ref, digest, requests: role.requests, text: role.text, raw: role.raw }
  } catch (error) {
    if (error instanceof Fault) return { problem: error.message }
    throw error
  }
}

/** A setting that the plan leaves out keeps the default of the role. */
function askedSettings({ capabilities, gated }: SpawnPlan): Partial<NodeSettings> {
  const flag = (name: 'writeCode' | 'writeDocs' | 'runCommands' | 'delegateOnly') =>
    typeof capabilities[name] === 'boolean' ? { [name]: capabilities[name] } : {}
  const { edgeManagement } = capabilities
  return {
    ...(typeof edgeManagement === 'string' ? { edgeManagement: edgeManagement as EdgeManagement } : {}),
    ...flag('writeCode'),
    ...flag('writeDocs'),
    ...flag('runCommands'),
    ...flag('delegateOnly'),
    gated,
  }
}

/** The models that the run uses. The spawning node's model comes first, so that it precedes other models of its provider. */
function choicesOf({ frozen, config }: Spawner): readonly ModelChoice[] {
  const { provider, model, maxTokens, reasoningEffort } = config
  // A spawned node takes no sampling from others.
  const plain = ({ provider, model, maxTokens, reasoningEffort }: ModelChoice): ModelChoice => ({
    provider,
    model,
    maxTokens,
    reasoningEffort,
  })
  const ofNodes = frozen.workflow.nodes.flatMap(node => [node.model, agentOf(frozen, node)?.model ?? []].flat().map(plain))
  const usual = frozen.model === null ? [] : [{ ...frozen.model, maxTokens: null, reasoningEffort: null }]
  return [{ provider, model, maxTokens, reasoningEffort }, ...ofNodes, ...usual].filter(
    choice => choice.provider !== null && choice.model !== null,
  )
}

const providersOf = (spawner: Spawner): readonly string[] => [...new Set(choicesOf(spawner).map(({ provider }) => provider!))]

/** The gate does not judge such a provider's own tools: only a node that has them already may pass them on. */
const hasOwnHands = async ({ config, calls }: Spawner, provider: string): Promise<boolean> =>
  (await calls(provider)) === 'own' && (await calls(config.provider)) !== 'own'

const modelFor = (spawner: Spawner, provider: string | null): ModelChoice | null =>
  choicesOf(spawner).find(choice => provider === null || choice.provider === provider) ?? null
