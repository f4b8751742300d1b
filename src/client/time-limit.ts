// Abort signals with a time limit, and sleeping. Every timer and listener is removed again.
import { clientError } from './client-error.ts'

export interface Limited {
  readonly signal: AbortSignal
  /** Restarts the time limit. */
  restart(): void
  /** The caller must call this. Until then the outer signal keeps a listener. */
  done(): void
}

/** A signal that follows the caller's signal and aborts after the time limit. */
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

/** setTimeout fires at once for longer delays. A limit of more than 24 days is treated as no limit. */
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
