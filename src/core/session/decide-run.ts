// Runs: requested with a frozen config, started, ended. A requested run may still be refused, so it consumes nothing yet.
import { dueAtRun } from './apply.ts'
import { type Coming, comingSnapshot, unsyncedProblem } from './coming-snapshot.ts'
import type { RunCommand } from './commands.ts'
import { configProblem, type RunConfig, type Selection, sameSelection, selectionOf } from './config.ts'
import { takeInterrupts } from './decide-step.ts'
import { type Draft, emit, emitMessage, emitReply, type Ruling, refuse } from './draft.ts'
import { nameProblem } from './names.ts'
import { preludeOf, tracePrelude } from './prelude-ladder.ts'
import { isBatchSettled, isQuiet, isUnread, type OpenRun } from './state.ts'
import { checkedResult, fail } from './sync-effects.ts'

type Of<T extends RunCommand['type']> = Extract<RunCommand, { readonly type: T }>

export function decideRun(draft: Draft, command: RunCommand): Ruling {
  if (command.type === 'requestRun') return requestRun(draft, command)
  const { run } = draft.state
  if (run === null) return refuse('run_missing', 'no run is open')
  if ('of' in command && command.of !== undefined && !isUnread(run, command.of))
    return refuse('step_missing', `step ${command.of.step} of run ${command.of.run} is not to be gone on from`)
  switch (command.type) {
    case 'settleRunSync':
      return settleRunSync(draft, command, run)
    case 'startRun':
      return command.run === run.run ? startRun(draft, run) : refuse('run_missing', `run ${command.run} is not open`)
    case 'awaitInput':
      return awaitInput(draft, run)
    case 'provideInput':
      if (run.phase !== 'waiting') return refuse('run_not_waiting', `run ${run.run} is ${run.phase}; it does not wait for input`)
      return emit(emitMessage(draft, command.message), { type: 'run.resumed', run: run.run })
    case 'completeRun':
      return (run.phase === 'waiting' ? null : whyNotQuiet(run)) ?? completeRun(emitReply(draft), run)
    case 'failRun':
      return failRun(draft, command, run)
  }
}

const NO_KNOWN = { providers: [], models: [] }

function requestRun(
  draft: Draft,
  { input = null, overrides = null, known = NO_KNOWN, interactive = false, node }: Of<'requestRun'>,
): Ruling {
  const { session, run, runs, config: defaults, home } = draft.state
  // It would have no role, no node and no mode to be judged by.
  if (home !== null && node === undefined)
    return refuse('session_is_child', `this session works for node ${home.nodeId} of run ${home.runId} alone`)
  if (run !== null) return refuse('run_already_active', `run ${run.run} is ${run.phase}; end it first`)
  const coming = comingSnapshot(draft.state)
  const config = overrides ?? { ...defaults, ...coming?.selection }
  const problem = configProblem(config, known)
  if (problem !== null) return refuse(problem.code, problem.message)
  // A node starts in one commit, with the snapshot of its agent's home session: it makes none of its own.
  const mayDiffer = overrides !== null && node === undefined
  const unsynced = mayDiffer ? null : unsyncedProblem(config, coming, home?.session ?? session)
  if (unsynced !== null) return refuse('snapshot_missing', unsynced)
  const selection = mayDiffer ? ownSelection(overrides, coming) : null
  if (selection === 'unset') return refuse('workspace_unset', 'the run names a prelude or a catalog, but no workspace')
  const misnamed = selection === null ? null : nameProblem(selection)
  if (misnamed !== null) return refuse('name_invalid', misnamed)
  return emit(draft, {
    type: 'run.requested',
    run: runs + 1,
    input,
    config,
    overridden: overrides !== null,
    selection,
    interactive,
    ...(node === undefined ? {} : { node }),
  })
}

/** The selection of the run, where the snapshot that it would start with is not of that selection. It gets a snapshot of its own then. */
function ownSelection(overrides: RunConfig, coming: Coming | null): Selection | 'unset' | null {
  const own = selectionOf(overrides)
  if (own === null) return overrides.prelude === null && overrides.catalog === null ? null : 'unset'
  if (coming?.selection === null || coming === null) return own
  if (sameSelection(own, coming.selection)) return null
  // Another prelude or catalog, of the version that is active: nothing is adopted on the way.
  const sameWorkspace = sameSelection({ ...own, prelude: null, catalog: null }, { ...coming.selection, prelude: null, catalog: null })
  return sameWorkspace ? { ...own, workspace: { ...own.workspace, version: coming.snapshot.version } } : own
}

function settleRunSync(draft: Draft, command: Of<'settleRunSync'>, { run, phase, selection, snapshot }: OpenRun): Ruling {
  if (command.run !== run) return refuse('run_missing', `run ${command.run} is not open`)
  if (phase !== 'requested' || selection === null || snapshot !== null) return refuse('sync_missing', `run ${run} waits for no snapshot`)
  const result = checkedResult(command.result, selection)
  if (result.outcome === 'ready')
    return { ...emit(draft, { type: 'run.snapshotReady', run, snapshot: result.snapshot }), objects: result.objects }
  // Nothing was known that it could be the same as.
  const { stage, code, detail } = result.outcome === 'failed' ? result : fail('validate', 'snapshot_mismatch', 'a run has nothing to keep')
  return emit(draft, { type: 'run.refused', run, stage, code, detail })
}

function startRun(draft: Draft, { run, phase, input, config, selection, snapshot: own }: OpenRun): Ruling {
  if (phase !== 'requested') return refuse('run_started', `run ${run} is ${phase} already`)
  if (selection !== null && own === null) return refuse('run_snapshot_missing', `run ${run} still waits for its snapshot`)
  const due = emit(draft, ...dueAtRun(draft.state, run))
  const snapshot = own ?? due.state.workspace.active
  const started = tracePrelude(emit(due, { type: 'run.started', run, source: preludeOf(config, snapshot).source, snapshot }))
  if (input !== null) return emitMessage(started, input)
  return takeFollowUp(started) ?? started
}

/** The oldest follow-up becomes a message; null when there is none. */
function takeFollowUp(draft: Draft): Draft | null {
  const [first] = draft.state.followUps
  return first === undefined ? null : emitMessage(emit(draft, { type: 'command.applied', id: first.id }), first.message)
}

/** Why a running run cannot be left now; null when nothing is on its way. */
function whyNotQuiet(run: OpenRun): Ruling | null {
  if (run.phase !== 'running') return refuse('run_not_running', `run ${run.run} is ${run.phase}`)
  if (isQuiet(run)) return null
  return isBatchSettled(run.batch)
    ? refuse('step_unsettled', `step ${run.steps} still waits for its reply`)
    : refuse('tool_batch_unsettled', `tool calls of step ${run.steps} are still to come back`)
}

/** The last reply is what the run gives: one that must fit its schema and does not fails the run. */
function completeRun(draft: Draft, { run, step }: OpenRun): Draft {
  const misfit = step?.misfit
  if (misfit?.onMisfit !== 'fail') return emit(draft, { type: 'run.completed', run })
  return emit(draft, { type: 'run.failed', run, code: 'reply_misfit', detail: misfit.detail })
}

function awaitInput(draft: Draft, run: OpenRun): Ruling {
  return whyNotQuiet(run) ?? waitForInput(emitReply(draft), run.run)
}

/** What was left already is the input. */
export function waitForInput(draft: Draft, run: number): Draft {
  const waiting = emit(draft, { type: 'run.waiting', run })
  const fed = waiting.state.interrupts.length > 0 ? takeInterrupts(waiting) : takeFollowUp(waiting)
  return fed === null ? waiting : emit(fed, { type: 'run.resumed', run })
}

function failRun(draft: Draft, { code, detail, run: meant }: Of<'failRun'>, { run, phase, batch }: OpenRun): Ruling {
  if (meant !== undefined && meant !== run) return refuse('run_missing', `run ${meant} is not open`)
  if (phase === 'paused' || phase === 'cancelling') return refuse('run_not_running', `run ${run} is ${phase}`)
  // A call without a result would break the transcript for every run after this one.
  if (!isBatchSettled(batch)) return refuse('tool_batch_unsettled', 'settle the tool calls first')
  return emit(draft, { type: 'run.failed', run, code, detail })
}
