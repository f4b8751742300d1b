// What a session can remember. Past tense, plain JSON, digests instead of bodies; a digest of nothing stored stands under `…Hash`.
import type { Digest, Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import type { Verdict } from '../gate/authorize.ts'
import type { EventDraft } from '../record/event.ts'
import type { LineProblem } from '../tools/asked-calls.ts'
import type { PromptSource, RunConfig, Selection, SessionConfig } from './config.ts'
import type { StepRequest, ToolSource } from './materialize.ts'
import type { PreludeTraceEntry } from './prelude-ladder.ts'
import type { PackChange, Snapshot } from './snapshot.ts'

export type ApplyWhen = 'next_run' | 'next_step_boundary' | 'immediate_if_idle'
/** Where a sync broke off. */
export type SyncStage = 'resolve' | 'index' | 'prelude' | 'catalog' | 'packs' | 'validate'

/** Whose child a session is: the home session of its agent, if there is one, and the place in a graph it works for. */
export interface Home {
  readonly session: string | null
  readonly runId: string
  readonly nodeId: string
}

/** The node of a graph that a run works for. */
export interface NodeOfRun {
  readonly runId: string
  readonly nodeId: string
}

export interface Attachment {
  readonly runId: string
  readonly nodeId: string
  readonly session: string
}

export interface Lease {
  readonly id: string
  /** Milliseconds, from the clock of whoever issues and checks. */
  readonly issuedAt: number
  readonly timeout: number
}

/** What somebody outside asks of a session. The id is the caller's. */
export type HostCommand =
  /** An interrupt ends the model call under way, and is told before anything else; a steer waits for the next step; a follow-up for the end. */
  | { readonly kind: 'steer' | 'interrupt' | 'follow-up'; readonly id: string; readonly message: Digest }
  | { readonly kind: 'pause' | 'resume'; readonly id: string }
  | { readonly kind: 'cancel'; readonly id: string; readonly reason: string | null }

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Digest
  /** Of a line of the reply that was meant as a call and is none. */
  readonly problem?: LineProblem
}

/** Who may answer, and until when. */
export interface ApprovalTerms {
  readonly approval: string
  /** Actors, as events name them; null for whoever may answer at all. */
  readonly by: readonly string[] | null
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null
}

export type ApprovalDecision = 'approved' | 'denied' | 'expired'

/** `interrupted`: started, and nobody knows how it ended. `stale`: its run was cancelled before it ended. */
export type CallStatus =
  | { readonly status: 'succeeded' | 'interrupted' | 'stale' | 'cancelled' }
  | { readonly status: 'failed'; readonly code: string; readonly detail: string }

export interface Failure {
  readonly code: string
  readonly detail: string
}

/** Why a reply does not fit the schema of the pack that it answers, and what follows from that. */
export interface ReplyMisfit {
  readonly detail: string
  readonly onMisfit: 'fail' | 'warn'
}

export type SessionEvent =
  | {
      readonly type: 'session.created'
      readonly session: string
      /** Whose session it is; null when it is nobody's in particular. */
      readonly agentId: string | null
      readonly home: Home | null
      readonly config: SessionConfig
      readonly snapshot: Snapshot | null
    }
  | { readonly type: 'session.configured'; readonly config: SessionConfig }
  /** Somebody asked for what could not be. Changes nothing. */
  | { readonly type: 'session.refused'; readonly command: string; readonly code: string; readonly message: string }
  | {
      readonly type: 'run.requested'
      readonly run: number
      readonly input: Digest | null
      readonly config: RunConfig
      /** Whether the config came with the request, in place of the session's. */
      readonly overridden: boolean
      /** What the run names of a workspace when that is not what its session names; then it gets a snapshot of its own. */
      readonly selection: Selection | null
      /** Whether it waits for more after a reply that asks for nothing. */
      readonly interactive: boolean
      /** Left out by a run that works for nobody's graph. */
      readonly node?: NodeOfRun
    }
  | { readonly type: 'run.snapshotReady'; readonly run: number; readonly snapshot: Snapshot }
  | ({ readonly type: 'run.refused'; readonly run: number; readonly stage: SyncStage } & Failure)
  | { readonly type: 'run.started'; readonly run: number; readonly source: PromptSource; readonly snapshot: Snapshot | null }
  /** Why these messages stand before the history: of a run when it starts, and again when a snapshot takes over. */
  | { readonly type: 'prelude.traced'; readonly run: number; readonly source: PromptSource; readonly trace: readonly PreludeTraceEntry[] }
  | { readonly type: 'run.waiting' | 'run.paused' | 'run.resumed' | 'run.completed' | 'run.cancelled'; readonly run: number }
  | { readonly type: 'run.cancelling'; readonly run: number; readonly reason: string | null }
  | ({ readonly type: 'run.failed'; readonly run: number } & Failure)
  | ({ readonly type: 'run.attached' | 'run.detached' } & Attachment)
  | {
      readonly type: 'step.started'
      readonly run: number
      readonly step: number
      readonly request: StepRequest
      readonly requestHash: Digest
      readonly source: PromptSource
      readonly toolSource: ToolSource
      readonly snapshot: Snapshot | null
    }
  | ({ readonly type: 'step.retried'; readonly run: number; readonly step: number; readonly attempt: number } & Failure)
  | {
      readonly type: 'step.settled'
      readonly run: number
      readonly step: number
      readonly reply: Digest | null
      /** What came with the reply: tokens, why it ended, what the provider said. */
      readonly receipt: Digest | null
      readonly failure: Failure | null
      /** Left out where the reply fits, or no schema describes it. */
      readonly misfit?: ReplyMisfit
    }
  | { readonly type: 'message.appended'; readonly message: Digest }
  | { readonly type: 'command.received'; readonly command: HostCommand }
  | { readonly type: 'command.applied'; readonly id: string }
  | { readonly type: 'tool.batchStarted'; readonly run: number; readonly batch: number; readonly calls: readonly ToolCall[] }
  /** What the gate made of it: every condition. */
  | { readonly type: 'tool.judged'; readonly run: number; readonly batch: number; readonly call: string; readonly verdict: Verdict }
  /** A person has to be asked before the call is made. The id is ours. */
  | ({
      readonly type: 'approval.requested'
      readonly run: number
      readonly batch: number
      readonly call: string
      readonly tool: string
      readonly arguments: Digest
      readonly reason: string
    } & ApprovalTerms)
  | {
      readonly type: 'approval.resolved'
      readonly run: number
      readonly batch: number
      readonly call: string
      readonly approval: string
      readonly decision: ApprovalDecision
      readonly answeredBy: string
      readonly note: string | null
      /** What the person put in place of what the model asked for. */
      readonly arguments: Digest | null
    }
  | { readonly type: 'tool.callStarted'; readonly run: number; readonly batch: number; readonly call: string }
  | ({
      readonly type: 'tool.callSettled'
      readonly run: number
      readonly batch: number
      readonly call: string
      readonly result: Digest | null
    } & CallStatus)
  | { readonly type: 'tool.batchSettled'; readonly run: number; readonly batch: number; readonly results: readonly Digest[] }
  | { readonly type: 'lease.issued'; readonly lease: Lease }
  | { readonly type: 'lease.renewed'; readonly id: string; readonly at: number }
  | { readonly type: 'lease.expired'; readonly id: string; readonly at: number }
  | WorkspaceEvent

export type WorkspaceEvent =
  | {
      readonly type: 'workspace.syncRequested'
      readonly sync: number
      readonly selection: Selection
      /** What the caller believes it has. Recorded, never trusted: the content is compared. */
      readonly knownVersion: number | null
    }
  | { readonly type: 'workspace.syncUnchanged'; readonly sync: number; readonly workspace: string; readonly version: number }
  | {
      readonly type: 'workspace.snapshotReady'
      readonly sync: number
      readonly snapshot: Snapshot
      readonly selection: Selection
      /** Left out where applying it would change no pack. */
      readonly packs?: readonly PackChange[]
    }
  | ({ readonly type: 'workspace.syncFailed'; readonly sync: number; readonly workspace: string; readonly stage: SyncStage } & Failure)
  /** `untested`: packs that the caller wants applied although their tests did not pass. Left out where there are none. */
  | { readonly type: 'workspace.applyRequested'; readonly when: ApplyWhen; readonly untested?: readonly string[] }
  | {
      readonly type: 'workspace.approved' | 'workspace.deferred'
      readonly snapshot: Snapshot
      readonly selection: Selection
      readonly at: 'run' | 'step'
      /** The first run that may take it. */
      readonly firstRun: number
    }
  | {
      readonly type: 'workspace.applied'
      readonly snapshot: Snapshot
      readonly selection: Selection
      readonly at: 'now' | 'run' | 'step'
    }
  | { readonly type: 'workspace.superseded'; readonly snapshot: Snapshot }
  | { readonly type: 'workspace.refused'; readonly when: ApplyWhen; readonly code: string; readonly message: string }
  /** To open children, at their next step. */
  | {
      readonly type: 'workspace.offered'
      readonly snapshot: Snapshot
      readonly selection: Selection
      readonly sessions: readonly string[]
    }

export const sessionStream = (session: string): string => `session/${session}`

export function sessionDraft({ type, ...payload }: SessionEvent, actor: string, cause: string | null = null): EventDraft {
  return { type, actor, cause, payload: payload as unknown as Json }
}

/** As it was decided. An event of another kind comes through as well: `reduce` leaves those alone. */
export const fromRecorded = ({ type, payload }: { readonly type: string; readonly payload: Json }): SessionEvent =>
  ({ ...(isObject(payload) ? payload : {}), type }) as unknown as SessionEvent
