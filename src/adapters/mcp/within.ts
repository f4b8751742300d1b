// Limits the time of some work. The work itself goes on after the limit: the caller ends it.
import { Fault } from '../../errors.ts'

export interface Limit {
  readonly server: string
  /** Null where the work itself has a limit. */
  readonly ms: number | null
  /** Aborted when no caller waits any longer. Its reason is an error that says why. */
  readonly stop: AbortSignal
}

export function within<T>({ server, ms, stop }: Limit, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = (): void =>
      reject(new Fault('tool_server_failed', { server, problem: `is no longer asked: ${(stop.reason as Error).message}` }))
    const timer = ms === null ? undefined : setTimeout(() => reject(new Fault('tool_server_timeout', { server, ms })), ms)
    if (stop.aborted) stopped()
    stop.addEventListener('abort', stopped)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      stop.removeEventListener('abort', stopped)
    })
  })
}
