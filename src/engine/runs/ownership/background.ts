// Runs background work on runs: tracks it until it ends, and handles defects and disk trouble.
import type { Failure } from '../../../core/session/events.ts'
import { Fault } from '../../../errors.ts'
import type { TurnParts } from '../../turns/performing.ts'
import { retry, retryWait } from '../../work/retry.ts'
import { isStoreTrouble } from '../../work/store-trouble.ts'
import { isLost } from './lost.ts'

export interface Background {
  readonly signal: AbortSignal
  begin(tenant: string, runId: string, work: () => Promise<void>): void
  /** Goes on with the run after a wait, and after a longer one each time that it meets the same trouble. */
  later(tenant: string, runId: string): Promise<void>
  /** The trouble is over. */
  wrote(tenant: string, runId: string): void
  isBusy(tenant: string, runId: string): boolean
  settled(tenant: string, runId: string): Promise<unknown>
  stop(): void
  close(): Promise<unknown>
}

export interface Ways {
  goOn(tenant: string, runId: string): Promise<void>
  fail(tenant: string, runId: string, failure: Failure): Promise<unknown>
  /** Another process has the run. */
  lost(tenant: string, runId: string): void
}

export function background(parts: Pick<TurnParts, 'failed' | 'wait'>, { goOn, fail, lost }: Ways): Background {
  const tasks = new Map<string, Set<Promise<void>>>()
  const stopping = new AbortController()
  /** Runs whose work met trouble with the disk and waits; and how often it did since the last write. */
  const stalled = new Set<string>()
  const tries = new Map<string, number>()

  function begin(tenant: string, runId: string, work: () => Promise<void>): void {
    if (stopping.signal.aborted) return
    const key = keyOf(tenant, runId)
    const open = tasks.get(key) ?? new Set()
    tasks.set(key, open)
    const task = work()
      .catch(error => giveUp(error as Error, tenant, runId))
      .finally(() => {
        open.delete(task)
        if (open.size === 0) tasks.delete(key)
      })
    open.add(task)
  }

  /** A defect in this code: the run must not wait forever. A process that lost a run records nothing more about it. */
  async function giveUp(error: Error, tenant: string, runId: string): Promise<void> {
    if (isLost(error, runId)) return lost(tenant, runId)
    parts.failed(error, { tenant, runId })
    if (isStoreTrouble(error)) return later(tenant, runId)
    const failed = (again: Error): void => {
      if (!isLost(again, runId)) parts.failed(again, { tenant, runId })
    }
    await retry(parts, () => fail(tenant, runId, failureOf(error)), failed, stopping.signal)
  }

  async function later(tenant: string, runId: string): Promise<void> {
    const key = keyOf(tenant, runId)
    if (stalled.has(key)) return
    stalled.add(key)
    const tried = (tries.get(key) ?? 0) + 1
    tries.set(key, tried)
    await parts.wait(retryWait(tried), stopping.signal)
    stalled.delete(key)
    begin(tenant, runId, () => goOn(tenant, runId))
  }

  return {
    signal: stopping.signal,
    begin,
    later,
    wrote: (tenant, runId) => void tries.delete(keyOf(tenant, runId)),
    isBusy: (tenant, runId) => tasks.has(keyOf(tenant, runId)),
    settled: (tenant, runId) => Promise.allSettled([...(tasks.get(keyOf(tenant, runId)) ?? [])]),
    stop: () => stopping.abort(),
    close: () => Promise.allSettled([...tasks.values()].flatMap(open => [...open])),
  }
}

const keyOf = (tenant: string, runId: string): string => JSON.stringify([tenant, runId])

/** Only a fault has a message for people. */
export const failureOf = (error: Error): Failure =>
  error instanceof Fault
    ? { code: error.code, detail: error.message }
    : { code: 'internal_error', detail: 'something went wrong in the host' }
