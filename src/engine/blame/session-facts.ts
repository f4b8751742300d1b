// What a step's session was told to use, as it stood when the step was started. Reads its stream; the run's own does not say it.
import type { Digest } from '../../core/digest/digest.ts'
import { fromRecorded, sessionStream } from '../../core/session/events.ts'
import { reduce } from '../../core/session/reduce.ts'
import { emptySession } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import type { ToldStep } from './told-steps.ts'

/** The tools that the run of its session names itself; null where it names none. */
export async function ownTools(store: Store, tenant: string, { event }: ToldStep): Promise<readonly Digest[] | null> {
  let state = emptySession
  for await (const { event: recorded } of store.read(tenant, sessionStream(event.session), -1)) {
    const one = fromRecorded(recorded)
    const node = state.run?.node
    if (one.type === 'step.started' && one.requestHash === event.requestHash && node?.nodeId === event.nodeId)
      return state.run?.config.toolDigests ?? null
    state = reduce(state, one)
  }
  return null
}
