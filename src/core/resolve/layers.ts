// Lists the candidates for a prompt: every layer, in order of precedence. OpenWOP RFC 0029 §A.
import type { Digest, Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import type { PromptKind } from '../pack/compile.ts'
import { type ReadRef, type RefDialect, readPromptRef } from './prompt-ref.ts'

export const LAYERS = [
  'run-configurable',
  'node',
  'agent-intrinsic',
  'agent-overrides',
  'agent-library-default',
  'workflow-defaults',
  'host-defaults',
] as const
export type Layer = (typeof LAYERS)[number]

/** By kind. Any JSON is possible; a value is parsed when it is used. */
export type KindRefs = Readonly<Partial<Record<PromptKind, Json>>>

/** The facts about an agent that resolution needs. */
export interface BoundAgent {
  readonly agentId: string
  /** Its own system prompt, as a template that was made for it. */
  readonly intrinsic: { readonly templateId: string; readonly version: string; readonly digest: Digest } | null
  readonly promptOverrides: KindRefs
  readonly promptLibraryRef: string | null
}

export interface ResolveRequest {
  readonly nodeId: string
  readonly config: { readonly [key: string]: Json }
  /** The agent that the node's agentId names; null when it names no known agent. */
  readonly agent: BoundAgent | null
  /** Whether the host considers the layers of agents at all. */
  readonly agentBindings: boolean
  readonly runOverrides?: KindRefs
  readonly workflowDefaults?: KindRefs
  readonly hostDefaults?: KindRefs
}

/** Why a layer has nothing to offer. */
export type Silence =
  | 'nothing_here'
  | 'kind_not_intrinsic'
  | 'agent_unset'
  | 'agent_bindings_off'
  | 'agent_binding_unresolvable'
  | 'agent_library_unset'

/** The offer of one layer: a ref as written, a known template, or nothing with the reason. */
export interface Candidate {
  readonly layer: Layer
  readonly offer:
    | { readonly type: 'ref'; readonly read: ReadRef }
    | { readonly type: 'template'; readonly templateId: string; readonly version: string; readonly digest: Digest }
    | { readonly type: 'library-default'; readonly libraryId: string }
    | { readonly type: 'none'; readonly silence: Silence }
}

const NODE_KEYS: Readonly<Record<Exclude<PromptKind, 'few-shot'>, string>> = {
  system: 'systemPromptRef',
  user: 'userPromptRef',
  'schema-hint': 'schemaHintPromptRef',
}

const REF_KEYS = [...Object.values(NODE_KEYS), 'fewShotPromptRefs', 'additionalPromptRefs']

/** The inline field that a ref beside it supersedes. */
export const INLINE_KEYS: Readonly<Partial<Record<PromptKind, string>>> = {
  system: 'systemPrompt',
  user: 'userPrompt',
  'schema-hint': 'schemaHintPrompt',
}

/** An empty entry counts as missing: it is skipped, never resolved. */
export const isEmpty = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

/** The node's refs for a kind: one, or any number for few-shot. */
export function nodeRefs(config: ResolveRequest['config'], kind: PromptKind): readonly Json[] {
  if (kind !== 'few-shot') {
    const value = config[NODE_KEYS[kind]]
    return isEmpty(value) ? [] : [value!]
  }
  return entriesOf(config.fewShotPromptRefs)
}

export const additionalRefs = (config: ResolveRequest['config']): readonly Json[] => entriesOf(config.additionalPromptRefs)

/** A single value counts as a list of one, so that it is not silently ignored. */
const entriesOf = (listed: Json | undefined): readonly Json[] =>
  (Array.isArray(listed) ? listed : [listed]).filter(entry => !isEmpty(entry))

const none = (layer: Layer, silence: Silence): Candidate => ({ layer, offer: { type: 'none', silence } })
const offered = (layer: Layer, value: Json | undefined, dialect: RefDialect): Candidate =>
  isEmpty(value) ? none(layer, 'nothing_here') : { layer, offer: { type: 'ref', read: readPromptRef(value, dialect) } }

/** @param nodeRef the node's ref in this slot */
export function candidatesFor(
  request: ResolveRequest,
  kind: PromptKind,
  nodeRef: Json | undefined,
  dialect: RefDialect,
): readonly Candidate[] {
  const { runOverrides = {}, workflowDefaults = {}, hostDefaults = {} } = request
  return [
    offered('run-configurable', runOverrides[kind], dialect),
    offered('node', nodeRef, dialect),
    ...agentCandidates(request, kind, dialect),
    offered('workflow-defaults', workflowDefaults[kind], dialect),
    offered('host-defaults', hostDefaults[kind], dialect),
  ]
}

const AGENT_LAYERS = ['agent-intrinsic', 'agent-overrides', 'agent-library-default'] as const

function agentCandidates(request: ResolveRequest, kind: PromptKind, dialect: RefDialect): readonly Candidate[] {
  const { agent } = request
  const silence = agentSilence(request)
  if (silence !== null || agent === null) return AGENT_LAYERS.map(layer => none(layer, silence ?? 'agent_binding_unresolvable'))
  const { intrinsic, promptOverrides, promptLibraryRef } = agent
  return [
    kind !== 'system'
      ? none('agent-intrinsic', 'kind_not_intrinsic')
      : intrinsic === null
        ? none('agent-intrinsic', 'nothing_here')
        : { layer: 'agent-intrinsic', offer: { type: 'template', ...intrinsic } },
    offered('agent-overrides', promptOverrides[kind], dialect),
    promptLibraryRef === null
      ? none('agent-library-default', 'agent_library_unset')
      : { layer: 'agent-library-default', offer: { type: 'library-default', libraryId: promptLibraryRef } },
  ]
}

/** Why no agent speaks here; null when one may. */
export function agentSilence({ agentBindings, config, agent }: ResolveRequest): Silence | null {
  if (isEmpty(config.agentId)) return 'agent_unset'
  if (!agentBindings) return 'agent_bindings_off'
  return agent === null ? 'agent_binding_unresolvable' : null
}

/** The fields that hold refs of authors and callers, by name. The host's own defaults are not among them. */
export function refFields({ config, agent, runOverrides = {}, workflowDefaults = {} }: ResolveRequest): readonly string[] {
  const kinds = (refs: KindRefs, prefix: string): readonly string[] =>
    Object.entries(refs).flatMap(([kind, ref]) => (isEmpty(ref) ? [] : [`${prefix}.${kind}`]))
  return [
    ...kinds(runOverrides, 'configurable.promptOverrides'),
    ...REF_KEYS.filter(key => entriesOf(config[key]).length > 0),
    ...kinds(agent?.promptOverrides ?? {}, 'promptOverrides'),
    ...(agent?.promptLibraryRef ? ['promptLibraryRef'] : []),
    ...kinds(workflowDefaults, 'defaults.promptRefs'),
  ]
}

/** The request of a host that treats refs as opaque: only an agent's own text is left to choose. */
export const withoutRefs = ({ nodeId, config, agent, agentBindings }: ResolveRequest): ResolveRequest => ({
  nodeId,
  config: config.agentId === undefined ? {} : { agentId: config.agentId },
  agent: agent === null ? null : { ...agent, promptOverrides: {}, promptLibraryRef: null },
  agentBindings,
})

export const configOf = (value: Json | undefined): ResolveRequest['config'] => (isObject(value) ? value : {})
