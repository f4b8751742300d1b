// What can be asked of a session. The clock, ids and the results of effects come in here and nowhere else.
import type { Digest } from '../digest/digest.ts'
import type { GateFacts, Verdict } from '../gate/authorize.ts'
import type { LineCalling } from '../tools/asked-calls.ts'
import type { KnownModels, RunConfig, Selection, SessionConfig } from './config.ts'
import type {
  ApplyWhen,
  ApprovalDecision,
  ApprovalTerms,
  CallStatus,
  Failure,
  Home,
  HostCommand,
  Lease,
  NodeOfRun,
  ReplyMisfit,
  ToolCall,
} from './events.ts'
import type { StepOptions } from './materialize.ts'
import type { Snapshot } from './snapshot.ts'
import type { SyncResult } from './sync.ts'

/** The step that is to be started, or whose reply is gone on from: whoever is too late is refused. */
export interface WhichStep {
  readonly run: number
  readonly step: number
}

export type RunCommand =
  | {
      readonly type: 'requestRun'
      readonly input?: Digest | null
      /** Replaces the session's config as a whole. */
      readonly overrides?: RunConfig | null
      readonly known?: KnownModels
      readonly interactive?: boolean
      readonly node?: NodeOfRun
    }
  | { readonly type: 'settleRunSync'; readonly run: number; readonly result: SyncResult }
  | { readonly type: 'startRun'; readonly run: number }
  | { readonly type: 'awaitInput' | 'completeRun'; readonly of?: WhichStep }
  | { readonly type: 'provideInput'; readonly message: Digest }
  /** Without a run: whichever is open. */
  | ({ readonly type: 'failRun'; readonly run?: number } & Failure)

export type StepCommand =
  | {
      readonly type: 'startStep'
      readonly of?: WhichStep
      readonly system?: Digest | null
      readonly user?: Digest | null
      readonly toolDigests?: readonly Digest[] | null
      readonly hostCatalog?: Digest | null
      readonly calls?: LineCalling
      readonly options?: StepOptions
    }
  | {
      readonly type: 'settleStep'
      readonly run: number
      readonly step: number
      readonly reply: Digest | null
      readonly receipt?: Digest | null
      readonly failure?: Failure | null
      readonly misfit?: ReplyMisfit
    }
  | ({ readonly type: 'retryStep'; readonly of?: WhichStep } & Failure)
  | { readonly type: 'startBatch'; readonly calls: readonly ToolCall[]; readonly of?: WhichStep }
  /** From here on a call that is allowed counts as started. */
  | {
      readonly type: 'judgeCall'
      readonly run: number
      readonly batch: number
      readonly call: string
      readonly verdict: Verdict
      /** It was started before, and may be done again. */
      readonly again?: boolean
      /** Of the run, when it was judged; null for a session that works for none. */
      readonly mode?: GateFacts['mode']
      /** Of a verdict that waits: how a person is asked. */
      readonly asks?: ApprovalTerms & { readonly reason: string }
    }
  /** Whatever is not `approved` is a no. */
  | {
      readonly type: 'answerApproval'
      readonly approval: string
      readonly decision: ApprovalDecision
      readonly by: string
      readonly note?: string | null
      readonly arguments?: Digest | null
    }
  | {
      readonly type: 'settleCall'
      readonly run: number
      readonly batch: number
      readonly call: string
      readonly outcome: CallStatus
      /** A message that tells the model. */
      readonly result: Digest | null
      /** Those that came with the call. */
      readonly epoch: number
      readonly stepEpoch: number
    }

export type HostSideCommand =
  | {
      readonly type: 'receive'
      readonly command: HostCommand
      /** What the caller believes; null when it does not care. */
      readonly epoch?: number | null
      readonly run?: number | null
    }
  | { readonly type: 'issueLease'; readonly lease: Lease }
  | { readonly type: 'renewLease'; readonly id: string; readonly at: number }
  | { readonly type: 'checkLease'; readonly at: number }

export type WorkspaceCommand =
  /** Without a selection: what the session's config names. */
  | { readonly type: 'requestSync'; readonly selection?: Selection | null; readonly knownVersion?: number | null }
  | { readonly type: 'settleSync'; readonly sync: number; readonly result: SyncResult }
  /** `untested`: also with packs whose tests did not pass. */
  | { readonly type: 'requestApply'; readonly when?: ApplyWhen; readonly untested?: boolean }
  | { readonly type: 'offerSnapshot'; readonly snapshot: Snapshot; readonly selection: Selection }
  | { readonly type: 'attachRun'; readonly runId: string; readonly nodeId: string; readonly session: string }
  | { readonly type: 'detachRun'; readonly runId: string; readonly nodeId: string }

export type SessionCommand =
  | {
      readonly type: 'create'
      readonly session: string
      readonly agentId?: string | null
      readonly config: SessionConfig
      readonly home?: Home | null
      /** What the home session had in force. */
      readonly snapshot?: Snapshot | null
    }
  | { readonly type: 'configure'; readonly config: SessionConfig }
  | RunCommand
  | StepCommand
  | HostSideCommand
  | WorkspaceCommand
