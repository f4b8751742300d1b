// Folder: Server-sent events.
// Sends server-sent events at the reader's pace, until the reader disconnects, loses its access, or the host stops.
import { once, setMaxListeners } from 'node:events'
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLimited } from '../../engine/access/membership.ts'
import { Fault } from '../../errors.ts'
import type { HostLimits } from '../limits/limits.ts'

declare module 'fastify' {
  interface FastifyReply {
    streamed: boolean
  }
}

export interface EventStream {
  /** Aborts when the reader is gone. */
  readonly closed: AbortSignal
  /** Resolves when the reader has room for the next event. */
  send(id: number | string, type: string, data: string): Promise<void>
  /** An event without an id, so that a reader never resumes from it. It is dropped when the reader has no room. */
  mention(type: string, data: string): void
  /** Completes the stream. Sets the id that a reader resumes with, without an event, and the reconnection time. */
  finish(id: string, retryMs: number | null): void
}

export interface EventStreams {
  /** Stays open while `work` runs. Throws `streams_exhausted` before anything is sent. */
  open(request: FastifyRequest, reply: FastifyReply, work: (stream: EventStream) => Promise<void>): Promise<FastifyReply>
  /** Counts a waiting request as a stream, and ends its wait when the caller disconnects or the host stops. Throws `streams_exhausted`. */
  hold<T>(request: FastifyRequest, work: (closed: AbortSignal) => Promise<T>): Promise<T>
  /** Ends all streams at once. */
  stop(): void
}

export interface StreamParts {
  readonly limits: HostLimits
  readonly mayRead: (request: FastifyRequest) => Promise<boolean>
  /** Whether the key may still see the subject of the stream. */
  readonly isVisible: (request: FastifyRequest) => Promise<boolean>
  readonly counted: (more: 1 | -1) => void
}

/** The reconnection time for a reader that was cut off, in milliseconds. */
const RETRY_MS = 2_000
/** Keep-alive intervals without any progress of the reader. Then the stream ends; the reader can resume it. */
const MOST_STALLED = 4

export function eventStreams({ limits, mayRead, isVisible, counted }: StreamParts): EventStreams {
  const ending = new Set<() => void>()
  const byTenant = new Map<string, number>()
  let stopped = false

  const take = (tenant: string): void => {
    const open = byTenant.get(tenant) ?? 0
    if (ending.size >= limits.streams) throw exhausted('host', limits.streams)
    if (open >= limits.streamsPerTenant) throw exhausted('tenant', limits.streamsPerTenant)
    byTenant.set(tenant, open + 1)
    counted(1)
  }
  const giveBack = (tenant: string): void => {
    const open = byTenant.get(tenant)! - 1
    if (open === 0) byTenant.delete(tenant)
    else byTenant.set(tenant, open)
    counted(-1)
  }

  return {
    async open(request, reply, work) {
      const { tenant } = request.principal!
      const { raw } = reply
      const closing = new AbortController()
      // A reader of a run adds a listener for each of its nodes.
      setMaxListeners(0, closing.signal)
      let stalled = 0
      take(tenant)

      const end = (): void => {
        if (!ending.delete(end)) return
        clearInterval(timer)
        giveBack(tenant)
        closing.abort()
        // A reader that does not read would not read the end of the stream either.
        if (raw.writableNeedDrain) raw.destroy()
        else raw.end()
      }
      const look = async (): Promise<void> => {
        if (!(await mayRead(request)) || !(await isVisible(request))) end()
        else if (!raw.writableNeedDrain) stalled = raw.write(': still here\n\n') ? 0 : 1
        else if (++stalled >= MOST_STALLED) end()
      }
      const timer = setInterval(() => void look().catch(end), limits.streamKeepAliveMs)
      ending.add(end)
      raw.on('close', end).on('error', end)

      reply.streamed = true
      reply.hijack()
      raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), 'content-type': 'text/event-stream', ...NOT_KEPT })
      raw.write(`retry: ${RETRY_MS}\n\n`)
      if (stopped || raw.destroyed) end()
      try {
        await work({
          closed: closing.signal,
          async send(id, type, data) {
            if (isLimited(request.principal!) && !(await isVisible(request))) return end()
            if (closing.signal.aborted || raw.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`)) return
            await once(raw, 'drain', { signal: closing.signal }).catch(() => {})
            stalled = 0
          },
          mention(type, data) {
            if (!closing.signal.aborted && !raw.writableNeedDrain) raw.write(`event: ${type}\ndata: ${data}\n\n`)
          },
          finish(id, retryMs) {
            if (!closing.signal.aborted) raw.write(endOfStream(id, retryMs))
          },
        })
      } finally {
        end()
      }
      return reply
    },
    async hold(request, work) {
      const { tenant } = request.principal!
      const closing = new AbortController()
      const end = (): void => closing.abort()
      take(tenant)
      ending.add(end)
      request.raw.socket.once('close', end)
      if (stopped) end()
      try {
        return await work(closing.signal)
      } finally {
        request.raw.socket.off('close', end)
        ending.delete(end)
        giveBack(tenant)
      }
    },
    stop() {
      stopped = true
      for (const end of [...ending]) end()
    },
  }
}

export const endOfStream = (id: string, retryMs: number | null): string => `id: ${id}\n${retryMs === null ? '' : `retry: ${retryMs}\n`}\n`

/** Caches must not store a stream, proxies must not buffer it, and the connection is not reused afterwards. */
const NOT_KEPT = { 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' }

const exhausted = (scope: 'host' | 'tenant', limit: number) => new Fault('streams_exhausted', { scope, limit, retryAfterMs: RETRY_MS })
