// The state of a turn, folded from its events: plain JSON, the same bytes for the same events.
import type { Digest } from '../digest/digest.ts'
import type { RunConfig } from '../session/config.ts'
import type { Failure, LeftMessage } from '../session/events.ts'
import type { History } from '../session/history.ts'
import type { Snapshot } from '../session/snapshot.ts'
import type { ApprovalDecision, CallStatus, CallSubject, ReplyMisfit, ToolCall } from './events.ts'
import type { StepRequest } from './materialize.ts'

export type TurnPhase = 'running' | 'waiting' | 'cancelling'

export interface OpenStep {
  readonly step: number
  readonly attempt: number
  readonly request: StepRequest
  readonly settled: boolean
  readonly reply: Digest | null
  /** Whether the reply is in the history. A reply with calls that are never made stays out: calls need their results. */
  readonly kept: boolean
  readonly failure: Failure | null
  readonly misfit: ReplyMisfit | null
}

export interface CallApproval extends CallSubject {
  readonly approval: string
  /** Null until the approval is answered. */
  readonly decision: ApprovalDecision | null
  readonly answeredBy: string | null
  readonly note: string | null
  /** The arguments from the answer; `arguments` of the subject are those of the model. */
  readonly changed: Digest | null
}

export interface OpenCall extends ToolCall {
  /** Null when no approval was needed. */
  readonly approval: CallApproval | null
  /** Whether it may have been done. */
  readonly started: boolean
  readonly settled: CallStatus | null
  readonly result: Digest | null
}

export interface Turn {
  readonly phase: TurnPhase
  /** Whether it waits for more input after a reply without calls. */
  readonly interactive: boolean
  /** Frozen when the turn began. */
  readonly config: RunConfig
  readonly snapshot: Snapshot | null
  /** The number of the apply, in the session that the snapshot comes from. */
  readonly apply: number
  readonly steps: number
  readonly step: OpenStep | null
  /** The calls of the last reply, in its order; empty without calls. */
  readonly calls: readonly OpenCall[]
  /** Messages that were left for the agent and are not in its history yet, in order of arrival. */
  readonly left: readonly LeftMessage[]
  readonly history: History
}

export const isAsked = ({ approval, settled }: OpenCall): boolean => approval !== null && approval.decision === null && settled === null

/** Calls are made one after the other: the first without an outcome; null when all have one. */
export const callInTurn = ({ calls }: Pick<Turn, 'calls'>): OpenCall | null => calls.find(({ settled }) => settled === null) ?? null

export const callNamed = ({ calls }: Pick<Turn, 'calls'>, id: string): OpenCall | null => calls.find(call => call.id === id) ?? null

/** Whether a person said no to this call, or to one before it in the same reply: then it is not made. */
export function isDenied({ calls }: Pick<Turn, 'calls'>, id: string): boolean {
  const upTo = calls.slice(0, calls.findIndex(call => call.id === id) + 1)
  return upTo.some(({ approval }) => approval?.decision === 'denied' || approval?.decision === 'expired')
}

/** Nothing was started that has not come back. */
export const isQuiet = (turn: Turn): boolean => (turn.step === null || turn.step.settled) && callInTurn(turn) === null

export const leftOf = ({ left }: Turn, kind: LeftMessage['kind']): readonly LeftMessage[] => left.filter(one => one.kind === kind)
