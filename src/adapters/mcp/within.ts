// Work that must be over in time, whatever it waits for. What it has begun goes on: whoever asks ends that.
import { Fault } from '../../errors.ts'

export interface Limit {
  readonly server: string
  readonly ms: number
  /** Nobody waits any longer. */
  readonly stop: AbortSignal
}

export function within<T>({ server, ms, stop }: Limit, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => reject(new Fault('tool_server_failed', { server, problem: 'is no longer asked: the host stops' }))
    const timer = setTimeout(() => reject(new Fault('tool_server_timeout', { server, ms })), ms)
    if (stop.aborted) stopped()
    stop.addEventListener('abort', stopped)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      stop.removeEventListener('abort', stopped)
    })
  })
}
