// Writing to the runs of this process, one change after the other for each. To a run that another process has claimed nothing is written.
import { isReplay } from '../../core/run/fork.ts'
import { isEnded } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { inTurn } from '../in-turn.ts'
import type { LoadedFrozen } from './frozen.ts'
import type { LoadedRun } from './load.ts'
import { worldOf } from './world.ts'
import { type LoadNode, type RunChange, type RunPlace, type WrittenRun, writeRun } from './write-run.ts'

/** @param claiming whether it is this very change that makes the run ours */
export type WriteOwned = <T>(
  place: RunPlace,
  decide: (run: LoadedRun, frozen: LoadedFrozen, load: LoadNode) => Promise<RunChange<T> | null>,
  claiming?: boolean,
) => Promise<WrittenRun<T> | null>

export function ownedRuns(store: Store, owner: string): WriteOwned {
  // Of many at once only one is not too late, and all others would have to decide again: in turn nobody has to.
  const turns = inTurn()
  return (place, decide, claiming = false) => {
    const { tenant, runId } = place
    return turns(JSON.stringify([tenant, runId]), () =>
      writeRun(store, place, async (run, load) => {
        const { state } = run
        if (state.runId === '') throw new Fault('run_missing', { problem: `There is no run ${runId}` })
        if (!isEnded(state) && isReplay(state)) throw new Fault('run_is_replay', { runId })
        if (!claiming && !isEnded(state) && state.owner !== owner) throw new Fault('run_not_owned', { runId })
        return decide(run, await worldOf(store, tenant, state), load)
      }),
    )
  }
}
