// The events of a turn: one agent at work on one visit of a node. They are in the run's stream, each once, with the node's id.
import type { SendingReason } from '../compose/delta.ts'
import type { Mode } from '../compose/mode.ts'
import type { Block, PartName } from '../compose/parts.ts'
import type { Digest } from '../digest/digest.ts'
import type { Verdict } from '../gate/authorize.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { Layer } from '../resolve/layers.ts'
import type { PromptSource } from '../session/config.ts'
import type { Failure, LeftMessage } from '../session/events.ts'
import type { Snapshot } from '../session/snapshot.ts'
import type { LineProblem } from '../tools/asked-calls.ts'
import type { StepRequest, ToolSource } from './materialize.ts'

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

/** Everything that was composed for one step. On record before it is sent. */
export interface PromptRecord {
  /** The text of all blocks; its name is `promptHash`. */
  readonly full: Digest
  /** Those that are not empty; the name of each is its hash. */
  readonly blocks: Readonly<Partial<Record<Block, Digest>>>
  readonly segments: Digest
  readonly templates: readonly PromptTemplate[]
  readonly mode: Mode
  /** Without the ids that only distinguish runs: equal for equal prompts. */
  readonly repeatHash: Digest
  readonly sent: {
    readonly kind: 'full' | 'delta'
    readonly reason: SendingReason
    /** The prompt as it may be shown; null when only messages of the history were new. */
    readonly text: Digest | null
    readonly headerHash: Digest
    /** The number of messages of the history that the provider has already: they were not sent. */
    readonly held: number
  }
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Digest
  /** Set for a line of the reply that was meant as a call and cannot be read as one. */
  readonly problem?: LineProblem
}

/** Who may answer, and until when. */
export interface ApprovalTerms {
  /** Actors, as events name them; null for everybody who may answer at all. */
  readonly by: readonly string[] | null
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null
}

export type ApprovalDecision = 'approved' | 'denied' | 'expired'

/** The subject of an approval. */
export type ApprovalSubject = ModeSubject | CallSubject

export interface ModeSubject {
  readonly kind: 'mode'
  readonly mode: Mode
  readonly reason: string
}

export interface CallSubject extends ApprovalTerms {
  readonly kind: 'tool'
  readonly call: string
  readonly tool: string
  readonly arguments: Digest
  readonly reason: string
}

/** `interrupted`: started, and its end is not known. `stale`: its run was cancelled before it ended. */
export type CallStatus =
  | { readonly status: 'succeeded' | 'interrupted' | 'stale' | 'cancelled' }
  | { readonly status: 'failed'; readonly code: string; readonly detail: string }

/** Why a reply does not fit the output schema of its pack, and the consequence. */
export interface ReplyMisfit {
  readonly detail: string
  readonly onMisfit: 'fail' | 'warn'
}

interface OfNode {
  readonly nodeId: string
}

export type StepStarted = OfNode & {
  readonly type: 'step.started'
  /** From 1, in each visit. */
  readonly step: number
  /** Empty in a session run: its messages are sent as they are. */
  readonly prompt: PromptRecord
  readonly request: StepRequest
  readonly requestHash: Digest
  readonly source: PromptSource
  readonly toolSource: ToolSource
  readonly snapshot: Snapshot | null
  /** The number of the apply that the snapshot came with. Left out where the step changes nothing about it. */
  readonly apply?: number
}

export type StepSettled = OfNode & {
  readonly type: 'step.settled'
  readonly step: number
  readonly reply: Digest | null
  /** Tokens, the reason of the end, and the provider's own data. */
  readonly receipt: Digest | null
  readonly failure: Failure | null
  /** The hash of the reply with its calls, without the ids in it; null without a reply. */
  readonly replyHash: Digest | null
  /** Null when the provider does not say. */
  readonly tokens: number | null
  /** Left out where the reply fits the schema of its pack, or no schema describes it. */
  readonly misfit?: ReplyMisfit
  /** The conversation that its provider stores; left out without one. */
  readonly conversation?: string
}

export type TurnEvent =
  | StepStarted
  | (OfNode & { readonly type: 'step.retried'; readonly step: number; readonly attempt: number } & Failure)
  | StepSettled
  | (OfNode & { readonly type: 'calls.asked'; readonly step: number; readonly calls: readonly ToolCall[] })
  /** A call that is allowed counts as started from here on. */
  | (OfNode & { readonly type: 'call.judged'; readonly call: string; readonly tool: string; readonly verdict: Verdict })
  | (OfNode & {
      readonly type: 'call.settled'
      readonly call: string
      readonly tool: string
      /** As the call was made: a person may have changed them. */
      readonly arguments: Digest
      readonly result: Digest | null
      /** The hash of the result without the id of its call: equal for equal results. */
      readonly resultHash?: Digest
    } & CallStatus)
  | (OfNode & { readonly type: 'approval.requested'; readonly approval: string; readonly wants: ApprovalSubject })
  | (OfNode & {
      readonly type: 'approval.resolved'
      readonly approval: string
      readonly decision: ApprovalDecision
      readonly answeredBy: string
      readonly note: string | null
      /** Arguments from the person that replace those of the model; null to keep the model's. */
      readonly arguments: Digest | null
    })
  | (OfNode & { readonly type: 'message.received'; readonly message: LeftMessage })
  | (OfNode & { readonly type: 'message.taken'; readonly id: string })
  | (OfNode & { readonly type: 'node.waiting' | 'node.resumed' })
