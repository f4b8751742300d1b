// Steps and the tools they call. A step starts only when everything before it has come back; what comes back late is kept, but not believed.
import { HOST_ACTOR } from '../access/keys.ts'
import { isListed } from '../gate/grants.ts'
import { dueAtStep } from './apply.ts'
import type { StepCommand } from './commands.ts'
import { type Draft, emit, emitMessage, emitReply, type Ruling, refuse } from './draft.ts'
import type { ApprovalDecision } from './events.ts'
import { materializeStep } from './materialize.ts'
import { tracePrelude } from './prelude-ladder.ts'
import { isAsked, isBatchSettled, isQuiet, isUnread, type OpenBatch, type OpenRun } from './state.ts'

type Of<T extends StepCommand['type']> = Extract<StepCommand, { readonly type: T }>

export function decideStep(draft: Draft, command: StepCommand): Ruling {
  const { run } = draft.state
  if (run === null && command.type === 'answerApproval') return refuse('approval_missing', `nobody waits for approval ${command.approval}`)
  if (run === null) return refuse('run_missing', 'no run is open')
  switch (command.type) {
    case 'settleStep':
      return settleStep(draft, command, run)
    case 'judgeCall':
      return judgeCall(draft, command, run)
    case 'settleCall':
      return settleCall(draft, command, run)
    case 'answerApproval':
      return answerApproval(draft, command, run)
  }
  // A call that was lost with its host is made again, whether or not the run may go on from it.
  if (command.type === 'retryStep' && run.phase === 'paused') return retryStep(draft, command, run)
  if (run.phase !== 'running') return refuse('run_not_running', `run ${run.run} is ${run.phase}`)
  switch (command.type) {
    case 'startStep':
      return startStep(draft, command, run)
    case 'retryStep':
      return retryStep(draft, command, run)
    case 'startBatch':
      return startBatch(draft, command, run)
  }
}

/** In one reply, where the session sets no limit: nobody means more. */
const MOST_CALLS = 256

const exceeds = (count: number, limit: number | null): boolean => limit !== null && limit > 0 && count > limit

function startStep(draft: Draft, { type: _, of, ...command }: Of<'startStep'>, { run, steps, step, batch, config }: OpenRun): Ruling {
  if (of !== undefined && (of.run !== run || of.step !== steps + 1))
    return refuse('step_missing', `step ${of.step} of run ${of.run} is not the next one`)
  if (step !== null && !step.settled) return refuse('step_unsettled', `step ${steps} still waits for its reply`)
  if (!isBatchSettled(batch)) return refuse('tool_batch_unsettled', `tool calls of step ${steps} are still to come back`)
  const next = steps + 1
  if (exceeds(next, config.limits.maxSteps))
    return emit(draft, { type: 'run.failed', run, code: 'step_limit', detail: `the run may take ${config.limits.maxSteps} steps` })

  const ready = takeSteer(takeInterrupts(adopt(emitReply(draft))))
  const { history } = ready.state
  const { snapshot } = ready.state.run!
  const made = materializeStep({ ...command, config, snapshot, history })
  if (!made.ok) return refuse(made.code, made.message)
  const { request, requestDigest, source, toolSource, stored } = made
  const event = { type: 'step.started', run, step: next, request, requestHash: requestDigest, source, toolSource, snapshot } as const
  const started = emit({ ...ready, objects: stored === null ? ready.objects : [...ready.objects, stored] }, event)
  return request.user === null ? started : emitMessage(started, request.user)
}

/** What waited for this step takes over, and why the run goes on with it is written down. */
function adopt(draft: Draft): Draft {
  const due = dueAtStep(draft.state)
  return due.length === 0 ? draft : tracePrelude(emit(draft, ...due))
}

/** All of them, in order of arrival. */
export function takeInterrupts(draft: Draft): Draft {
  const [first] = draft.state.interrupts
  return first === undefined ? draft : takeInterrupts(emitMessage(emit(draft, { type: 'command.applied', id: first.id }), first.message))
}

function takeSteer(draft: Draft): Draft {
  const [first] = draft.state.steers
  return first === undefined ? draft : emitMessage(emit(draft, { type: 'command.applied', id: first.id }), first.message)
}

function settleStep(
  draft: Draft,
  { reply, receipt = null, failure = null, misfit, ...of }: Of<'settleStep'>,
  { run, phase, step }: OpenRun,
): Ruling {
  if (of.run !== run) return refuse('run_missing', `run ${of.run} is not open`)
  if (step === null || step.settled || step.step !== of.step) return refuse('step_missing', `step ${of.step} waits for no reply`)
  const unfit = misfit === undefined ? {} : { misfit }
  const settled = emit(draft, { type: 'step.settled', run, step: of.step, reply, receipt, failure, ...unfit })
  return phase === 'cancelling' ? finishCancel(settled) : settled
}

function retryStep(draft: Draft, { code, detail, of }: Of<'retryStep'>, { run, step }: OpenRun): Ruling {
  if (step === null || step.settled) return refuse('step_missing', 'no step waits for a reply')
  if (of !== undefined && (of.run !== run || of.step !== step.step))
    return refuse('step_missing', `step ${of.step} of run ${of.run} does not wait for a reply`)
  return emit(draft, { type: 'step.retried', run, step: step.step, attempt: step.attempt + 1, code, detail })
}

function startBatch(draft: Draft, { calls, of }: Of<'startBatch'>, open: OpenRun): Ruling {
  const { run, step, batch, batches, config } = open
  if (of !== undefined && !isUnread(open, of)) return refuse('step_missing', `step ${of.step} of run ${of.run} is not to be gone on from`)
  if (step === null) return refuse('step_missing', 'no step has asked for tools yet')
  if (!step.settled) return refuse('step_unsettled', `step ${step.step} still waits for its reply`)
  if (!isBatchSettled(batch)) return refuse('tool_batch_active', `batch ${batch!.batch} is not settled yet`)
  const most = config.limits.maxCalls || MOST_CALLS
  if (calls.length > most)
    return refuse('tool_calls_too_many', `${calls.length} calls were asked for, and the run may make ${most} at once`)
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return refuse('tool_call_duplicate', 'two calls have the same id')
  return emit(emitReply(draft), { type: 'tool.batchStarted', run, batch: batches + 1, calls })
}

function judgeCall(draft: Draft, { call, verdict, again = false, asks, ...of }: Of<'judgeCall'>, { run, phase, batch }: OpenRun): Ruling {
  const known = of.run === run && batch?.batch === of.batch ? batch.calls.find(({ id }) => id === call) : undefined
  if (known === undefined) return refuse('tool_call_unknown', `batch ${of.batch} has no call "${call}"`)
  if (phase === 'cancelling' || (known.started && !again) || known.settled !== null || isAsked(known))
    return refuse('tool_call_unknown', `call "${call}" is not to be judged now`)
  const judged = emit(draft, { type: 'tool.judged', run, batch: of.batch, call, verdict })
  if (verdict.decision === 'allowed') return emit(judged, { type: 'tool.callStarted', run, batch: of.batch, call })
  if (verdict.decision !== 'waiting' || asks === undefined || known.approval !== null) return judged
  const asked = { run, batch: of.batch, call, tool: known.name, arguments: known.arguments, ...asks }
  return emit(judged, { type: 'approval.requested', ...asked })
}

function answerApproval(
  draft: Draft,
  { approval, decision, by, note = null, arguments: changed = null }: Of<'answerApproval'>,
  { run, batch }: OpenRun,
): Ruling {
  const known = batch?.calls.find(call => call.approval?.approval === approval && isAsked(call))
  if (known === undefined) return refuse('approval_missing', `nobody waits for approval ${approval}`)
  const approvers = known.approval!.by
  if (decision !== 'expired' && approvers !== null && !isListed(approvers, by))
    return refuse('approval_not_yours', `approval ${approval} is not for ${by} to answer, but for ${approvers.join(', ')}`)
  const given: ApprovalDecision = decision === 'approved' || decision === 'expired' ? decision : 'denied'
  const answer = { approval, decision: given, answeredBy: by, note, arguments: given === 'approved' ? changed : null }
  return emit(draft, { type: 'approval.resolved', run, batch: batch!.batch, call: known.id, ...answer })
}

/** Nobody needs to be asked any more. */
export function withdrawApprovals(draft: Draft, note: string): Draft {
  const { run } = draft.state
  const open = run?.batch?.calls.filter(isAsked) ?? []
  return open.reduce((next, { id, approval }) => {
    const of = { run: run!.run, batch: run!.batch!.batch, call: id, approval: approval!.approval }
    return emit(next, { type: 'approval.resolved', ...of, decision: 'denied', answeredBy: HOST_ACTOR, note, arguments: null })
  }, draft)
}

function settleCall(draft: Draft, { outcome, result, call, epoch, stepEpoch, ...of }: Of<'settleCall'>, { run, batch }: OpenRun): Ruling {
  if (of.run !== run) return refuse('run_missing', `run ${of.run} is not open`)
  if (batch === null || batch.batch !== of.batch) return refuse('tool_batch_missing', `batch ${of.batch} is not open`)
  const known = batch.calls.find(({ id }) => id === call)
  if (known === undefined) return refuse('tool_call_unknown', `batch ${of.batch} has no call "${call}"`)
  if (known.settled !== null) return draft
  // Whatever came of it, nobody is to be asked about it any more.
  const asked = isAsked(known) ? withdrawApprovals(draft, 'the call is over') : draft
  const stale = epoch !== draft.state.epoch || stepEpoch !== batch.stepEpoch
  const status = stale ? ({ status: 'stale' } as const) : outcome
  const settled = emit(asked, { type: 'tool.callSettled', run, batch: of.batch, call, result, ...status })
  const open = settled.state.run!
  return isBatchSettled(open.batch) ? closeBatch(settled, open, open.batch!) : settled
}

/** Results enter the transcript in the order of the calls, whichever came back first. */
function closeBatch(draft: Draft, { run, phase }: OpenRun, { batch, calls }: OpenBatch): Draft {
  const results = calls.flatMap(({ result }) => (result === null ? [] : [result]))
  const told = results.reduce(emitMessage, emit(draft, { type: 'tool.batchSettled', run, batch, results }))
  return phase === 'cancelling' ? finishCancel(told) : told
}

/** A cancelled run is over when everything it started has come back. */
export function finishCancel(draft: Draft): Draft {
  const { run } = draft.state
  return run !== null && isQuiet(run) ? emit(draft, { type: 'run.cancelled', run: run.run }) : draft
}
