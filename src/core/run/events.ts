// What a run can remember: how its graph was walked, what every agent was told, what it was allowed. Past tense, digests instead of bodies.

import type { SendingReason } from '../compose/delta.ts'
import type { Mode } from '../compose/mode.ts'
import type { Block, PartName } from '../compose/parts.ts'
import type { Digest, Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import type { Verdict } from '../gate/authorize.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { EventDraft } from '../record/event.ts'
import type { Layer } from '../resolve/layers.ts'
import type { ApprovalDecision, ApprovalTerms, CallStatus, Failure, ReplyMisfit } from '../session/events.ts'
import type { StepRequest } from '../session/materialize.ts'
import type { Snapshot } from '../session/snapshot.ts'
import type { Budget, Orchestration } from '../workflow/workflow.ts'
import type { FilesChange, Worker } from './changes.ts'
import type { DivergenceKind, ForkOf } from './fork.ts'
import type { MadeEdge, SpawnedNode } from './grown.ts'
import type { StallEvidence } from './stall.ts'
import type { RunWarning } from './warning.ts'

/** A template as it went into a prompt. */
export interface PromptTemplate {
  readonly ref: string
  /** The template itself, or the role's file. */
  readonly template: Digest
  readonly templateHash: Digest
  readonly kind: PromptKind | null
  readonly layer: Layer | null
  readonly block: Block
  readonly part: PartName
}

/** Everything an agent is told in one step. On record before it is sent. */
export interface PromptRecord {
  /** The text of all blocks; its name is `promptHash`. */
  readonly full: Digest
  /** Those that are not empty; the name of each is its hash. */
  readonly blocks: Readonly<Partial<Record<Block, Digest>>>
  readonly segments: Digest
  readonly templates: readonly PromptTemplate[]
  readonly mode: Mode
  /** Without what only tells runs apart: equal for prompts that say the same. */
  readonly repeatHash: Digest
  readonly sent: {
    readonly kind: 'full' | 'delta'
    readonly reason: SendingReason
    /** Of the prompt, as it may be seen; null when only messages of the history were new. */
    readonly text: Digest | null
    readonly headerHash: Digest
    /** How many messages of the history its provider has already: they were not sent. */
    readonly held: number
  }
}

export type PauseReason = 'asked' | 'stalled'
/** What happens to nodes at work when a run is paused: `immediate` begins no further step, `drain-current-node` lets them end. */
export type DrainPolicy = 'immediate' | 'drain-current-node'

export type RunEvent =
  | {
      readonly type: 'run.created'
      readonly runId: string
      readonly workflowId: string
      readonly version: string
      /** The workflow, its agents and roles, and what the host had set: nothing that changes later reaches the run. */
      readonly frozen: Digest
      readonly inputs: Digest
      /** `configurable` of the request; null when there was none. */
      readonly configurable: Digest | null
      readonly metadata: Digest | null
      readonly tags: readonly string[]
      readonly mode: Mode
      readonly orchestration: Orchestration
      readonly budget: Budget
      readonly stallAfter: number
      /** Left out by runs that were started before there was a second version. */
      readonly rulesVersion?: number
      readonly owner: string
      /** What was said aloud when it started. Left out where there was nothing to say. */
      readonly warnings?: readonly RunWarning[]
      /** Left out by a run that is nobody's fork. */
      readonly forkOf?: ForkOf
    }
  | { readonly type: 'run.started'; readonly workflowId: string }
  /** Who was at work on it before may write nothing more. */
  | { readonly type: 'run.claimed'; readonly owner: string; readonly epoch: number }
  | {
      readonly type: 'node.started'
      readonly nodeId: string
      readonly typeId: string
      /** From 1; more than once where an edge leads back. */
      readonly visit: number
      readonly session: string
      /** What others hand over to it; null for nothing. */
      readonly handoffs: Digest | null
      /** Where an edge led back here: what was done after it before, and is to be done again. */
      readonly again: readonly string[]
    }
  /** Every candidate of every layer is in `trace`. */
  | {
      readonly type: 'prompt.traced'
      readonly nodeId: string
      readonly kind: PromptKind
      readonly slot: number
      readonly agentId: string | null
      readonly resolved: string | null
      readonly trace: Digest
    }
  | {
      readonly type: 'prompt.composed'
      readonly nodeId: string
      readonly ref: string
      readonly kind: PromptKind
      readonly template: Digest
      /** The text as it may be seen; its name is `templateHash`. */
      readonly body: Digest
      readonly variableHashes: Readonly<Record<string, Digest>>
      /** Values by variable, secrets redacted. */
      readonly values: Digest
      readonly contentTrust: 'trusted' | 'untrusted'
    }
  | {
      readonly type: 'step.started'
      readonly nodeId: string
      readonly session: string
      readonly step: number
      readonly prompt: PromptRecord
      readonly request: StepRequest
      readonly requestHash: Digest
      readonly snapshot: Snapshot | null
    }
  | ({ readonly type: 'step.retried'; readonly nodeId: string; readonly step: number; readonly attempt: number } & Failure)
  | {
      readonly type: 'step.settled'
      readonly nodeId: string
      readonly step: number
      readonly reply: Digest | null
      readonly receipt: Digest | null
      readonly failure: Failure | null
      /** Of the reply with its calls, without the ids in it; null without a reply. */
      readonly replyHash: Digest | null
      /** Null when the provider does not say. */
      readonly tokens: number | null
      /** Left out where the reply fits the schema of its pack, or no schema describes it. */
      readonly misfit?: ReplyMisfit
      /** What its provider goes on from; left out by one that goes on from nothing. */
      readonly conversation?: string
    }
  | { readonly type: 'tool.judged'; readonly nodeId: string; readonly call: string; readonly tool: string; readonly verdict: Verdict }
  | ({
      readonly type: 'tool.settled'
      readonly nodeId: string
      readonly call: string
      readonly tool: string
      readonly arguments: Digest
      readonly result: Digest | null
      /** Of the result without the id of its call: equal for equal results. Left out where the rule of the run does not compare them. */
      readonly resultHash?: Digest
    } & CallStatus)
  /** A person is asked about a call of the node's session, where the approval itself is kept. */
  | ({
      readonly type: 'tool.waiting'
      readonly nodeId: string
      readonly call: string
      readonly tool: string
      readonly arguments: Digest
      readonly reason: string
    } & ApprovalTerms)
  | {
      readonly type: 'tool.answered'
      readonly nodeId: string
      readonly call: string
      readonly approval: string
      readonly decision: ApprovalDecision
      readonly answeredBy: string
      readonly note: string | null
      readonly arguments: Digest | null
    }
  /** In the repo, while the node's model or its tool was at work. */
  | ({ readonly type: 'files.changed'; readonly nodeId: string; readonly step: number } & Worker & FilesChange)
  | { readonly type: 'node.waiting' | 'node.resumed' | 'node.cancelled'; readonly nodeId: string }
  /** `edges`: those whose condition holds. */
  | {
      readonly type: 'node.completed'
      readonly nodeId: string
      readonly output: Digest
      readonly edges: readonly string[]
    }
  | ({ readonly type: 'node.failed'; readonly nodeId: string; readonly edges: readonly string[] } & Failure)
  | { readonly type: 'node.skipped'; readonly nodeId: string; readonly reason: string }
  /** An edge that leads back was taken: its node starts again when nothing that follows it is under way. */
  | { readonly type: 'edge.followed'; readonly edgeId: string; readonly to: string; readonly time: number }
  /** An agent added it to the graph; it starts at once. */
  | ({ readonly type: 'node.spawned' } & SpawnedNode)
  /** @see MadeEdge: it holds nobody back */
  | ({ readonly type: 'edge.created'; readonly nodeId: string } & MadeEdge)
  /** On its way from here on, whatever becomes of who sent it. */
  | {
      readonly type: 'handoff.sent'
      readonly handoff: string
      /** Who sends it. */
      readonly nodeId: string
      readonly to: string
      readonly body: Digest
      readonly expectation: 'none' | 'optional' | 'required'
      /** The handoff it is the reply to, where somebody waits for that; null otherwise. */
      readonly answers: string | null
      /** The call that stays open until there is a reply; null where nobody waits. */
      readonly awaits: { readonly call: string; readonly until: number } | null
    }
  /** `nodeId` has it before it: in its session, among what it starts with, or as what its call came to. */
  | { readonly type: 'handoff.delivered'; readonly handoff: string; readonly nodeId: string }
  /** `nodeId` has waited for a reply long enough. */
  | { readonly type: 'handoff.expired'; readonly handoff: string; readonly nodeId: string }
  | {
      readonly type: 'run.paused'
      readonly reason: PauseReason
      readonly nodeId: string | null
      /** Left out by runs of version 0.1.0, which paused at once. */
      readonly drainPolicy?: DrainPolicy
      /** Why, in the words of the caller. */
      readonly note?: string
    }
  | { readonly type: 'run.stalled'; readonly nodeId: string; readonly evidence: StallEvidence }
  | { readonly type: 'run.resumed' }
  | { readonly type: 'run.modeChanged'; readonly mode: Mode; readonly approval: string | null }
  /** For one node, or for all that have none of their own. Null takes it back. */
  | { readonly type: 'override.given'; readonly nodeId: string | null; readonly text: Digest | null }
  | {
      readonly type: 'approval.requested'
      readonly approval: string
      readonly nodeId: string
      readonly wants: ModeSubject
    }
  | {
      readonly type: 'approval.resolved'
      readonly approval: string
      readonly decision: 'approved' | 'denied'
      readonly note: string | null
    }
  | {
      readonly type: 'log.appended'
      readonly level: 'info' | 'warn' | 'error'
      readonly message: string
      readonly code: string
      readonly nodeId: string
    }
  /** A branch goes on with this from here; what is before it was told otherwise. */
  | { readonly type: 'run.overlaid'; readonly frozen: Digest; readonly configurable: Digest | null }
  /** In a run that is made again: what came out otherwise than it is on record. Changes nothing. */
  | {
      readonly type: 'replay.diverged'
      readonly nodeId: string | null
      readonly sourceRunId: string
      /** In the stream of the source. */
      readonly atSequence: number
      /** Left out where the source's run has no such event. */
      readonly originalEventId?: string
      readonly divergenceKind: DivergenceKind
      /** The event that came out otherwise, as OpenWOP names it. */
      readonly divergencePoint: string
      /** Each field, and both of its values. */
      readonly details: Digest
    }
  /** In a run that is made again: the host has another default by now, and it does not reach the run. */
  | { readonly type: 'version.pinned'; readonly kind: string; readonly pinned: Json; readonly present: Json }
  /** What is under way is ended; then it has failed, or was cancelled. */
  | { readonly type: 'run.cancelling'; readonly reason: string | null; readonly failure: RunFailure | null }
  | { readonly type: 'run.completed'; readonly outputs: Digest }
  | ({ readonly type: 'run.failed' } & RunFailure)
  | { readonly type: 'run.cancelled'; readonly reason: string | null }

/** What a person is asked for. */
export type ApprovalSubject = ModeSubject | ToolSubject

export interface ModeSubject {
  readonly kind: 'mode'
  readonly mode: Mode
  readonly reason: string
}

export interface ToolSubject extends Omit<ApprovalTerms, 'approval'> {
  readonly kind: 'tool'
  readonly call: string
  readonly tool: string
  readonly arguments: Digest
  readonly reason: string
}

export interface RunFailure extends Failure {
  readonly failedNodeId: string | null
}

export type StepStarted = Extract<RunEvent, { readonly type: 'step.started' }>

export const runStream = (runId: string): string => `run/${runId}`

export function runDraft({ type, ...payload }: RunEvent, actor: string, cause: string | null = null): EventDraft {
  return { type, actor, cause, payload: payload as unknown as Json }
}

export const runEvent = ({ type, payload }: { readonly type: string; readonly payload: Json }): RunEvent =>
  ({ ...(isObject(payload) ? payload : {}), type }) as unknown as RunEvent
