// Signals and waiting. Every timer and listener that is made here is taken away again.
import { clientError } from './client-error.ts'

export interface Limited {
  readonly signal: AbortSignal
  /** Starts counting anew. */
  restart(): void
  /** Must be called: until then the caller's signal holds on to this. */
  done(): void
}

/** A signal that follows the caller's and aborts when the time is over. */
export function limitTime(ms: number, outer?: AbortSignal): Limited {
  const controller = new AbortController()
  const follow = (): void => controller.abort(outer?.reason)
  const expire = (): void => controller.abort(clientError('time_limit_reached', `No answer within ${ms} ms.`))
  if (outer?.aborted) follow()
  outer?.addEventListener('abort', follow, { once: true })
  let timer = start()
  function start(): ReturnType<typeof setTimeout> | undefined {
    return ms > MOST_TIMER_MS ? undefined : setTimeout(expire, ms)
  }
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer)
      timer = start()
    },
    done() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', follow)
    },
  }
}

/** What is longer fires at once; nobody waits 24 days, so it is no limit at all. */
const MOST_TIMER_MS = 2 ** 31 - 1

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
