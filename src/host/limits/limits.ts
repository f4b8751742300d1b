// Folder: Limits of connections, sizes, rates and memory.
// The limits of one caller: sizes, times and counts in one place. Knows nothing about the content of requests.
import type { Server } from 'node:http'
import type { FastifyHttpOptions } from 'fastify'

export interface HostLimits {
  readonly bodyBytes: number
  readonly headerBytes: number
  readonly connections: number
  /** Time for all headers to arrive. */
  readonly headersMs: number
  /** Time for the whole request to arrive. */
  readonly requestMs: number
  /** Time for the next request on an open connection. */
  readonly keepAliveMs: number
  /** Time in which a peer must read some of an answer that waits for it. */
  readonly unreadMs: number
  /** Requests of one key; 0 for no limit. */
  readonly requestsPerMinute: number
  /** Failed authentications from one address; 0 for no limit. */
  readonly failuresPerMinute: number
  /** Event streams open at a time. */
  readonly streams: number
  readonly streamsPerTenant: number
  /** Open runs of one tenant, including those that wait for a person. */
  readonly runsPerTenant: number
  /** Long questions of one tenant (diff, replay, blame, prefix, regression, export) that may wait in the queue. */
  readonly questionsPerTenant: number
  /** The interval of keep-alives on a quiet stream. Each time the host also checks whether the reader may still read. */
  readonly streamKeepAliveMs: number
  /** The interval at which refused requests are written to the record. */
  readonly auditEveryMs: number
}

export const DEFAULT_LIMITS: HostLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  connections: 10_000,
  headersMs: 10_000,
  requestMs: 120_000,
  keepAliveMs: 72_000,
  unreadMs: 60_000,
  requestsPerMinute: 300_000,
  failuresPerMinute: 60,
  streams: 1_000,
  streamsPerTenant: 100,
  runsPerTenant: 10_000,
  questionsPerTenant: 32,
  streamKeepAliveMs: 15_000,
  auditEveryMs: 60_000,
}

/** Stream names may have 512 characters, and an encoded slash has three. */
const MOST_PARAM_CHARACTERS = 2_048

export function serverOptions({ bodyBytes, headerBytes, headersMs, requestMs, keepAliveMs }: HostLimits) {
  return {
    bodyLimit: bodyBytes,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      // Duplicate headers are joined, so that two contradictory ones match neither value.
      joinDuplicateHeaders: true,
      // A request without a Host header is refused by our own check, with the usual envelope.
      requireHostHeader: false,
      maxHeaderSize: headerBytes,
      headersTimeout: Math.min(headersMs, requestMs),
      requestTimeout: requestMs,
      // Node checks the timeouts at this interval, so it limits their precision.
      connectionsCheckingInterval: Math.ceil(Math.min(headersMs, requestMs) / 4),
    },
    routerOptions: { maxParamLength: MOST_PARAM_CHARACTERS },
  } satisfies FastifyHttpOptions<Server>
}
