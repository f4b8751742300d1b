// What a session still has to do when nobody is doing it: for whoever takes it up after its host is gone.
import type { SessionCommand } from './commands.ts'
import { goOn, knownTo, type SessionEffect } from './plan.ts'
import type { OpenCall, OpenRun, SessionState } from './state.ts'

export interface Unfinished {
  readonly commands: readonly SessionCommand[]
  readonly effects: readonly SessionEffect[]
  /** Begun, and nobody knows how they ended: they are settled so, and never done again. */
  readonly interrupted: readonly OpenCall[]
}

/** @param isRepeatable whether doing a tool's work twice is the same as doing it once */
export function unfinished(state: SessionState, isRepeatable: (tool: string) => boolean): Unfinished {
  const { run, workspace, followUps, ended, home } = state
  const sync: readonly SessionEffect[] =
    workspace.syncing === null
      ? []
      : [{ type: 'workspace.sync', for: { sync: workspace.syncing.sync }, selection: workspace.syncing.selection, known: knownTo(state) }]
  if (run !== null) return join(sync, ofRun(state, run, isRepeatable))
  const asked = ended === 'completed' && followUps.length > 0 && home === null
  return { commands: [], effects: asked ? [...sync, { type: 'run.request' }] : sync, interrupted: [] }
}

const join = (sync: readonly SessionEffect[], { effects, ...rest }: Unfinished): Unfinished => ({ ...rest, effects: [...sync, ...effects] })

const NOTHING: Unfinished = { commands: [], effects: [], interrupted: [] }
const LOST = { code: 'interrupted', detail: 'the host stopped while the model was asked' }

function ofRun(state: SessionState, run: OpenRun, isRepeatable: (tool: string) => boolean): Unfinished {
  const { phase, step, batch, selection, snapshot } = run
  if (phase === 'requested') {
    const wanted = selection !== null && snapshot === null
    const effect: SessionEffect = wanted
      ? { type: 'workspace.sync', for: { run: run.run }, selection, known: null }
      : { type: 'run.start', run: run.run }
    return { ...NOTHING, effects: [effect] }
  }
  if (step !== null && !step.settled) {
    const command: SessionCommand =
      phase === 'cancelling'
        ? { type: 'settleStep', run: run.run, step: step.step, reply: null, failure: LOST }
        : { type: 'retryStep', ...LOST }
    return { ...NOTHING, commands: [command] }
  }
  const open = batch === null ? [] : batch.calls.filter(({ settled }) => settled === null)
  if (batch === null || open.length === 0) return { ...NOTHING, effects: goOn(run) }
  const { epoch } = state
  const again = open.filter(call => phase !== 'cancelling' && (!call.started || isRepeatable(call.name)))
  return {
    commands: [],
    effects: again.map(call => ({
      type: 'tool.call',
      run: run.run,
      batch: batch.batch,
      call,
      again: call.started,
      epoch,
      stepEpoch: batch.stepEpoch,
    })),
    interrupted: open.filter(call => !again.includes(call)),
  }
}
