// Turns an error into a receipt. Decides whether a retry may help, and leaves the retry to the caller.
import type { Failed } from '../../core/messages/receipt.ts'
import { Fault, type FaultCode } from '../../errors.ts'

/**
 * Fields of AI SDK errors, and of errors that providers put into their streams. Read by shape: several versions of its classes may be
 * loaded.
 */
interface Thrown {
  readonly name?: unknown
  readonly message?: unknown
  readonly type?: unknown
  readonly code?: unknown
  readonly statusCode?: unknown
  readonly responseBody?: unknown
  readonly lastError?: unknown
  readonly isRetryable?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/**
 * @param now for providers that name a date to come back at
 * @param clean removes secrets from quoted text, before it is truncated: half a secret would not be recognized
 */
export function failureOf(error: unknown, signal: AbortSignal, now: () => number, clean = (text: string) => text): Failed {
  if (signal.aborted) return isTimeout(signal.reason) ? failed(new Fault('adapter_timeout', {})) : failed(new Fault('call_cancelled', {}))
  const fault = faultIn(error)
  if (fault !== null) return failed(fault)
  const thrown: Thrown = typeof error === 'object' && error !== null ? error : { message: error }
  const problem = sentence(thrown, clean) + hint(thrown)
  const code = codeOf(thrown)
  const wait = code === 'provider_retryable' ? retryAfter(thrown.responseHeaders ?? {}, now) : null
  return { ...failed(new Fault(code, { problem })), ...(wait === null ? {} : { retryAfterMs: wait }) }
}

const STATUS: Partial<Record<FaultCode, Failed['status']>> = { adapter_timeout: 'timeout', call_cancelled: 'cancelled' }

const failed = ({ code, message }: Fault): Failed => ({ status: STATUS[code] ?? 'error', code, message })

/** The SDK wraps what our own fetch throws. */
const faultIn = (error: unknown): Fault | null =>
  error instanceof Fault ? error : error instanceof Error && error.cause !== undefined ? faultIn(error.cause) : null

const isTimeout = (reason: unknown): boolean => (reason as Error | undefined)?.name === 'TimeoutError'

/** A provider's own error in the middle of a stream that a retry does not cure. */
const LASTING = /invalid|authentication|permission|not_found|billing|quota|too_large/

function codeOf(thrown: Thrown): 'provider_retryable' | 'provider_terminal' | 'adapter_error' {
  const { name, type, code, statusCode, isRetryable } = thrown
  if (isBroken(thrown) || isRetryable === true) return 'provider_retryable'
  // It answered well, and what it said cannot be understood.
  if (typeof statusCode === 'number' && statusCode < 300) return 'adapter_error'
  if (name === 'AI_APICallError') return 'provider_terminal'
  if (typeof name === 'string') return 'adapter_error'
  return LASTING.test(`${type} ${code}`) ? 'provider_terminal' : 'provider_retryable'
}

/** How the SDK's and undici's errors say that an answer broke off; there is no other sign. */
const BROKEN_OFF: readonly unknown[] = ['terminated', 'Response stream ended without a finish reason.']

const isBroken = ({ name, message, cause }: Thrown): boolean =>
  name === 'StreamCut' || BROKEN_OFF.includes(message) || (cause instanceof Error && isBroken(cause as Thrown))

/** These quote what they could not read, and with it maybe half a secret. */
const QUOTING: readonly unknown[] = ['AI_JSONParseError', 'AI_TypeValidationError']

const MOST_QUOTED = 1_000

/** On one line, without the stop that the message around it brings. */
function sentence(thrown: Thrown, clean: (text: string) => string): string {
  const { name, message, type } = thrown
  if (QUOTING.includes(name)) return 'what came is not what this provider is known to send'
  if (isBroken(thrown)) return 'its answer broke off before its end'
  const text = typeof message === 'string' && message !== '' ? message : typeof type === 'string' ? type : 'it did not say why'
  const line = clean(text).trim().replace(/\s+/g, ' ')
  return line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED)}…` : line.replace(/\.+$/, '')
}

const MOST_BODY = 300

/** For a person who tries a model: the sentence of the SDK, with the status and the beginning of the provider's own text. */
export function providerReason(error: unknown, clean = (text: string) => text): string {
  const { lastError = error } = error as Thrown
  const thrown = lastError as Thrown
  const { message, statusCode, responseBody } = thrown
  const body = typeof responseBody === 'string' ? clean(responseBody).trim().replace(/\s+/g, ' ') : ''
  const said = sentence(thrown, clean)
  const status = typeof statusCode === 'number' ? (statusCode < 300 ? ` (${statusCode})` : hint(thrown)) : ''
  const isNew = body !== '' && !body.includes(String(message)) && !said.includes(body)
  return `${said}${status}${isNew ? `; it answered: ${body.length > MOST_BODY ? `${body.slice(0, MOST_BODY)}…` : body}` : ''}`
}

const HINTS: Readonly<Record<number, string>> = {
  400: 'check the model and its parameters',
  401: 'check the key',
  403: 'check what the key may do',
  404: 'check the name of the model and the address',
  413: 'the prompt is too large for it',
  422: 'check the model and its parameters',
}

/** The status, with what to look at. */
function hint({ statusCode }: Thrown): string {
  if (typeof statusCode !== 'number' || statusCode < 300) return ''
  const what = statusCode < 400 ? 'it points elsewhere, which is not followed: check the address' : HINTS[statusCode]
  return what === undefined ? ` (${statusCode})` : ` (${statusCode}: ${what})`
}

/** Milliseconds, seconds, or a date; null for anything else. */
function retryAfter(headers: Readonly<Record<string, string>>, now: () => number): number | null {
  const { 'retry-after-ms': ms, 'retry-after': after } = headers
  const wait =
    ms !== undefined
      ? Number(ms)
      : after === undefined
        ? Number.NaN
        : /^\d+(\.\d+)?$/.test(after)
          ? Number(after) * 1000
          : Date.parse(after) - now()
  return Number.isFinite(wait) ? Math.max(0, Math.ceil(wait)) : null
}
