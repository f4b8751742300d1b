// How often somebody may ask. Counts for a minute at a time, in memory; of keys and of addresses, the five thousand that came last.
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../errors.ts'
import type { HostLimits } from './limits.ts'

export interface RateLimits {
  /** Of whoever has shown a key. Throws `rate_limited`. */
  countRequest(request: FastifyRequest): Promise<void>
  /** Of whoever has shown none that opens. Throws `rate_limited`. */
  countFailure(request: FastifyRequest): Promise<void>
}

const MINUTE_MS = 60_000

export async function rateLimitsOf(
  app: FastifyInstance,
  { requestsPerMinute, failuresPerMinute }: HostLimits,
  onLimited: (scope: string) => void,
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false })

  const counter = (scope: 'key' | 'address', max: number, nameOf?: (request: FastifyRequest) => string) => {
    if (max === 0) return async () => {}
    const count = app.createRateLimit({
      max,
      timeWindow: MINUTE_MS,
      ...(nameOf === undefined ? {} : { keyGenerator: nameOf }),
    })
    return async (request: FastifyRequest): Promise<void> => {
      const counted = await count(request)
      if (counted.isAllowed || !counted.isExceeded) return
      onLimited(scope)
      throw new Fault('rate_limited', { scope, limit: max, retryAfterMs: counted.ttl })
    }
  }
  return {
    countRequest: counter('key', requestsPerMinute, request => request.principal!.keyId),
    countFailure: counter('address', failuresPerMinute),
  }
}
