// Forks at a host: a replay is walked from the record; the owner of runs continues a branch. Both are recorded before the caller gets an answer.
import type { Digest } from '../../core/digest/digest.ts'
import type { KindRefs } from '../../core/resolve/layers.ts'
import { emitRun } from '../../core/run/draft.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { isReplay } from '../../core/run/fork.ts'
import { Fault } from '../../errors.ts'
import type { Commit, Store, Validator } from '../../ports.ts'
import { rotationsOf } from '../replay/replay.ts'
import { loadRun } from '../runs/load.ts'
import { openRuns } from '../runs/runs.ts'
import type { RunWork } from '../runs/work.ts'
import type { RunPlace } from '../runs/write-run.ts'
import type { TurnParts } from '../turns/performing.ts'
import { fairQueue } from '../work/fair-queue.ts'
import { createFork, type ForkRequest } from './create.ts'
import { type ForkOverlay, overlaid } from './overlay.ts'
import { giveUpFork, playFork } from './play.ts'

export interface ForkParts {
  readonly store: Store
  readonly validator: Validator
  readonly runs: Pick<RunWork, 'resume' | 'admit'>
  /** The host's current settings; versions that the source froze stay. */
  readonly hostDefaults: KindRefs
  readonly failed: TurnParts['failed']
}

export type AskedFork =
  | { readonly mode: 'replay'; readonly fromSeq: number }
  | { readonly mode: 'branch'; readonly fromSeq: number; readonly overlay?: ForkOverlay }

export interface ForkWork {
  /** @param place of the fork: resolves when it is on record, and goes on by itself */
  fork(
    place: RunPlace,
    runId: string,
    asked: AskedFork,
    keep?: () => Commit['idempotency'] | undefined,
  ): Promise<{ readonly replayed: boolean }>
  /** Continues walks that a stopped host left. */
  resume(): Promise<number>
  /** When no replay is under way here. */
  quiet(): Promise<void>
  close(): Promise<void>
}

/** Each holds the whole record of its source. */
const REPLAYS_AT_ONCE = 4
const WAITING_PER_TENANT = 200
const RETRY_MS = 1_000

export function forkWork({ store, validator, runs, hostDefaults, failed }: ForkParts): ForkWork {
  const stopping = new AbortController()
  const playing = new Set<Promise<void>>()
  const replays = fairQueue({
    lanes: REPLAYS_AT_ONCE,
    lanesPerTenant: 1,
    waitingPerTenant: WAITING_PER_TENANT,
    refusal: waiting => new Fault('forks_busy', { waiting, retryAfterMs: RETRY_MS }),
  })

  function play(tenant: string, forkId: string): void {
    const walk = async (): Promise<void> => {
      // Caches belong to a store object. A replay must read what the store holds now, so it gets one of its own.
      if (!stopping.signal.aborted) await playFork({ store: { ...store }, tenant, forkId, signal: stopping.signal })
    }
    const giveUp = async (error: unknown): Promise<void> => {
      // After an abort the next host continues the walk.
      if (!stopping.signal.aborted) await giveUpFork(store, tenant, forkId, error)
      failed(error as Error, { tenant, runId: forkId })
    }
    const task: Promise<void> = replays
      .run(tenant, () => walk().catch(giveUp))
      .catch(error => failed(error as Error, { tenant, runId: forkId }))
      .finally(() => playing.delete(task))
    playing.add(task)
  }
  const quiet = async (): Promise<void> => void (await Promise.allSettled([...playing]))

  return {
    async fork({ tenant, runId: forkId, actor }, runId, asked, keep) {
      const { mode, fromSeq } = asked
      // Before it is on record: a replay that is recorded is walked.
      if (mode === 'replay') replays.admit(tenant)
      else runs.admit(tenant)
      const overlay: ForkRequest['overlay'] = async draft =>
        asked.mode === 'replay'
          ? { draft: emitRun(draft, ...(await pinnedIn(store, tenant, draft.state.frozen, hostDefaults))), objects: [] }
          : overlaid(store, tenant, validator, asked.overlay ?? {}, draft)
      const idempotency = keep === undefined ? {} : { idempotency: keep }
      const { replayed } = await createFork(store, tenant, { runId, forkId, mode, fromSeq, actor, overlay, ...idempotency })
      if (replayed) return { replayed }
      if (mode === 'replay') play(tenant, forkId)
      else await runs.resume({ tenant, runId: forkId })
      return { replayed }
    },
    async resume() {
      let count = 0
      for (const tenant of await store.tenants())
        for (const runId of await openRuns(store, tenant)) {
          if (!isReplay((await loadRun(store, tenant, runId)).state)) continue
          play(tenant, runId)
          count += 1
        }
      return count
    },
    quiet,
    async close() {
      stopping.abort()
      await quiet()
    },
  }
}

/** A default that changed since is recorded, and does not reach the fork. */
export const pinnedIn = async (store: Store, tenant: string, frozen: Digest | null, now: KindRefs): Promise<readonly RunEvent[]> =>
  (await rotationsOf(store, tenant, frozen, now)).map(({ kind, expected, found }) => ({
    type: 'version.pinned',
    kind,
    pinned: expected,
    present: found,
  }))
