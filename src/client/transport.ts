// Sends one request to the host and returns its answer, with key, time limit and retries. Knows nothing about prompts.
import { backoffMs, mayRetry, readRetryAfter } from './backoff.ts'
import { ClientError, clientError } from './client-error.ts'
import { limitTime, sleep } from './time-limit.ts'

export interface TransportOptions {
  /** The base URL of the host. Without it, every request fails with `host_unset`. */
  readonly url?: string
  /** `onbook_…`. Without it, only a browser's cookie authenticates the request. */
  readonly key?: string
  readonly fetch?: typeof globalThis.fetch
  /** The time limit of one call, with all its retries. */
  readonly timeoutMs?: number
  /** The number of retries of one call. */
  readonly retries?: number
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export interface Question extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: readonly (readonly [name: string, value: string | undefined])[]
  readonly headers?: Readonly<Record<string, string>>
  /** A Uint8Array is sent as bytes, anything else as JSON. */
  readonly body?: unknown
}

export interface Reply {
  readonly status: number
  readonly tag: string | null
  readonly body: unknown
}

export interface Transport {
  ask(question: Question): Promise<Reply>
  /** One attempt. The caller reads the body. Throws for every status but 2xx and 304. */
  open(question: Question, signal: AbortSignal): Promise<Response>
  readonly timeoutMs: number
  readonly retries: number
}

export function createTransport({ url, key, fetch: send = (...given) => fetch(...given), ...limits }: TransportOptions): Transport {
  const { timeoutMs = 30_000, retries = 3 } = limits

  async function open({ method, path, query = [], headers = {}, body }: Question, signal: AbortSignal): Promise<Response> {
    if (url === undefined) throw clientError('host_unset', 'This client has no host to ask.')
    const asked = new URLSearchParams(
      query
        .filter((pair): pair is readonly [string, string] => pair[1] !== undefined)
        .map(([name, value]): [string, string] => [name, value]),
    )
    const target = `${url.replace(/\/+$/, '')}${path}${asked.size === 0 ? '' : `?${asked}`}`
    const response = await send(target, {
      method,
      signal,
      ...NO_STORE,
      headers: {
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? new Blob([new Uint8Array(body)]) : JSON.stringify(body) }),
    })
    if (!response.ok && response.status !== 304) throw await toError(response)
    return response
  }

  async function attempt(question: Question, signal: AbortSignal): Promise<Reply> {
    const response = await open(question, signal)
    const text = await response.text()
    return { status: response.status, tag: response.headers.get('etag'), body: text === '' ? null : parse(text, response.status) }
  }

  async function ask(question: Question): Promise<Reply> {
    const ms = question.timeoutMs ?? timeoutMs
    const end = Date.now() + ms
    const { signal, done } = limitTime(ms, question.signal)
    try {
      for (let tried = 0; ; tried++) {
        try {
          return await attempt(question, signal)
        } catch (thrown) {
          if (signal.aborted) throw signal.reason
          const error = toClientError(thrown)
          const wait = backoffMs(tried, error.retryAfterMs)
          if (tried >= retries || !mayRetry(error) || Date.now() + wait > end) throw error
          await sleep(wait, signal)
        }
      }
    } finally {
      done()
    }
  }
  return { ask, open, timeoutMs, retries }
}

/** Only our callers decide how old an answer may be, so the cache of the browser must not answer. */
const NO_STORE: object = { cache: 'no-store' }

export const toClientError = (thrown: unknown): ClientError =>
  thrown instanceof ClientError
    ? thrown
    : clientError('host_unreachable', `The host did not answer: ${reasonOf(thrown)}`, { cause: thrown })

function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  return cause instanceof Error ? cause.message : String(cause)
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw clientError('response_invalid', 'The host answered with something that is not JSON.', { status, cause })
  }
}

async function toError(response: Response): Promise<ClientError> {
  const { status, headers } = response
  const retryAfterMs = readRetryAfter(headers.get('retry-after'))
  const text = await response.text()
  let body: { error?: unknown; message?: unknown; details?: unknown } | null = null
  try {
    body = JSON.parse(text)
  } catch {
    // The body is not JSON, for example the page of a proxy. The status is enough.
  }
  if (typeof body?.error !== 'string')
    return clientError('response_invalid', `The host answered ${status} without saying why.`, { status, retryAfterMs })
  const message = typeof body.message === 'string' ? body.message : body.error
  return new ClientError({ code: body.error, message, status, details: body.details ?? null, retryAfterMs })
}
