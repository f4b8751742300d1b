// Rate limits: counts requests of keys, and failures of addresses, per minute and in memory, for the 5,000 most recent names each.
import type { FastifyRequest } from 'fastify'
import { Fault } from '../../errors.ts'
import type { HostLimits } from './limits.ts'

export interface RateLimits {
  /** Counts a request with a valid key. Throws `rate_limited`. */
  countRequest(request: FastifyRequest): void
  /** Counts a request without a valid key. Throws `rate_limited`. */
  countFailure(request: FastifyRequest): void
}

const MINUTE_MS = 60_000
const MOST_NAMES = 5_000

export function rateLimitsOf({ requestsPerMinute, failuresPerMinute }: HostLimits, onLimited: (scope: string) => void): RateLimits {
  const counter = (scope: 'key' | 'address', limit: number, nameOf: (request: FastifyRequest) => string) => {
    if (limit === 0) return () => {}
    const count = minuteCounter(MOST_NAMES)
    return (request: FastifyRequest): void => {
      const { times, endsInMs } = count(nameOf(request), performance.now())
      if (times <= limit) return
      onLimited(scope)
      throw new Fault('rate_limited', { scope, limit, retryAfterMs: Math.ceil(endsInMs), retryAfterSeconds: Math.ceil(endsInMs / 1000) })
    }
  }
  return {
    countRequest: counter('key', requestsPerMinute, request => request.principal!.keyId),
    // A closed connection has no address.
    countFailure: counter('address', failuresPerMinute, request => networkOf(request.ip ?? '')),
  }
}

interface Counted {
  /** Including this one. */
  readonly times: number
  /** Milliseconds until the count restarts. */
  readonly endsInMs: number
}

/** The minute of a name begins with its first count. */
export function minuteCounter(mostNames: number): (name: string, now: number) => Counted {
  const counts = new Map<string, { readonly began: number; times: number }>()
  return (name, now) => {
    let count = counts.get(name)
    if (count === undefined || now - count.began >= MINUTE_MS) {
      // Deleted first, so that the map stays ordered by start time.
      counts.delete(name)
      if (counts.size >= mostNames) counts.delete(counts.keys().next().value!)
      count = { began: now, times: 0 }
      counts.set(name, count)
    }
    count.times++
    return { times: count.times, endsInMs: count.began + MINUTE_MS - now }
  }
}

const MAPPED = /^::ffff:(\d+(?:\.\d+){3})$/i
const GROUPS = 8

/** An IPv6 client usually owns a whole /64 network: all its addresses count as one. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = MAPPED.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [front = [], back = []] = address.split('::').map(part => part.split(':').filter(group => group !== ''))
  const zeros = Array<string>(GROUPS - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].slice(0, GROUPS / 2).join(':')
}
