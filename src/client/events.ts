// Follows an event stream of the host, and resumes it after every lost connection. Events of unknown types are passed on.
import { backoffMs, mayRetry } from './backoff.ts'
import { clientError } from './client-error.ts'
import { eventParser, type ServerEvent } from './event-stream.ts'
import { limitTime, sleep } from './time-limit.ts'
import { type Transport, toClientError } from './transport.ts'

export interface EventOptions {
  /** The id of the last event that the caller has. */
  readonly after?: string
  readonly signal?: AbortSignal
  /** A connection without any data for this long counts as dead, and is opened again. */
  readonly idleMs?: number
}

const IDLE_MS = 60_000

/** The last id of a complete stream. */
const END_ID = /^\d+-end$/

/**
 * Ends when the stream is complete, or the host answers 204. Throws when the host refuses or stays unreachable, and the caller's reason when aborted.
 */
export async function* readEvents(transport: Transport, path: string, options: EventOptions): AsyncGenerator<ServerEvent> {
  const { signal = new AbortController().signal, idleMs = IDLE_MS } = options
  let after = options.after ?? ''
  let retryMs: number | null = null
  for (let failures = 0; ; ) {
    signal.throwIfAborted()
    const limit = limitTime(idleMs, signal)
    const parser = eventParser(after)
    let wait = retryMs
    try {
      const headers = { accept: 'text/event-stream', ...(after === '' ? {} : { 'last-event-id': after }) }
      const response = await transport.open({ method: 'GET', path, headers }, limit.signal)
      if (response.status === 204) return
      if (!response.headers.get('content-type')?.startsWith('text/event-stream') || response.body === null)
        throw clientError('response_invalid', 'The host answered with something that is not an event stream.', { status: response.status })
      const reader = response.body.getReader()
      try {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          limit.restart()
          failures = 0
          for (const event of parser.push(value)) {
            after = event.id
            yield event
          }
          after = parser.lastId()
        }
        if (END_ID.test(after)) return
      } finally {
        await reader.cancel().catch(() => {})
      }
    } catch (thrown) {
      signal.throwIfAborted()
      const error = toClientError(limit.signal.aborted ? limit.signal.reason : thrown)
      if (!mayRetry(error) || failures >= transport.retries) throw error
      wait = Math.max(wait ?? 0, backoffMs(failures, error.retryAfterMs))
      failures += 1
    } finally {
      limit.done()
    }
    retryMs = parser.retryMs() ?? retryMs
    await sleep(wait ?? retryMs ?? backoffMs(0, null), signal)
  }
}
