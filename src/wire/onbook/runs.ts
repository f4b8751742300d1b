// Runs as a client sees them. The shapes of what goes over the wire, and nothing else.
import type { JsonValue, PromptKind } from './prompts.ts'
import type { ProviderWait, WireSessionConfig, WireSnapshot } from './sessions.ts'

type Fields = { readonly [name: string]: JsonValue }

export type RunMode = 'planning' | 'implementation'

export interface StartRunRequest {
  readonly workflowId: string
  readonly inputs?: Fields
  /** `promptOverrides` by kind, and whatever the workflow lets anybody configure. */
  readonly configurable?: Fields
  readonly tags?: readonly string[]
  readonly metadata?: Fields
  readonly mode?: RunMode
  readonly budget?: {
    readonly steps?: number | null
    readonly tokens?: number | null
    readonly milliseconds?: number | null
    readonly stepsPerNode?: number | null
  }
  /** What is added for every node at the last minute. */
  readonly override?: string
}

export interface StartedRun {
  readonly runId: string
  readonly status: string
  readonly eventsUrl: string
  readonly statusUrl: string
}

export interface ForkRequest {
  readonly mode: 'replay' | 'branch'
  /** A branch needs it; a replay begins at 0 without. */
  readonly fromSeq?: number
  /** Of a branch: what is different from there on. */
  readonly runOptionsOverlay?: {
    readonly configurable?: Fields
    readonly model?: { readonly provider: string; readonly model: string }
    readonly mode?: RunMode
    readonly override?: string
    readonly inputs?: Fields
  }
}

export interface ForkedRun {
  readonly runId: string
  readonly sourceRunId: string
  readonly fromSeq: number
  readonly mode: 'replay' | 'branch'
  readonly status: string
  readonly eventsUrl: string
}

export interface WireRunSummary {
  readonly runId: string
  readonly workflowId: string
  readonly status: string
  readonly createdAt: string
  readonly changedAt: string
  readonly forkOf?: { readonly runId: string; readonly fromSeq: number; readonly mode: 'replay' | 'branch' }
}

/** What an agent asks a person for. */
export interface WireApproval {
  readonly approval: string
  readonly nodeId: string
  readonly wants: WantedMode | WantedTool
}

export interface WantedMode {
  readonly kind: 'mode'
  readonly mode: RunMode
  readonly reason: string
}

/** `arguments`: of a run, their digest; where a person is asked, what the call would be made with. */
export interface WantedTool {
  readonly kind: 'tool'
  readonly call: string
  readonly tool: string
  readonly arguments: unknown
  readonly reason: string
  /** Who may answer; null for whoever may at all. */
  readonly by: readonly string[] | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null
}

/** Asked by a node of a run. A session that is asked directly is a run with one node. */
export interface AskedApproval {
  readonly approval: string
  readonly askedAt: string
  readonly runId: string
  readonly nodeId: string
  /** The lasting session that the node works in; null for none. */
  readonly session: string | null
  readonly wants: WantedMode | WantedTool
}

export interface ApprovalReply {
  readonly decision: 'approved' | 'denied'
  readonly note?: string
  /** In place of what the model asked for; of a tool that is approved. */
  readonly arguments?: Readonly<Record<string, unknown>>
}

export interface RunDescription {
  readonly runId: string
  readonly workflowId: string
  /** completed, failed, cancelled when it is over. */
  readonly status: string
  readonly startedAt: string
  readonly completedAt?: string
  readonly forkOf?: { readonly runId: string; readonly fromSeq: number; readonly mode: 'replay' | 'branch'; readonly copied: number }
  readonly nodeStates: Readonly<
    Record<string, { readonly status: string; readonly visits: number; readonly steps: number; readonly session: string | null }>
  >
  /** There while it waits for a provider that lacks a key, a package or a script. */
  readonly waiting?: ProviderWait
  readonly variables: Fields
  /** What the last nodes gave, by node. */
  readonly outputs?: Fields
  readonly error?: { readonly code: string; readonly message: string }
  readonly failedNodeId?: string
  readonly tags: readonly string[]
  readonly metadata?: Fields
  readonly configurable?: Fields
  readonly mode: RunMode
  readonly steps: number
  readonly tokens: number
  readonly overrides: readonly {
    readonly nodeId: string | null
    readonly text: string | null
    readonly actor: string
    readonly at: string
  }[]
  readonly paused: { readonly reason: string; readonly nodeId: string | null; readonly evidence: Fields | null } | null
  readonly approvals: readonly WireApproval[]
  /** Of the last event that this follows from. */
  readonly lastSequence: number
}

interface ToldStep {
  readonly sequence: number
  readonly at: string
  readonly nodeId: string
  /** Which time the node was at work: steps are counted anew each time. */
  readonly visit: number
  /** The lasting session that the node works in; null for none. */
  readonly session: string | null
  /** The session that the config and the snapshot come from; null for none. */
  readonly home: string | null
  readonly config: WireSessionConfig | null
  readonly source: 'workspace' | 'direct' | 'none'
  readonly toolSource: 'step' | 'run' | 'snapshot' | 'host' | 'none'
  readonly step: number
  readonly requestHash: string
  readonly snapshot: WireSnapshot | null
  /** Null while nobody knows. */
  readonly outcome: {
    readonly at: string
    readonly reply: string | null
    readonly receipt: string | null
    readonly failure: { readonly code: string; readonly detail: string } | null
    readonly tokens: number | null
  } | null
  /** Of the repo, by the agent or by its tools, in order. */
  readonly changes: readonly StepChange[]
}

export interface StepChange {
  readonly by: 'model' | 'tool'
  /** Of a tool. */
  readonly call: string | null
  /** The digest of a unified diff. */
  readonly diff: string
  /** How many bytes of it are left out at its end. */
  readonly cut: number
  /** Counts are of lines; null of what is no text, or too large. */
  readonly files: readonly {
    readonly path: string
    readonly change: 'added' | 'changed' | 'deleted'
    readonly added: number | null
    readonly removed: number | null
  }[]
  /** How many more there are. */
  readonly more: number
  /** Others were at work in the repo too: nobody can tell whose change it is. */
  readonly shared: boolean
}

export interface UsedPrompt {
  readonly ref: string
  readonly template: string
  readonly templateHash: string
  readonly kind: PromptKind | null
  readonly layer: string | null
  readonly block: string
  readonly part: string
}

interface AboutPrompt {
  readonly mode: RunMode
  readonly repeatHash: string
  readonly templates: readonly UsedPrompt[]
}

interface AboutSent {
  readonly kind: 'full' | 'delta'
  readonly reason: string
  readonly headerHash: string
  /** How many messages of the history its provider had already. */
  readonly held: number
}

/** With digests in the place of texts. */
export interface StepPrompt extends ToldStep {
  readonly prompt: AboutPrompt & {
    readonly full: string
    readonly blocks: Readonly<Record<string, string>>
    readonly segments: string
    readonly sent: AboutSent & { readonly text: string | null }
  }
}

/** A text is null where the host shows hashes only, or where it was erased. */
export interface WholePrompt extends ToldStep, AboutPrompt {
  readonly full: { readonly hash: string; readonly text: string | null }
  readonly blocks: readonly { readonly block: string; readonly hash: string; readonly text: string | null }[]
  readonly segments: readonly Fields[] | null
  readonly sent: AboutSent & { readonly hash: string | null; readonly text: string | null }
}

/** OpenWOP's RunEventDoc. */
export interface WireRunEvent {
  readonly eventId: string
  readonly runId: string
  readonly nodeId?: string
  readonly type: string
  readonly payload: Fields
  readonly timestamp: string
  readonly sequence: number
  readonly causationId?: string
}
