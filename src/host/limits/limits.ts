// Folder: Limits of connections, sizes, rates and memory.
// What one caller may take of the host: sizes, times and numbers, all in one place. Knows nothing of what is asked.
import type { Server } from 'node:http'
import type { FastifyHttpOptions } from 'fastify'

export interface HostLimits {
  readonly bodyBytes: number
  readonly headerBytes: number
  readonly connections: number
  /** For all headers to arrive. */
  readonly headersMs: number
  /** For the whole request to arrive. */
  readonly requestMs: number
  /** For the next request on a connection that is open. */
  readonly keepAliveMs: number
  /** For a peer to read something of an answer that waits for it. */
  readonly unreadMs: number
  /** Of one key; 0 for no limit. */
  readonly requestsPerMinute: number
  /** Failed authentications from one address; 0 for no limit. */
  readonly failuresPerMinute: number
  /** Event streams open at a time. */
  readonly streams: number
  readonly streamsPerTenant: number
  /** Open runs of one tenant, those included that wait for a person. */
  readonly runsPerTenant: number
  /** Long questions of one tenant (diff, replay, blame, prefix, regression, export) that may wait for their turn. */
  readonly questionsPerTenant: number
  /** How often a stream without news says that it lives, and whether its reader may still read is looked up. */
  readonly streamKeepAliveMs: number
  /** How often what was refused is written to the record. */
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

/** Names of streams may have 512 characters, and a slash is three when it is encoded. */
const MOST_PARAM_CHARACTERS = 2_048

export function serverOptions({ bodyBytes, headerBytes, headersMs, requestMs, keepAliveMs }: HostLimits) {
  return {
    bodyLimit: bodyBytes,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      // Of two that contradict each other neither is believed.
      joinDuplicateHeaders: true,
      // Whoever names no host is refused with all others who do not name ours, in the same envelope.
      requireHostHeader: false,
      maxHeaderSize: headerBytes,
      headersTimeout: Math.min(headersMs, requestMs),
      requestTimeout: requestMs,
      // Times are kept only as exactly as they are looked at.
      connectionsCheckingInterval: Math.ceil(Math.min(headersMs, requestMs) / 4),
    },
    routerOptions: { maxParamLength: MOST_PARAM_CHARACTERS },
  } satisfies FastifyHttpOptions<Server>
}
