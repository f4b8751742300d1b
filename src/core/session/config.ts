// The config of a session, and the part that a run freezes. Reports problems of a config; never fills in missing fields.
import type { Digest, Json } from '../digest/digest.ts'
import { type Check, interpretSchema } from '../schema/interpret.ts'
import type { Mismatch } from '../schema/verdict.ts'
import { sessionConfigFormat } from './config-format.ts'

export type ReasoningEffort = 'low' | 'medium' | 'high'

/** Which workspace, and which version of it; null follows the newest at the time of a sync. */
export interface WorkspaceSelector {
  readonly name: string
  readonly version: number | null
}

/** The request of a sync: a workspace, and the names of the wanted parts. */
export interface Selection {
  readonly workspace: WorkspaceSelector
  readonly prelude: string | null
  readonly catalog: string | null
}

/** Null stops nothing, and so does 0. */
export interface Limits {
  readonly maxSteps: number | null
  readonly maxCalls: number | null
}

/** Defaults for later runs. An empty list counts as set: it hides the layers below it. */
export interface SessionConfig {
  readonly provider: string
  readonly model: string
  readonly reasoningEffort: ReasoningEffort | null
  readonly maxTokens: number | null
  /** Left out, like the three after it, where the provider decides. */
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  /** An object with further options, in the provider's own terms. */
  readonly providerOptions?: Digest
  readonly workspace: WorkspaceSelector | null
  readonly prelude: string | null
  readonly promptDigests: readonly Digest[] | null
  readonly catalog: string | null
  readonly toolDigests: readonly Digest[] | null
  readonly limits: Limits
}

/** The same fields, frozen when the run was requested. */
export type RunConfig = SessionConfig

/** Where the messages before the history come from. */
export type PromptSource = 'workspace' | 'direct' | 'none'

export const emptyConfig: SessionConfig = {
  provider: '',
  model: '',
  reasoningEffort: null,
  maxTokens: null,
  workspace: null,
  prelude: null,
  promptDigests: null,
  catalog: null,
  toolDigests: null,
  limits: { maxSteps: null, maxCalls: null },
}

export type ReadConfig =
  | { readonly ok: true; readonly config: SessionConfig }
  | { readonly ok: false; readonly problems: readonly Mismatch[] }

/** Made when it is first needed: most commands never read a config. */
let checkFormat: Check | undefined

/** A field that is left out is unset. */
export function readSessionConfig(value: Json): ReadConfig {
  checkFormat ??= interpretSchema(sessionConfigFormat as unknown as Json)
  const problems = checkFormat(value).map(({ pointer, message }): Mismatch => ({ pointer, message }))
  if (problems.length > 0) return { ok: false, problems }
  const { limits, workspace, ...input } = value as unknown as Partial<SessionConfig>
  const selector = workspace == null ? null : { name: workspace.name, version: workspace.version ?? null }
  return { ok: true, config: { ...emptyConfig, ...input, workspace: selector, limits: { ...emptyConfig.limits, ...limits } } }
}

/** The providers and models of a host. An empty list checks nothing. */
export interface KnownModels {
  readonly providers: readonly string[]
  readonly models: readonly string[]
}

export type ConfigRefusal = 'provider_unset' | 'model_unset' | 'provider_not_offered' | 'model_not_offered' | 'workspace_unset'

export interface ConfigProblem {
  readonly code: ConfigRefusal
  readonly message: string
}

/** Why no run can be made of it; null when one can. */
export function configProblem({ provider, model }: SessionConfig, models: KnownModels): ConfigProblem | null {
  if (provider.trim() === '')
    return { code: 'provider_unset', message: 'no provider is set; configure the session, or name one for the run' }
  if (model.trim() === '') return { code: 'model_unset', message: 'no model is set; configure the session, or name one for the run' }
  if (!lists(models.providers, provider)) return { code: 'provider_not_offered', message: `this host has no provider "${provider.trim()}"` }
  if (!lists(models.models, model)) return { code: 'model_not_offered', message: `this host has no model "${model.trim()}"` }
  return null
}

const lists = (names: readonly string[], name: string): boolean => names.length === 0 || names.some(one => one.trim() === name.trim())

/** The workspace content that a config names; null when it names none. */
export const selectionOf = ({ workspace, prelude, catalog }: SessionConfig): Selection | null =>
  workspace === null ? null : { workspace, prelude, catalog }

export const sameSelection = (one: Selection | null, other: Selection | null): boolean =>
  one?.workspace.name === other?.workspace.name &&
  one?.workspace.version === other?.workspace.version &&
  one?.prelude === other?.prelude &&
  one?.catalog === other?.catalog
