// Questions about a whole run, which take a while: of runs up to a length, one after the other for each tenant, and everybody else in between.
import { setImmediate as others } from 'node:timers/promises'
import { runStream } from '../../core/run/events.ts'
import { inTurn } from '../../engine/in-turn.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** Of the run itself: some seconds of work. Whoever has the file of a longer one asks that. */
const MOST_EVENTS = 20_000

type Ask<T> = (pause: () => Promise<void>) => Promise<T>

export function longQuestions(store: Store): <T>(tenant: string, runId: string, ask: Ask<T>) => Promise<T> {
  const turns = inTurn()
  return async (tenant, runId, ask) => {
    const { seq } = await store.head(tenant, runStream(runId))
    if (seq >= MOST_EVENTS) throw new Fault('run_too_long', { runId, events: seq + 1, most: MOST_EVENTS })
    return turns(tenant, () => ask(() => others()))
  }
}
