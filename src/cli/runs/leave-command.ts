// Something asked of a run that nobody advances: written down together with taking the run over, so that whoever was at it writes nothing more.
// Nothing is started here: the next one who takes the run up finds it as it was left.
import { decideRun, type RunCommand } from '../../core/run/decide.ts'
import { draftRun, type RunRuling } from '../../core/run/draft.ts'
import { isReplay } from '../../core/run/fork.ts'
import { isEnded } from '../../core/run/state.ts'
import { loadFrozen } from '../../engine/runs/start/frozen.ts'
import { type RunPlace, writeRun } from '../../engine/runs/write-run.ts'
import { refusalFault } from '../../engine/sessions/requests.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

export async function leaveCommand(
  store: Store,
  place: RunPlace,
  owner: string,
  command: RunCommand,
  objects: readonly Uint8Array[] = [],
): Promise<void> {
  await writeRun(store, place, async ({ state }) => {
    if (state.runId === '') throw noRun(place.runId)
    if (isReplay(state) && !isEnded(state)) throw new Fault('run_is_replay', { runId: place.runId })
    const { workflow } = await loadFrozen(store, place.tenant, state.frozen!)
    const claimed = decideRun(draftRun(state), workflow, { type: 'claim', owner })
    const ruling: RunRuling = 'events' in claimed ? decideRun(claimed, workflow, command) : claimed
    if (!('events' in ruling)) throw refusalFault(ruling)
    return { draft: ruling, objects, answer: null }
  })
}

export const noRun = (runId: string): Fault => new Fault('run_missing', { problem: `There is no run ${runId}; "onbook runs" lists them` })
