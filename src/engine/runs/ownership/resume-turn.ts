// Resumes the turns of a run whose host is gone: unsettled work is done again, or settled as interrupted.
import { isBusy, nodeOf, type RunState } from '../../../core/run/state.ts'
import { callInTurn } from '../../../core/turn/state.ts'
import { settleCall } from '../../turns/call-tool.ts'
import { INTERRUPTED } from '../../turns/done.ts'
import type { Performing } from '../../turns/performing.ts'
import { tellChange } from '../../turns/repo-look.ts'

const LOST = { code: 'interrupted', detail: 'the host stopped while the model was asked' }

/** Nodes that have work which another host may have begun. */
export const busyNodes = ({ nodes }: RunState): readonly string[] => Object.keys(nodes).filter(id => isBusy(nodes[id]!))

/** Before anything else is begun for the turn: otherwise that would be taken for work that was left behind. */
export async function resumeTurn(work: Performing): Promise<void> {
  const at = await work.now()
  if (at === null) return
  const { turn, state } = at
  const { step, phase } = turn
  if (step !== null && !step.settled) {
    if (phase !== 'cancelling') return void (await work.send({ type: 'retryStep', step: step.step, ...LOST }))
    const command = { type: 'settleStep', step: step.step, read: null, receipt: null, failure: LOST, tokens: null } as const
    return void (await tellChange(work, { by: 'model', call: null }, brought => work.send(command, brought)))
  }
  const call = callInTurn(turn)
  if (call === null || !call.started || isAwaited(state, work.place.nodeId, call.id)) return
  const isRepeatable = work.parts.bindings.get(call.name)?.repeatable === true
  if (phase === 'cancelling' || !isRepeatable) await settleCall(work, call, INTERRUPTED)
}

/** No process was at it: another node has yet to reply. */
const isAwaited = ({ awaited }: RunState, nodeId: string, call: string): boolean =>
  awaited.some(one => one.nodeId === nodeId && one.call === call)

export const visitOf = (state: RunState, nodeId: string): number => nodeOf(state, nodeId).visits
