// What a session still has to do when nobody is doing it: for whoever takes it up after its host is gone.
import type { SessionCommand } from './commands.ts'
import { goOn, knownTo, nextCall, type SessionEffect } from './plan.ts'
import { callInTurn, type OpenCall, type OpenRun, type SessionState } from './state.ts'

export interface Unfinished {
  readonly commands: readonly SessionCommand[]
  readonly effects: readonly SessionEffect[]
  /** Begun, and nobody knows how it ended: it is settled so, and never done again. What comes after it follows from that. */
  readonly interrupted: OpenCall | null
}

/** @param isRepeatable whether doing a tool's work twice is the same as doing it once */
export function unfinished(state: SessionState, isRepeatable: (tool: string) => boolean): Unfinished {
  const { run, workspace, followUps, ended, home } = state
  const sync: readonly SessionEffect[] =
    workspace.syncing === null
      ? []
      : [
          {
            type: 'workspace.sync',
            for: { sync: workspace.syncing.sync },
            selection: workspace.syncing.selection,
            known: knownTo(state, workspace.syncing.selection),
          },
        ]
  if (run !== null) return join(sync, ofRun(state, run, isRepeatable))
  const asked = ended === 'completed' && followUps.length > 0 && home === null
  return { commands: [], effects: asked ? [...sync, { type: 'run.request' }] : sync, interrupted: null }
}

const join = (sync: readonly SessionEffect[], { effects, ...rest }: Unfinished): Unfinished => ({ ...rest, effects: [...sync, ...effects] })

const NOTHING: Unfinished = { commands: [], effects: [], interrupted: null }
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
  const call = callInTurn(batch)
  if (call === null) return { ...NOTHING, effects: goOn(run) }
  // Nobody has begun it, or beginning it again is the same.
  if (!call.started || (phase !== 'cancelling' && isRepeatable(call.name)))
    return { ...NOTHING, effects: nextCall(state, run, call.started) }
  return { ...NOTHING, interrupted: call }
}
