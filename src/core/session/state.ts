// A session folded from its events: plain JSON, the same bytes for the same events. Nothing in it is known from elsewhere.
import type { Digest } from '../digest/digest.ts'
import type { WhichStep } from './commands.ts'
import { emptyConfig, type PromptSource, type RunConfig, type Selection, type SessionConfig } from './config.ts'
import type {
  ApprovalDecision,
  ApprovalTerms,
  Attachment,
  CallStatus,
  Failure,
  Home,
  Lease,
  NodeOfRun,
  ReplyMisfit,
  SyncStage,
  ToolCall,
} from './events.ts'
import { emptyHistory, type History } from './history.ts'
import type { StepRequest } from './materialize.ts'
import type { Pending, Snapshot, Staged } from './snapshot.ts'

export type RunPhase = 'requested' | 'running' | 'waiting' | 'paused' | 'cancelling'
export type RunEnd = 'completed' | 'failed' | 'cancelled'
export type Lifecycle = 'idle' | Exclude<RunPhase, 'requested'> | RunEnd

export interface Approved extends Staged {
  readonly at: 'run' | 'step'
  readonly firstRun: number
}

export interface WorkspaceState {
  readonly active: Snapshot | null
  /** Validated, but nobody has asked for it. */
  readonly pending: Pending | null
  /** Asked for, waiting for its boundary. A later sync cannot change what was asked for. */
  readonly approved: Approved | null
  /** The newest sync that was asked for and is not done. */
  readonly syncing: { readonly sync: number; readonly selection: Selection } | null
}

export interface OpenStep {
  readonly step: number
  readonly attempt: number
  readonly settled: boolean
  /** What was asked. */
  readonly request: StepRequest
  readonly reply: Digest | null
  /** Whether the reply is in the history: only when somebody goes on from it, since the calls in it need their results. */
  readonly told: boolean
  /** Why there is no reply. */
  readonly failure: Failure | null
  /** Left out where the reply fits, or no schema describes it. */
  readonly misfit?: ReplyMisfit
  /** Whether the run went on from the reply: to tools, or to wait. */
  readonly read: boolean
}

export interface OpenBatch {
  readonly batch: number
  /** Those of the session when it was started: a receipt with others is stale. */
  readonly epoch: number
  readonly stepEpoch: number
  /** In the order the model gave; a null status is still to come. */
  readonly calls: readonly OpenCall[]
}

export interface CallApproval extends ApprovalTerms {
  readonly reason: string
  /** Null while nobody has answered. */
  readonly decision: ApprovalDecision | null
  readonly answeredBy: string | null
  readonly note: string | null
  readonly arguments: Digest | null
}

export interface OpenCall extends ToolCall {
  /** Null when no person had to be asked. */
  readonly approval: CallApproval | null
  /** Whether it may have been done. */
  readonly started: boolean
  readonly settled: CallStatus | null
  readonly result: Digest | null
}

export interface OpenRun {
  readonly run: number
  readonly phase: RunPhase
  /** Whether it was paused while it waited. */
  readonly waited: boolean
  readonly input: Digest | null
  readonly config: RunConfig
  readonly selection: Selection | null
  readonly interactive: boolean
  readonly node: NodeOfRun | null
  readonly source: PromptSource
  /** In force at this moment. */
  readonly snapshot: Snapshot | null
  readonly steps: number
  readonly batches: number
  readonly step: OpenStep | null
  readonly batch: OpenBatch | null
  readonly lease: (Lease & { readonly renewedAt: number }) | null
}

/** The newest run that was refused before it started. */
export interface RefusedRun extends Failure {
  readonly run: number
  readonly stage: SyncStage
}

export interface Queued {
  readonly id: string
  readonly message: Digest
}

export interface SessionState {
  /** Empty before the session is created. */
  readonly session: string
  readonly agentId: string | null
  readonly home: Home | null
  readonly config: SessionConfig
  readonly ended: RunEnd | null
  /** Null as soon as another run starts. */
  readonly refused: RefusedRun | null
  readonly epoch: number
  readonly stepEpoch: number
  readonly runs: number
  readonly syncs: number
  readonly run: OpenRun | null
  readonly workspace: WorkspaceState
  /** In order of arrival, as the others. */
  readonly interrupts: readonly Queued[]
  readonly steers: readonly Queued[]
  readonly followUps: readonly Queued[]
  readonly history: History
  readonly attached: readonly Attachment[]
  /** What it offers to children at their next step; null when it never did. */
  readonly offered: (Staged & { readonly sessions: readonly string[] }) | null
}

export const emptySession: SessionState = {
  session: '',
  agentId: null,
  home: null,
  config: emptyConfig,
  ended: null,
  refused: null,
  epoch: 0,
  stepEpoch: 0,
  runs: 0,
  syncs: 0,
  run: null,
  workspace: { active: null, pending: null, approved: null, syncing: null },
  interrupts: [],
  steers: [],
  followUps: [],
  history: emptyHistory,
  attached: [],
  offered: null,
}

/** A run that is requested and not started leaves it as it was. */
export const lifecycleOf = ({ run, ended }: SessionState): Lifecycle =>
  run === null || run.phase === 'requested' ? (ended ?? 'idle') : run.phase

/** Whether a person is being asked. */
export const isAsked = ({ approval, settled }: OpenCall): boolean => approval !== null && approval.decision === null && settled === null

/** Calls are made one after the other: the first that has not come back; null when all have. */
export const callInTurn = (batch: OpenBatch | null): OpenCall | null => batch?.calls.find(({ settled }) => settled === null) ?? null

/** Whether a person said no to this call, or to one before it in its batch: then it is not made. */
export function isDenied({ calls }: OpenBatch, id: string): boolean {
  const upTo = calls.slice(0, calls.findIndex(call => call.id === id) + 1)
  return upTo.some(({ approval }) => approval?.decision === 'denied' || approval?.decision === 'expired')
}

export const isBatchSettled = (batch: OpenBatch | null): boolean => batch === null || batch.calls.every(({ settled }) => settled !== null)

/** Whether nobody has gone on from the reply of this step yet. */
export const isUnread = ({ run, step }: OpenRun, of: WhichStep): boolean => run === of.run && step?.step === of.step && !step.read

/** Nothing was started that has not come back. */
export const isQuiet = ({ step, batch }: OpenRun): boolean => (step === null || step.settled) && isBatchSettled(batch)
