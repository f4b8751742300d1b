// Runs on a folder that no host runs on, as far as they are read and waited for: the same for runs of workflows and runs of sessions.

import type { OpenSessions } from '../../book/open-sessions.ts'
import { runStream } from '../../core/run/events.ts'
import { loadRun } from '../../engine/runs/load.ts'
import type { Store } from '../../ports.ts'
import type { ShownEvent } from '../sessions/desk.ts'
import type { WatchedRuns } from './desk.ts'
import { noRun } from './leave-command.ts'

export interface RecordedPlace {
  readonly store: Store
  readonly tenant: string
  sessions(): Promise<OpenSessions>
  /** Undefined while nothing is at work in this process. */
  opened(): Promise<OpenSessions> | undefined
}

export function recordedRuns({ store, tenant, sessions, opened }: RecordedPlace): WatchedRuns {
  return {
    async *events(runId, { after = -1, signal } = {}) {
      const stream = runStream(runId)
      if ((await store.head(tenant, stream)).seq < 0) throw noRun(runId)
      const all = signal === undefined ? store.read(tenant, stream, after) : store.follow(tenant, stream, after, signal)
      for await (const { event } of all) yield event as unknown as ShownEvent
    },
    object: digest => store.object(tenant, digest),
    hear(runId, nodeId, signal, listen) {
      void opened()?.then(({ live }) => live.hear({ tenant, runId, nodeId }, signal, ({ kind, text }) => kind === 'text' && listen(text)))
    },
    async settled(runId) {
      const stop = new AbortController()
      const quiet = (await sessions()).runs.quiet(tenant, runId)
      await Promise.race([quiet, takenOver(store, tenant, runId, stop.signal)]).finally(() => stop.abort())
    },
  }
}

/** A later claim of the run is by another process: work under way here is for nothing. */
async function takenOver(store: Store, tenant: string, runId: string, signal: AbortSignal): Promise<void> {
  const { seq } = await loadRun(store, tenant, runId)
  for await (const { event } of store.follow(tenant, runStream(runId), seq, signal)) if (event.type === 'run.claimed') return
}
