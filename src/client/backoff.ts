// Decides which failed requests may be retried, and how long to wait before each retry. Does not wait itself.
import { type ClientError, isUnreachable } from './client-error.ts'

const FIRST_MS = 100
const MOST_MS = 5_000

/** True for network errors and for a host that is overloaded. Any other answer would be the same after a retry. */
export const mayRetry = (error: ClientError): boolean =>
  error.status === null ? isUnreachable(error) && error.code !== 'host_unset' : error.status === 429 || error.status === 503

/** Exponential backoff with jitter, so that callers that failed together do not retry together. Never shorter than the host's Retry-After. */
export function backoffMs(attempt: number, retryAfterMs: number | null, chance = Math.random()): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** attempt)
  return Math.max(retryAfterMs ?? 0, most / 2 + (chance * most) / 2)
}

/** RFC 9110, 10.2.3: seconds or a date. Null for anything else. */
export function readRetryAfter(header: string | null, now = Date.now()): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
