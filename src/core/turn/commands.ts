// Commands to a turn. The clock, ids and the results of effects come in here and nowhere else.
import type { Mode } from '../compose/mode.ts'
import type { Digest } from '../digest/digest.ts'
import type { Verdict } from '../gate/authorize.ts'
import type { AdoptedSnapshot } from '../session/apply.ts'
import type { Failure, LeftMessage } from '../session/events.ts'
import type { LineCalling } from '../tools/asked-calls.ts'
import type { ApprovalDecision, ApprovalTerms, CallStatus, PromptRecord, ReplyMisfit, ToolCall } from './events.ts'
import type { StepOptions } from './materialize.ts'

/** A reply as it was read where it came in: the calls follow from its bytes, and so does its hash. */
export interface ReadReply {
  readonly reply: Digest
  readonly replyHash: Digest
  readonly calls: readonly ToolCall[]
  readonly misfit: ReplyMisfit | null
}

export interface StartStep {
  readonly type: 'startStep'
  readonly step: number
  readonly prompt: PromptRecord
  readonly system: Digest | null
  readonly user: Digest | null
  readonly toolDigests: readonly Digest[] | null
  readonly hostCatalog: Digest | null
  readonly calls?: LineCalling
  readonly options?: StepOptions
  /** A snapshot that reaches the turn at this boundary; left out where none does. */
  readonly adopt?: AdoptedSnapshot
}

export interface SettleStep {
  readonly type: 'settleStep'
  readonly step: number
  readonly read: ReadReply | null
  readonly receipt: Digest | null
  readonly failure: Failure | null
  readonly tokens: number | null
  readonly conversation?: string
  /** Another step follows after any reply: input waits that only a step reads. */
  readonly goesOn?: boolean
}

export interface JudgeCall {
  readonly type: 'judgeCall'
  readonly call: string
  readonly verdict: Verdict
  /** It was started before, and may be done again. */
  readonly again: boolean
  /** The mode of the run when the call was judged; null without one. */
  readonly mode: Mode | null
  /** The terms of the approval, if the verdict waits for a person. */
  readonly asks?: ApprovalTerms & { readonly approval: string; readonly reason: string }
}

export interface SettleCall {
  readonly type: 'settleCall'
  readonly call: string
  readonly outcome: CallStatus
  /** The message with the result for the model. */
  readonly result: Digest | null
  readonly resultHash?: Digest
}

export interface AnswerApproval {
  readonly type: 'answerApproval'
  readonly approval: string
  readonly decision: ApprovalDecision
  readonly by: string
  readonly note: string | null
  readonly arguments: Digest | null
}

export type TurnCommand =
  | StartStep
  | SettleStep
  | ({ readonly type: 'retryStep'; readonly step: number } & Failure)
  | JudgeCall
  | SettleCall
  | AnswerApproval
  | { readonly type: 'leaveMessage'; readonly message: LeftMessage }
  /** An interactive turn waits until its client says that there is no more input. */
  | { readonly type: 'complete' }
  | ({ readonly type: 'fail' } & Failure)
