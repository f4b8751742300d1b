// Folder: One turn of one agent: steps, replies, calls, verdicts, approvals, messages, and the plan of what to do next. It performs nothing and knows no graph.
// Decides which commands a turn accepts and which events they cause. Deterministic: a refused command changes nothing.
import { HOST_ACTOR } from '../access/keys.ts'
import { isListed } from '../gate/grants.ts'
import type { LeftMessage } from '../session/events.ts'
import type { AnswerApproval, JudgeCall, SettleCall, SettleStep, StartStep, TurnCommand } from './commands.ts'
import { emit, ended, refuse, type TurnDraft, type TurnRuling } from './draft.ts'
import type { ApprovalDecision, ToolCall } from './events.ts'
import { materializeStep } from './materialize.ts'
import { REPLY_MISFIT } from './messages.ts'
import { callInTurn, callNamed, isAsked, isQuiet, leftOf, type OpenCall, type Turn } from './state.ts'

export function decideTurn(draft: TurnDraft, command: TurnCommand): TurnRuling {
  switch (command.type) {
    case 'startStep':
      return startStep(draft, command)
    case 'settleStep':
      return settleStep(draft, command)
    case 'retryStep': {
      const { step, phase } = draft.turn
      if (phase === 'cancelling') return refuse('run_not_running', 'the turn is being cancelled')
      if (step === null || step.settled || step.step !== command.step)
        return refuse('step_missing', `step ${command.step} does not wait for a reply`)
      const { code, detail } = command
      return emit(draft, { type: 'step.retried', step: step.step, attempt: step.attempt + 1, code, detail })
    }
    case 'judgeCall':
      return judgeCall(draft, command)
    case 'settleCall':
      return settleCall(draft, command)
    case 'answerApproval':
      return answerApproval(draft, command)
    case 'leaveMessage':
      return leaveMessage(draft, command.message)
    case 'complete':
      return whyNotLeft(draft.turn) ?? complete(draft)
    case 'fail': {
      // A call without a result would break the history for every turn after this one.
      if (callInTurn(draft.turn) !== null) return refuse('tool_batch_unsettled', 'the tool calls have no result yet')
      const { code, detail } = command
      return ended(draft, { status: 'failed', code, detail })
    }
  }
}

const exceeds = (count: number, limit: number | null): boolean => limit !== null && limit > 0 && count > limit

function startStep(draft: TurnDraft, { step, prompt, adopt, ...input }: StartStep): TurnRuling {
  const { phase, steps, config, snapshot } = draft.turn
  if (phase !== 'running') return refuse('run_not_running', `the turn is ${phase}`)
  if (step !== steps + 1) return refuse('step_missing', `step ${step} is not the next one`)
  const busy = whyBusy(draft.turn)
  if (busy !== null) return busy
  if (exceeds(step, config.limits.maxSteps))
    return ended(draft, { status: 'failed', code: 'step_limit', detail: `the run may take ${config.limits.maxSteps} steps` })
  const ready = takeFirst(takeAll(draft, 'interrupt'), 'steer')
  const active = adopt?.snapshot ?? snapshot
  const made = materializeStep({ ...input, config, snapshot: active, history: ready.turn.history })
  if (!made.ok) return refuse(made.code, made.message)
  const { request, requestDigest: requestHash, source, toolSource, stored } = made
  const adopted = adopt === undefined ? {} : { apply: adopt.apply }
  const started = emit(ready, {
    type: 'step.started',
    step,
    prompt,
    request,
    requestHash,
    source,
    toolSource,
    snapshot: active,
    ...adopted,
  })
  return stored === null ? started : { ...started, objects: [...started.objects, stored] }
}

/** Why nothing more can begin now; null when everything that was started has come back. */
function whyBusy({ step, steps, calls }: Turn): TurnRuling | null {
  if (step !== null && !step.settled) return refuse('step_unsettled', `step ${steps} still waits for its reply`)
  return callInTurn({ calls }) === null ? null : refuse('tool_batch_unsettled', `tool calls of step ${steps} have no result yet`)
}

function whyNotLeft(turn: Turn): TurnRuling | null {
  if (turn.phase === 'cancelling') return refuse('run_not_running', 'the turn is being cancelled')
  return turn.phase === 'waiting' ? null : whyBusy(turn)
}

const take = (draft: TurnDraft, { id }: LeftMessage): TurnDraft => emit(draft, { type: 'message.taken', id })

const takeAll = (draft: TurnDraft, kind: LeftMessage['kind']): TurnDraft => leftOf(draft.turn, kind).reduce(take, draft)

const takeFirst = (draft: TurnDraft, kind: LeftMessage['kind']): TurnDraft => leftOf(draft.turn, kind).slice(0, 1).reduce(take, draft)

/** A reply is gone on from in the commit that it comes in with: to its calls, to wait, or to the end of the turn. */
function settleStep(draft: TurnDraft, { step: of, read, receipt, failure, tokens, conversation, goesOn = false }: SettleStep): TurnRuling {
  const { step, phase } = draft.turn
  if (step === null || step.settled || step.step !== of) return refuse('step_missing', `step ${of} does not wait for a reply`)
  const { reply = null, replyHash = null, calls = [], misfit = null } = read ?? {}
  const settled = emit(draft, {
    type: 'step.settled',
    step: of,
    reply,
    receipt,
    failure,
    replyHash,
    tokens,
    ...(misfit === null ? {} : { misfit }),
    ...(conversation === undefined ? {} : { conversation }),
  })
  if (phase === 'cancelling') return finishCancel(settled)
  if (reply === null) return goOnWithout(settled)
  if (calls.length > 0) return askCalls(settled, of, calls)
  return goesOn && !exceeds(of + 1, settled.turn.config.limits.maxSteps) ? goOnWith(settled) : goOnFrom(settled)
}

/** Another step follows an interrupted one, and one whose provider lost the conversation: the next one sends everything. */
function goOnWithout(draft: TurnDraft): TurnDraft {
  const { step } = draft.turn
  const failure = step?.failure ?? { code: 'step_failed', detail: 'the step has no reply' }
  if (leftOf(draft.turn, 'interrupt').length > 0 || failure.code === 'conversation_lost') return draft
  return ended(draft, { status: 'failed', ...failure })
}

/** In one reply, where the session sets no limit. */
const MOST_CALLS = 256

function askCalls(draft: TurnDraft, step: number, calls: readonly ToolCall[]): TurnDraft {
  const most = draft.turn.config.limits.maxCalls || MOST_CALLS
  if (calls.length <= most) return emit(draft, { type: 'calls.asked', step, calls })
  const detail = `${calls.length} calls were asked for, and the run may make ${most} at once`
  return ended(draft, { status: 'failed', code: 'tool_calls_too_many', detail })
}

/** The reply enters the history, as it does before a message. */
function goOnWith(draft: TurnDraft): TurnDraft {
  const fed = waitForInput(draft)
  return fed.turn.phase === 'waiting' ? emit(fed, { type: 'node.resumed' }) : fed
}

function goOnFrom(draft: TurnDraft): TurnDraft {
  const { interactive, left } = draft.turn
  return interactive || left.some(({ kind }) => kind !== 'steer') ? waitForInput(draft) : complete(draft)
}

/** Messages that were left already are the input. */
export function waitForInput(draft: TurnDraft): TurnDraft {
  const waiting = emit(draft, { type: 'node.waiting' })
  const { length } = leftOf(waiting.turn, 'interrupt')
  const fed = length > 0 ? takeAll(waiting, 'interrupt') : takeFirst(waiting, 'follow-up')
  return fed === waiting ? waiting : emit(fed, { type: 'node.resumed' })
}

/** The last reply is the output of the turn: a reply that must fit its schema and does not fails the turn. */
function complete(draft: TurnDraft): TurnDraft {
  const misfit = draft.turn.step?.misfit ?? null
  if (misfit?.onMisfit === 'fail') return ended(draft, { status: 'failed', code: REPLY_MISFIT, detail: misfit.detail })
  return ended(draft, { status: 'completed' })
}

function judgeCall(draft: TurnDraft, { call: id, verdict, again, asks }: JudgeCall): TurnRuling {
  const call = callNamed(draft.turn, id)
  if (call === null) return refuse('tool_call_unknown', `the reply has no call "${id}"`)
  if (draft.turn.phase === 'cancelling' || (call.started && !again) || call.settled !== null || isAsked(call))
    return refuse('tool_call_unknown', `call "${id}" does not wait for a decision now`)
  const { name: tool, arguments: input } = call
  const judged = emit(draft, { type: 'call.judged', call: id, tool, verdict })
  if (verdict.decision !== 'waiting' || asks === undefined || call.approval !== null) return judged
  const { approval, ...terms } = asks
  return emit(judged, { type: 'approval.requested', approval, wants: { kind: 'tool', call: id, tool, arguments: input, ...terms } })
}

function settleCall(draft: TurnDraft, { call: id, outcome, result, resultHash }: SettleCall): TurnRuling {
  const call = callNamed(draft.turn, id)
  if (call === null) return refuse('tool_call_unknown', `the reply has no call "${id}"`)
  if (call.settled !== null) return draft
  const next = withdrawApprovals(draft, 'the call is over', [call])
  const isLate = draft.turn.phase === 'cancelling' && (outcome.status === 'succeeded' || outcome.status === 'failed')
  const settled = emit(next, {
    type: 'call.settled',
    call: id,
    tool: call.name,
    arguments: call.approval?.changed ?? call.arguments,
    result,
    ...(resultHash === undefined ? {} : { resultHash }),
    ...(isLate ? ({ status: 'stale' } as const) : outcome),
  })
  return draft.turn.phase === 'cancelling' ? finishCancel(settled) : settled
}

function answerApproval(draft: TurnDraft, { approval, decision, by, note, arguments: changed }: AnswerApproval): TurnRuling {
  const call = draft.turn.calls.find(one => one.approval?.approval === approval && isAsked(one))
  if (call === undefined) return refuse('approval_missing', `nobody waits for approval ${approval}`)
  const approvers = call.approval!.by
  if (decision !== 'expired' && approvers !== null && !isListed(approvers, by))
    return refuse('approval_not_yours', `approval ${approval} is not for ${by} to answer, but for ${approvers.join(', ')}`)
  const outcome: ApprovalDecision = decision === 'approved' || decision === 'expired' ? decision : 'denied'
  const answer = { approval, decision: outcome, answeredBy: by, note, arguments: outcome === 'approved' ? changed : null }
  return emit(draft, { type: 'approval.resolved', ...answer })
}

/** Closes the open approvals of these calls: the host denies them, because no answer matters any more. */
function withdrawApprovals(draft: TurnDraft, note: string, calls: readonly OpenCall[] = draft.turn.calls): TurnDraft {
  return calls.filter(isAsked).reduce(
    (next, { approval }) =>
      emit(next, {
        type: 'approval.resolved',
        approval: approval!.approval,
        decision: 'denied',
        answeredBy: HOST_ACTOR,
        note,
        arguments: null,
      }),
    draft,
  )
}

/** A turn that waits for input takes a message at once, unless it is for the next step. */
function leaveMessage(draft: TurnDraft, message: LeftMessage): TurnRuling {
  const { left, phase } = draft.turn
  if (left.some(({ id }) => id === message.id)) return refuse('command_duplicate', `message ${message.id} waits already`)
  const received = emit(draft, { type: 'message.received', message })
  if (message.kind === 'steer' || phase !== 'waiting') return received
  return emit(take(received, message), { type: 'node.resumed' })
}

/** The run ends: open approvals are withdrawn, and the turn is over when everything it started has returned. */
export const cancelTurn = (draft: TurnDraft): TurnDraft =>
  finishCancel(withdrawApprovals({ ...draft, turn: { ...draft.turn, phase: 'cancelling' } }, 'the run was cancelled'))

const finishCancel = (draft: TurnDraft): TurnDraft => (isQuiet(draft.turn) ? ended(draft, { status: 'cancelled' }) : draft)
