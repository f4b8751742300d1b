// When to try again. Says how long to wait; waits for nothing.
import { type ClientError, isUnreachable } from './client-error.ts'

const FIRST_MS = 100
const MOST_MS = 5_000

/** Network errors, and a host that says it has no time. Whatever else it says, it will say again. */
export const mayRetry = (error: ClientError): boolean =>
  error.status === null ? isUnreachable(error) && error.code !== 'host_unset' : error.status === 429 || error.status === 503

/** Doubled each time, with chance, so that callers who failed together do not come back together. Never less than the host asks for. */
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
