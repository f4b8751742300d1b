// Events as they happen: comes back after every break, where it was. Unknown types are events like any other.
import { backoffMs, mayRetry } from './backoff.ts'
import { clientError } from './client-error.ts'
import { eventParser, type ServerEvent } from './event-stream.ts'
import { limitTime, sleep } from './time-limit.ts'
import { type Transport, toClientError } from './transport.ts'

export interface EventOptions {
  /** The id of the last event that is already known. */
  readonly after?: string
  readonly signal?: AbortSignal
  /** When nothing at all comes for so long, the connection is taken for dead and made anew. */
  readonly idleMs?: number
}

const IDLE_MS = 60_000

/** What a host sends as the last id of a stream that is complete. */
const END_ID = /^\d+-end$/

/** Ends when the stream is complete, or the host answers 204. Throws when it refuses, when it stays away, and the caller's reason when aborted. */
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
