// Types of /v1/prompts. A newer host may send more fields.
import type { Document } from './document.ts'
import type { promptVersionsAnswer } from './template-schema.ts'

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }
type Values = Readonly<Record<string, JsonValue>>

export type PromptKind = 'system' | 'user' | 'few-shot' | 'schema-hint'
export type ContentTrust = 'trusted' | 'untrusted'

export interface PromptVariable {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'array' | 'object'
  readonly required: boolean
  readonly source?: 'input' | 'variable' | 'secret' | 'context'
  readonly extractPath?: string
  readonly defaultValue?: JsonValue
  readonly description?: string
}

/** One version of one template. */
export interface PromptTemplate {
  readonly templateId: string
  readonly version: string
  readonly kind: PromptKind
  readonly text: string
  readonly name?: string
  readonly description?: string
  readonly variables?: readonly PromptVariable[]
  readonly modelHints?: {
    readonly modelClass?: string
    readonly temperature?: number
    readonly maxTokens?: number
    readonly envelopeType?: string
  }
  readonly tags?: readonly string[]
  readonly meta?: {
    readonly author?: string
    readonly createdAt?: string
    readonly updatedAt?: string
    readonly source?: 'host' | 'pack' | 'user'
    readonly packName?: string
    readonly packVersion?: string
  }
}

/** A version of a template, without its text. */
export type PromptVersion = Document<typeof promptVersionsAnswer>['versions'][number]

/** A ref in OpenWOP's spelling, which has no labels. */
export type WireRef =
  | string
  | { readonly templateId: string; readonly version?: string; readonly libraryId?: string; readonly variableOverrides?: Values }

/** POST /v1/prompts:render */
export interface RenderRequest {
  readonly ref: WireRef
  readonly variables: Values
  readonly contentTrust?: ContentTrust
  readonly workspaceId?: string
  /** The session of the agent. The packs of its snapshot decide which version a ref without a version means. */
  readonly session?: string
}

export interface Rendered {
  /** The digest of the composed text. */
  readonly hash: string
  /** Refs with pinned versions. */
  readonly refs: readonly string[]
  readonly variableHashes: Readonly<Record<string, string>>
  /** Absent when the host does not show it. */
  readonly composed?: string
  readonly contentTrust: ContentTrust
}

type KindRefs = Readonly<Partial<Record<PromptKind, WireRef | readonly WireRef[]>>>

/** POST /v1/prompts:resolve */
export interface ResolveRequest {
  readonly node: { readonly nodeId: string; readonly config?: Values }
  readonly kind?: PromptKind
  readonly agent?: {
    readonly agentId: string
    readonly version?: string
    readonly systemPrompt?: string
    readonly promptOverrides?: KindRefs
    readonly promptLibraryRef?: string
  }
  readonly runOverrides?: KindRefs
  readonly workflowDefaults?: KindRefs
  readonly workspaceId?: string
  /** The session of the agent. The packs of its snapshot decide which version a ref without a version means. */
  readonly session?: string
}

export interface PinnedTemplate {
  readonly libraryId: string
  readonly templateId: string
  readonly version: string
  readonly digest: string
  /** The library belongs to the host. */
  readonly owner?: 'host'
}

/** Layers and codes are open sets: a newer host may have more of them. */
export interface ResolutionStep {
  readonly layer: string
  readonly applied: boolean
  readonly ref: string | null
  readonly template: PinnedTemplate | null
  /** The rule that chose the version; absent where no ref was followed. */
  readonly meant?: 'version' | 'label' | 'snapshot' | 'active' | 'newest'
  /** The workspace version that provided the template, where it does not come from a library. */
  readonly snapshot?: { readonly workspace: string; readonly version: number; readonly root: string }
  readonly code: string
  readonly reason: string
}

export interface PromptResolution {
  readonly nodeId: string
  readonly kind: PromptKind
  readonly slot: number
  readonly agentId: string | null
  readonly resolved: PinnedTemplate | null
  readonly variableOverrides: Values | null
  /** The kind of the template, where it differs from the requested kind. */
  readonly madeFor?: PromptKind
  readonly trace: readonly ResolutionStep[]
  readonly fault: { readonly code: string; readonly layer: string; readonly message: string } | null
}

export interface Resolved {
  readonly resolutions: readonly PromptResolution[]
  readonly warnings: readonly { readonly code: string; readonly nodeId: string; readonly message: string }[]
}
