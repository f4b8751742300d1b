// What events make of the open run. Nothing here touches the workspace but for one thing: a run that ends passes on what waited for its steps.
import type { SessionEvent } from './events.ts'
import type { OpenCall, OpenRun, OpenStep, RunEnd, SessionState } from './state.ts'

type RunEvent = Extract<
  SessionEvent,
  { readonly type: `run.${string}` | `step.${string}` | `tool.${string}` | `approval.${string}` | `lease.${string}` }
>

export function reduceRun(state: SessionState, event: SessionEvent): SessionState {
  if (event.type === 'run.requested') {
    const { run, input, config, selection, interactive = false, node = null } = event
    return { ...state, runs: run, run: { ...freshRun, run, input, config, selection, interactive, node } }
  }
  const { run } = state
  if (run === null) return state
  switch (event.type) {
    case 'run.completed':
      return ended(state, 'completed')
    case 'run.failed':
      return ended(state, 'failed')
    case 'run.cancelled':
      return ended(state, 'cancelled')
    case 'run.refused': {
      const { run: number, stage, code, detail } = event
      return { ...ended(state, state.ended), refused: { run: number, stage, code, detail } }
    }
    case 'run.started':
      return { ...state, refused: null, run: reduceOpen(run, event, state) }
    case 'run.cancelling':
      return { ...state, epoch: state.epoch + 1, stepEpoch: state.stepEpoch + 1, run: { ...run, phase: 'cancelling' } }
    case 'message.appended':
      return run.step?.reply === event.message ? { ...state, run: { ...run, step: { ...run.step, told: true } } } : state
    case 'step.started':
      return { ...state, stepEpoch: state.stepEpoch + 1, run: reduceOpen(run, event, state) }
    default: {
      const next = reduceOpen(run, event as RunEvent, state)
      return next === run ? state : { ...state, run: next }
    }
  }
}

const freshRun: Omit<OpenRun, 'run' | 'input' | 'config' | 'selection' | 'interactive' | 'node'> = {
  phase: 'requested',
  waited: false,
  source: 'none',
  snapshot: null,
  steps: 0,
  batches: 0,
  step: null,
  batch: null,
  lease: null,
}

/** What waited for a step of this run waits for the next run. */
function ended(state: SessionState, end: RunEnd | null): SessionState {
  const { approved } = state.workspace
  const workspace = approved === null ? state.workspace : { ...state.workspace, approved: { ...approved, at: 'run' as const } }
  return { ...state, run: null, ended: end, workspace }
}

function reduceOpen(run: OpenRun, event: RunEvent, { epoch, stepEpoch, interrupts }: SessionState): OpenRun {
  const { step } = run
  switch (event.type) {
    case 'run.snapshotReady':
      return { ...run, snapshot: event.snapshot }
    case 'run.started':
      return { ...run, phase: 'running', source: event.source, snapshot: event.snapshot }
    case 'run.waiting':
      return { ...run, phase: 'waiting', waited: false, step: step === null ? null : { ...step, read: true } }
    case 'run.paused':
      return { ...run, phase: 'paused', waited: run.phase === 'waiting' }
    case 'run.resumed':
      return { ...run, phase: 'running', waited: false }
    case 'step.started':
      return { ...run, steps: event.step, batch: null, step: freshStep(event) }
    case 'step.retried':
      return step === null ? run : { ...run, step: { ...step, attempt: event.attempt } }
    case 'step.settled':
      if (step === null) return run
      return {
        ...run,
        step: {
          ...step,
          settled: true,
          reply: event.reply,
          failure: event.failure,
          ...(event.misfit === undefined ? {} : { misfit: event.misfit }),
          // A step that was interrupted has not failed: the run goes on from the interrupt.
          read: event.reply === null && interrupts.length > 0,
        },
      }
    case 'tool.batchStarted': {
      const calls = event.calls.map(({ id, name, arguments: given }) => ({
        id,
        name,
        arguments: given,
        approval: null,
        started: false,
        settled: null,
        result: null,
      }))
      const started = { batch: event.batch, epoch, stepEpoch, calls }
      return { ...run, batches: event.batch, batch: started, step: step === null ? null : { ...step, read: true } }
    }
    case 'approval.requested': {
      const { approval, by, expiresAt, reason, call } = event
      return withCall(run, call, {
        approval: { approval, by, expiresAt, reason, decision: null, answeredBy: null, note: null, arguments: null },
      })
    }
    case 'approval.resolved': {
      const { call, decision, answeredBy, note, arguments: changed } = event
      const asked = run.batch?.calls.find(({ id }) => id === call)?.approval ?? null
      return asked === null ? run : withCall(run, call, { approval: { ...asked, decision, answeredBy, note, arguments: changed } })
    }
    case 'tool.callStarted':
      return withCall(run, event.call, { started: true })
    case 'tool.callSettled': {
      const { type: _type, run: _run, batch: _batch, call, result, ...settled } = event
      return withCall(run, call, { settled, result })
    }
    case 'lease.issued':
      return { ...run, lease: { ...event.lease, renewedAt: event.lease.issuedAt } }
    case 'lease.renewed':
      return run.lease === null ? run : { ...run, lease: { ...run.lease, renewedAt: event.at } }
    default:
      return run
  }
}

const freshStep = ({ step, request }: Extract<RunEvent, { readonly type: 'step.started' }>): OpenStep => ({
  step,
  attempt: 1,
  settled: false,
  request,
  reply: null,
  told: false,
  failure: null,
  read: false,
})

function withCall(run: OpenRun, id: string, change: Partial<OpenCall>): OpenRun {
  const { batch } = run
  if (batch === null) return run
  return { ...run, batch: { ...batch, calls: batch.calls.map(one => (one.id === id ? { ...one, ...change } : one)) } }
}
