// How often somebody may ask. Counts for a minute at a time, in memory; of keys and of addresses, the five thousand whose minute began last.
import type { FastifyRequest } from 'fastify'
import { Fault } from '../../errors.ts'
import type { HostLimits } from './limits.ts'

export interface RateLimits {
  /** Of whoever has shown a key. Throws `rate_limited`. */
  countRequest(request: FastifyRequest): void
  /** Of whoever has shown none that opens. Throws `rate_limited`. */
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
    // A connection that is gone by now has no address.
    countFailure: counter('address', failuresPerMinute, request => networkOf(request.ip ?? '')),
  }
}

interface Counted {
  /** With this one. */
  readonly times: number
  /** When counting begins anew. */
  readonly endsInMs: number
}

/** A name's minute begins when it is first counted. */
export function minuteCounter(mostNames: number): (name: string, now: number) => Counted {
  const counts = new Map<string, { readonly began: number; times: number }>()
  return (name, now) => {
    let count = counts.get(name)
    if (count === undefined || now - count.began >= MINUTE_MS) {
      // So that the order of the map is that of the beginnings.
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

/** Whoever has an address of IPv6 has the 2^64 beside it as well: they count as one. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = MAPPED.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [front = [], back = []] = address.split('::').map(part => part.split(':').filter(group => group !== ''))
  const zeros = Array<string>(GROUPS - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].slice(0, GROUPS / 2).join(':')
}
