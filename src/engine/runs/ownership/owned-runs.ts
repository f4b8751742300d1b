// Writes to the runs that this process owns, one change at a time per run. Refuses to write to a run of another process.
import { isReplay } from '../../../core/run/fork.ts'
import { isEnded } from '../../../core/run/state.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { fairQueue } from '../../work/fair-queue.ts'
import { keyedMutex } from '../../work/mutex.ts'
import type { LoadedRun } from '../load.ts'
import type { LoadedFrozen } from '../start/frozen.ts'
import { worldOf } from '../start/world.ts'
import { type LoadSession, type RunChange, type RunPlace, type WrittenRun, writeRun } from '../write-run.ts'

/** Changes of runs that are worked out at a time: enough to share a sync to disk, few enough that another tenant's turn comes soon. */
const CHANGES_AT_ONCE = 32

/** @param claiming whether it is this very change that makes the run ours */
export type WriteOwned = <T>(
  place: RunPlace,
  decide: (run: LoadedRun, frozen: LoadedFrozen, load: LoadSession) => Promise<RunChange<T> | null>,
  claiming?: boolean,
) => Promise<WrittenRun<T> | null>

export function ownedRuns(store: Store, owner: string): WriteOwned {
  // Without the mutex, one of several concurrent writes succeeds and the others must decide again.
  const turns = keyedMutex()
  const lanes = fairQueue({ lanes: CHANGES_AT_ONCE })
  return (place, decide, claiming = false) => {
    const { tenant, runId } = place
    const write = () =>
      writeRun(store, place, async (run, load) => {
        const { state } = run
        if (state.runId === '') throw new Fault('run_missing', { problem: `There is no run ${runId}` })
        if (!isEnded(state) && isReplay(state)) throw new Fault('run_is_replay', { runId })
        if (!claiming && !isEnded(state) && state.owner !== owner) throw new Fault('run_not_owned', { runId })
        return decide(run, await worldOf(store, tenant, state), load)
      })
    return turns(JSON.stringify([tenant, runId]), () => lanes.run(tenant, write))
  }
}
