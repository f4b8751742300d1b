// Folder: Logs, metrics and readiness.
// Prometheus metrics of the host. Labels are our own names, never input of a caller.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { durationsOf } from './durations.ts'

export interface Metrics {
  /** Counts open streams, and does not time them: the duration of a stream says nothing about the host. */
  answered(request: FastifyRequest, reply: FastifyReply, ms: number): void
  streams(more: 1 | -1): void
  limited(scope: string): void
  failed(): void
  readonly contentType: string
  print(): Promise<string>
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = durationsOf('onbook_http_request_duration_seconds', 'How long requests took, by the pattern of their route.', SECONDS)
  const streams = new Gauge({ name: 'onbook_event_streams_open', help: 'Event streams that are open.', registers })
  const limited = new Counter({
    name: 'onbook_rate_limited_total',
    help: 'Requests refused because there were too many.',
    labelNames: ['scope'] as const,
    registers,
  })
  const failed = new Counter({
    name: 'onbook_authentication_failures_total',
    help: 'Requests with a key, token or cookie that did not open, or with none.',
    registers,
  })
  return {
    answered({ method, routeOptions: { url } }, { statusCode, streamed }, ms) {
      if (streamed) return
      requests.add(`method="${url === undefined ? 'any' : method}",route="${url ?? 'none'}",status="${statusCode}"`, ms / 1_000)
    },
    streams: more => streams.inc(more),
    limited: scope => limited.inc({ scope }),
    failed: () => failed.inc(),
    contentType: registry.contentType,
    print: async () => `${requests.print()}\n${await registry.metrics()}`,
  }
}
