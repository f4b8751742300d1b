// Translates session and run configs from and to AgentOS's names. AgentOS has no names for limits and sampling options: an incoming config keeps
// them.
import { type Digest, isDigest, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { emptyConfig, type SessionConfig, type WorkspaceSelector } from '../../core/session/config.ts'
import type { ApplyWhen } from '../../core/session/events.ts'
import { unitPair, type Variant } from './variant.ts'

export interface AosBinding {
  readonly workspace: string
  readonly version: number | null
}

export interface AosSessionConfig {
  readonly provider: string
  readonly model: string
  readonly reasoning_effort: Variant | null
  readonly max_tokens: number | null
  readonly workspace_binding: AosBinding | null
  readonly default_prompt_pack: string | null
  readonly default_prompt_refs: readonly Digest[] | null
  readonly default_tool_catalog: string | null
  readonly default_tool_refs: readonly Digest[] | null
}

export interface AosRunConfig {
  readonly provider: string
  readonly model: string
  readonly reasoning_effort: Variant | null
  readonly max_tokens: number | null
  readonly workspace_binding: AosBinding | null
  readonly prompt_pack: string | null
  readonly prompt_refs: readonly Digest[] | null
  readonly tool_catalog: string | null
  readonly tool_refs: readonly Digest[] | null
}

const effort = unitPair({ low: 'Low', medium: 'Medium', high: 'High' })
const when = unitPair<ApplyWhen>({
  next_run: 'NextRun',
  next_step_boundary: 'NextStepBoundary',
  immediate_if_idle: 'ImmediateIfIdle',
})

export const toAosApplyMode = when.to
export const fromAosApplyMode = when.from

export const toAosBinding = ({ name, version }: WorkspaceSelector): AosBinding => ({ workspace: name, version })

export function fromAosBinding(value: Json | undefined): WorkspaceSelector | null {
  if (!isObject(value) || typeof value.workspace !== 'string') return null
  const { version = null } = value
  return version === null || isNat(version) ? { name: value.workspace, version } : null
}

const shared = ({ provider, model, reasoningEffort, maxTokens, workspace }: SessionConfig) => ({
  provider,
  model,
  reasoning_effort: reasoningEffort === null ? null : effort.to(reasoningEffort),
  max_tokens: maxTokens,
  workspace_binding: workspace === null ? null : toAosBinding(workspace),
})

export const toAosSessionConfig = (config: SessionConfig): AosSessionConfig => ({
  ...shared(config),
  default_prompt_pack: config.prelude,
  default_prompt_refs: config.promptDigests,
  default_tool_catalog: config.catalog,
  default_tool_refs: config.toolDigests,
})

export const toAosRunConfig = (config: SessionConfig): AosRunConfig => ({
  ...shared(config),
  prompt_pack: config.prelude,
  prompt_refs: config.promptDigests,
  tool_catalog: config.catalog,
  tool_refs: config.toolDigests,
})

/** Copies the fields that AgentOS has no name for from the previous config. */
export function withUnnamed(config: SessionConfig, before: SessionConfig): SessionConfig {
  const { limits, temperature, topP, seed, providerOptions } = before
  const sampling = { temperature, topP, seed, providerOptions }
  const set = Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)) as Partial<SessionConfig>
  return { ...config, limits, ...set }
}

const KEYS: readonly string[] = Object.keys(toAosSessionConfig(emptyConfig))

/** Null for a value that is not a session config of AgentOS. An unknown key is a mistake: its value would be lost. */
export function fromAosSessionConfig(value: Json | undefined): SessionConfig | null {
  if (!isObject(value) || Object.keys(value).some(key => !KEYS.includes(key))) return null
  const { provider, model, reasoning_effort = null, max_tokens = null, workspace_binding = null } = value
  const reasoningEffort = reasoning_effort === null ? null : effort.from(reasoning_effort)
  const workspace = workspace_binding === null ? null : fromAosBinding(workspace_binding)
  const prelude = option(value, 'default_prompt_pack', isText)
  const promptDigests = option(value, 'default_prompt_refs', isDigests)
  const catalog = option(value, 'default_tool_catalog', isText)
  const toolDigests = option(value, 'default_tool_refs', isDigests)
  const isRead =
    isText(provider) &&
    isText(model) &&
    (max_tokens === null || isNat(max_tokens)) &&
    (reasoning_effort === null) === (reasoningEffort === null) &&
    (workspace_binding === null) === (workspace === null)
  if (!isRead || prelude === undefined || promptDigests === undefined || catalog === undefined || toolDigests === undefined) return null
  return {
    ...emptyConfig,
    provider,
    model,
    reasoningEffort,
    maxTokens: max_tokens,
    workspace,
    prelude,
    promptDigests,
    catalog,
    toolDigests,
  }
}

/** Undefined when the key has a value of another type. */
function option<T extends Json>(value: JsonObject, key: string, is: (value: Json | undefined) => value is T): T | null | undefined {
  const { [key]: found = null } = value
  return found === null || is(found) ? found : undefined
}

const isText = (value: Json | undefined): value is string => typeof value === 'string'
const isDigests = (value: Json | undefined): value is readonly Digest[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string' && isDigest(one))

export const isNat = (value: Json | undefined): value is number => Number.isSafeInteger(value) && (value as number) >= 0
