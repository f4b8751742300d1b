// /v1/sessions as it is on the wire. Types only.
import type { JsonValue } from './prompts.ts'

/** Defaults for the runs of a session, or what one run is set to. What is left out is unset. */
export interface WireSessionConfig {
  readonly provider?: string
  readonly model?: string
  readonly reasoningEffort?: 'low' | 'medium' | 'high' | null
  readonly maxTokens?: number | null
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly providerOptions?: string
  readonly workspace?: { readonly name: string; readonly version?: number | null } | null
  readonly prelude?: string | null
  readonly promptDigests?: readonly string[] | null
  readonly catalog?: string | null
  readonly toolDigests?: readonly string[] | null
  readonly limits?: { readonly maxSteps?: number | null; readonly maxCalls?: number | null }
}

export interface WireSnapshot {
  readonly workspace: string
  readonly version: number
  readonly root: string
  readonly prelude: { readonly name: string; readonly digest: string; readonly options: string | null } | null
  readonly catalog: { readonly name: string; readonly digest: string } | null
  readonly legacy: boolean
  /** The digest of its packs. Left out where it has none. */
  readonly packs?: string
}

/** A pack that would have another version, or other text, with a snapshot applied. */
export interface WirePackChange {
  readonly pack: string
  /** The version that is active now. */
  readonly from: string | null
  /** Null when the workspace no longer has the pack. */
  readonly to: string | null
  readonly errors: number
  readonly warnings: number
  /** Null where nothing beside the pack answers for a model. */
  readonly tests: { readonly pass: number; readonly fail: number; readonly skip: number; readonly error: number } | null
  readonly proof: 'passed' | 'failed' | 'untested' | 'removed'
  /** The digest of findings and test results. */
  readonly report: string | null
}

export interface SessionSummary {
  readonly session: string
  /** Its newest run, by number and by id; null before the first. */
  readonly run: number | null
  readonly runId: string | null
  /** Whether that run is at work here. */
  readonly open: boolean
  readonly workspace: string | null
  readonly version: number | null
  readonly createdAt: string
  readonly changedAt: string
}

export interface SessionDescription {
  readonly session: string
  readonly agentId: string | null
  readonly lifecycle: string
  readonly config: WireSessionConfig
  readonly workspace: {
    readonly active: WireSnapshot | null
    readonly pending: { readonly snapshot: WireSnapshot; readonly packs?: readonly WirePackChange[] } | null
    readonly approved: {
      readonly snapshot: WireSnapshot
      readonly selection: Pick<WireSessionConfig, 'workspace' | 'prelude' | 'catalog'>
      readonly at: 'run' | 'step'
      readonly firstRun: number
    } | null
    readonly syncing: boolean
  }
  readonly run: {
    readonly run: number
    readonly runId: string
    readonly phase: string
    readonly source: string
    readonly steps: number
    /** Calls that wait for a person. */
    readonly approvals: readonly { readonly approval: string; readonly call: string; readonly tool: string }[]
  } | null
  readonly runs: number
  /** The newest run, where it was refused before it started. */
  readonly refused: { readonly run: number; readonly stage: string; readonly code: string; readonly detail: string } | null
  readonly messages: number
  /** Of the last event that this follows from. */
  readonly seq: number
  readonly waiting: { readonly steers: number; readonly followUps: number }
  /** There while its run waits for a provider that lacks a key, a package or a script. */
  readonly unready?: ProviderWait
}

export interface ProviderWait {
  readonly code: 'provider_unready'
  readonly provider: string
  /** What is missing, and how to give it to the host. */
  readonly message: string
  /** When the host began to wait, ISO 8601. */
  readonly since: string
}

/** A text, a message as models know them, or the name of one that is stored. */
export type MessageInput =
  | string
  | { readonly digest: string }
  | { readonly role: string; readonly content: JsonValue; readonly [more: string]: JsonValue }

export interface RunRequest {
  readonly input?: MessageInput
  /** In place of the session's config, as a whole. */
  readonly overrides?: WireSessionConfig
  /** Whether it waits for more after a reply that asks for nothing. */
  readonly interactive?: boolean
}

export interface SyncRequest {
  readonly workspace?: string
  readonly version?: number | null
  readonly prelude?: string | null
  readonly catalog?: string | null
  readonly knownVersion?: number | null
}

export interface WireWarning {
  readonly code: string
  readonly message: string
}

export type SyncAnswer =
  | {
      readonly outcome: 'ready'
      readonly sync: number
      readonly snapshot: WireSnapshot
      readonly packs: readonly WirePackChange[]
      readonly warnings: readonly WireWarning[]
    }
  | { readonly outcome: 'unchanged'; readonly sync: number; readonly workspace: string; readonly version: number }
  | {
      readonly outcome: 'failed'
      readonly sync: number
      readonly workspace: string
      readonly stage: string
      readonly code: string
      readonly detail: string
    }

export type ApplyWhen = 'next_run' | 'next_step_boundary' | 'immediate_if_idle'

export type ApplyAnswer =
  | {
      readonly outcome: 'applied' | 'approved' | 'deferred'
      readonly when: ApplyWhen
      readonly at: 'now' | 'run' | 'step'
      readonly firstRun?: number
      readonly snapshot: WireSnapshot
    }
  | { readonly outcome: 'refused'; readonly when: ApplyWhen; readonly code: string; readonly message: string }

export type SessionCommandRequest =
  | { readonly kind: 'steer' | 'interrupt' | 'follow-up'; readonly message: MessageInput; readonly id?: string }
  /** `complete` ends an interactive run that waits for input. */
  | { readonly kind: 'pause' | 'resume' | 'complete'; readonly id?: string }
  | { readonly kind: 'cancel'; readonly reason?: string; readonly id?: string }

export interface TranscriptPage {
  readonly session: string
  readonly entries: readonly {
    readonly index: number
    readonly digest: string
    readonly messages: readonly { readonly role: string; readonly content: readonly JsonValue[] }[]
    readonly problem: string | null
  }[]
  readonly next: number | null
}
