// Every run of a store, walked again from its record, from its start and from somewhere in it. For suites that make runs of every kind: whatever
// they are about, their runs can be made again. Throws with what did not come out.
import { randomUUID } from 'node:crypto'
import { runStream } from '../../core/run/events.ts'
import { isEnded } from '../../core/run/state.ts'
import { createFork } from '../../engine/fork/create.ts'
import { playFork } from '../../engine/fork/play.ts'
import { replayRun } from '../../engine/replay/replay.ts'
import { loadRun } from '../../engine/runs/load.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

const RUN = runStream('')
const walked = new WeakSet<Store>()

export async function replayEvery(store: Store): Promise<void> {
  if (walked.has(store)) return
  walked.add(store)
  const wrong: string[] = []
  for (const tenant of await store.tenants()) {
    const names: string[] = []
    for await (const { stream } of store.streams(tenant)) if (stream.startsWith(RUN)) names.push(stream.slice(RUN.length))
    for (const runId of names) wrong.push(...(await replayOne(store, tenant, runId)))
  }
  if (wrong.length > 0) throw new Error(`not made again as they were:\n${wrong.join('\n')}`)
}

async function replayOne(store: Store, tenant: string, runId: string): Promise<readonly string[]> {
  const { state, seq } = await loadRun(store, tenant, runId)
  if (state.forkOf !== undefined || state.runId === '') return []
  const wrong: string[] = []
  for (const fromSeq of new Set([0, 1 + Math.floor(Math.random() * seq)])) {
    const forkId = `${runId}-${randomUUID()}`
    const where = `${runId} from ${fromSeq}`
    try {
      await createFork(store, tenant, { runId, forkId, mode: 'replay', fromSeq, actor: 'test' })
      const { run, divergences } = await playFork({ store, tenant, forkId })
      if (divergences.length > 0) wrong.push(`${where}: ${JSON.stringify(divergences[0])}`)
      if (isEnded(state) && run.state.phase !== state.phase) wrong.push(`${where}: ${run.state.phase}, not ${state.phase}`)
      const [was, is] = [await replayRun(store, tenant, runId), await replayRun(store, tenant, forkId)]
      if (was.identical && !is.identical) wrong.push(`${where}, its decisions: ${JSON.stringify(is.divergences[0])}`)
    } catch (error) {
      // A lasting session: said in the guide.
      if (!(error instanceof Fault && error.code === 'fork_refused')) throw error
    }
  }
  return wrong
}
