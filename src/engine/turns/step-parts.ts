// The parts of a prompt: templates with their values, the role, and text that a person added to the run.

import type { Agent } from '../../core/agent/agent.ts'
import { type BindOptions, bindVariables } from '../../core/compose/bind.ts'
import type { PromptParts } from '../../core/compose/blocks.ts'
import type { RolePart, TemplatePart, TextPart } from '../../core/compose/parts.ts'
import type { Renderable } from '../../core/compose/render-prompt.ts'
import type { ShippedBlocks } from '../../core/compose/shipped-blocks.ts'
import type { ToolProtocol } from '../../core/compose/system-block.ts'
import type { Handoff } from '../../core/compose/task-payload.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { INLINE_KEYS, type KindRefs, nodeRefs } from '../../core/resolve/layers.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import type { Resolution } from '../../core/resolve/resolve.ts'
import { namesOf } from '../../core/run/fork.ts'
import type { FrozenRole } from '../../core/run/frozen.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import type { LoadedRun } from '../runs/load.ts'
import { frozenRole, type LoadedFrozen } from '../runs/start/frozen.ts'
import type { Keep } from './keep.ts'
import { type NodeValues, nodeValues, readStored } from './node-values.ts'
import { agentOf } from './task.ts'

export interface StepPlace {
  readonly store: Store
  readonly tenant: string
  readonly run: LoadedRun
  readonly frozen: LoadedFrozen
  readonly node: WorkflowNode
  readonly handoffs?: readonly Handoff[]
  /** The snapshot that is active for this step. */
  readonly snapshot: Snapshot | null
  /** Messages before the history in this step. */
  readonly prelude: readonly Digest[]
  /** Whether its provider resumes a conversation and gets only new messages. */
  readonly resumes: boolean
  /** How its provider calls the tools it is shown. */
  readonly protocol: ToolProtocol
  readonly shipped: ShippedBlocks
}

/** Values that need no question to the host. */
export type NodePlace = Pick<StepPlace, 'store' | 'tenant' | 'run' | 'frozen' | 'node'>

/** The clock is not a source: templates see only the time when the run was created. */
export function valuesOf({ store, tenant, run, frozen, node }: NodePlace): Promise<NodeValues> {
  const { state } = run
  const { runId, createdAt, createdBy } = namesOf(run)
  const { workflow } = frozen
  const context = {
    runId,
    workflowId: workflow.id,
    workflowName: workflow.name,
    tenantId: tenant,
    nodeId: node.id,
    currentUserId: createdBy,
    now: createdAt,
  }
  return nodeValues({ store, tenant, state, workflow }, node, context)
}

export async function configurableOf({
  store,
  tenant,
  run,
}: Pick<StepPlace, 'store' | 'tenant'> & { readonly run: Pick<LoadedRun, 'state'> }): Promise<JsonObject> {
  const { configurable } = run.state
  if (configurable === null) return {}
  return (await readStored<{ readonly configurable: JsonObject }>(store, tenant, configurable)).configurable
}

export const promptOverrides = ({ promptOverrides: given }: JsonObject): KindRefs => (isObject(given) ? given : {})

export const overridesOf = async (place: NodePlace): Promise<KindRefs> => promptOverrides(await configurableOf(place))

export interface ResolvedTemplate extends TemplatePart {
  /** The values of its variables, secrets redacted. */
  readonly values: JsonObject
}

export async function templatesOf(
  place: NodePlace,
  resolutions: readonly Resolution[],
  values: NodeValues,
  keep: Keep,
): Promise<readonly ResolvedTemplate[]> {
  const templates: ResolvedTemplate[] = []
  for (const { kind, resolved, trace, variableOverrides } of resolutions) {
    if (resolved === null) continue
    const { layer } = trace.find(({ applied }) => applied)!
    const template = layer === 'agent-intrinsic' ? intrinsicOf(place, keep) : await templateOf(place, resolved.digest)
    const bind: BindOptions = { overrides: variableOverrides, sources: values.sources, trust: values.trust }
    const ref = pinnedText(resolved.templateId, resolved.version)
    templates.push({ ref, digest: resolved.digest, kind, layer, template, bind, values: boundValues(template, bind) })
  }
  return templates
}

const templateOf = ({ store, tenant }: NodePlace, digest: Digest): Promise<Renderable> => readStored<Renderable>(store, tenant, digest)

/** The same object every time: rendering caches by identity. */
const intrinsics = new WeakMap<Agent, Renderable>()

function intrinsicOf({ frozen, node }: NodePlace, keep: Keep): Renderable {
  const agent = agentOf(frozen, node)!
  const made = intrinsics.get(agent) ?? { text: agent.systemPrompt! }
  intrinsics.set(agent, made)
  keep(made.text)
  return made
}

function boundValues({ variables = [] }: Renderable, bind: BindOptions): JsonObject {
  const bound = bindVariables(variables, bind)
  return bound.ok ? Object.fromEntries([...bound.bound].map(([name, { value }]) => [name, value])) : {}
}

/** The node's own text of a kind, where no ref beside it supersedes it. */
function inlineOf({ frozen, node: { config } }: NodePlace, kind: 'system' | 'user' | 'schema-hint'): TextPart | null {
  const text = config[INLINE_KEYS[kind]!]
  const isSuperseded = frozen.opaqueRefs !== true && nodeRefs(config, kind).length > 0
  if (typeof text !== 'string' || text.trim() === '' || isSuperseded) return null
  return { text, trust: 'trusted' }
}

export const inlineFor = (place: NodePlace): NonNullable<PromptParts['inline']> =>
  place.frozen.inlinePrompts === true
    ? { user: inlineOf(place, 'user'), 'schema-hint': inlineOf(place, 'schema-hint') }
    : { user: null, 'schema-hint': null }

/** The node's own prompt, where no ref supersedes it; otherwise its role. */
export function roleFor(place: StepPlace): RolePart | null {
  const { frozen, node } = place
  const own = inlineOf(place, 'system')
  if (own !== null) return { ...own, name: null }
  // Another agent wrote it.
  const prompt = frozen.spawned.get(node.id)?.prompt ?? null
  if (prompt !== null) return { text: prompt, trust: 'untrusted', name: null }
  const role = frozenRole(frozen, node, agentOf(frozen, node))
  return role === null ? null : partOf(role)
}

/** The same object in every step: composing caches by identity. */
const roleParts = new WeakMap<FrozenRole, RolePart>()

function partOf(role: FrozenRole): RolePart {
  const made = roleParts.get(role) ?? ({ text: role.text, trust: 'trusted', name: { ref: role.ref, digest: role.digest } } as const)
  roleParts.set(role, made)
  return made
}

export async function overrideOf({ store, tenant, run, node }: StepPlace): Promise<TextPart | null> {
  const { override, overrides } = run.state
  const digest = Object.hasOwn(overrides, node.id) ? overrides[node.id]! : override
  if (digest === null) return null
  return { text: (await readStored<{ readonly text: string }>(store, tenant, digest)).text, trust: 'trusted' }
}
