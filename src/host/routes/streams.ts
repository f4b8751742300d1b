// /v1/streams: recorded events as they were recorded, in pages or as a live stream.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { StreamHead } from '../../core/record/event.ts'
import { maySee } from '../../engine/access/membership.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { CLOSED, limit, nullable } from '../../wire/onbook/schema-parts.ts'
import { principalOf } from '../access/access.ts'
import { readStreamCursor, writeStreamCursor } from '../requests/cursor.ts'
import type { EventStream, EventStreams } from '../streams/event-stream.ts'
import { answers } from './answers.ts'

const listQuery = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 3_000 })), limit: Type.Optional(limit) }, CLOSED)
const params = Type.Object({ stream: Type.String({ minLength: 1, maxLength: 512 }) }, CLOSED)
export const eventsQuery = Type.Object(
  { after: Type.Optional(Type.String({ pattern: '^-1$|^[0-9]{1,15}$' })), limit: Type.Optional(limit) },
  CLOSED,
)
const DEFAULT_LIMIT = 100

const listAnswer = Type.Object(
  {
    items: Type.Array(Type.Object({ stream: Type.String(), seq: Type.Integer(), digest: nullable(Type.String()) }, CLOSED)),
    nextCursor: Type.Optional(Type.String()),
  },
  CLOSED,
)
export const eventsAnswer = Type.Object(
  { events: Type.Array(Type.Record(Type.String(), Type.Unknown())), next: nullable(Type.Integer()) },
  CLOSED,
)

export function streamRoutes(app: FastifyInstance, store: Store, streams: EventStreams): void {
  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/v1/streams',
    { schema: { operationId: 'listStreams', querystring: listQuery, response: answers(listAnswer, 'Streams by name, with their heads.') } },
    async request => {
      const principal = principalOf(request, 'record:read')
      const { tenant } = principal
      const { cursor, limit = DEFAULT_LIMIT } = request.query
      const after = cursor === undefined ? undefined : readStreamCursor(cursor)
      const items: Omit<StreamHead, 'tenant'>[] = []
      for await (const { stream, seq, digest } of store.streams(tenant, after)) {
        if (!(await maySee(store, principal, stream))) continue
        if (items.length >= Number(limit)) return { items, nextCursor: writeStreamCursor(items.at(-1)!.stream) }
        items.push({ stream, seq, digest })
      }
      return { items }
    },
  )

  app.get<{ Params: Static<typeof params>; Querystring: Static<typeof eventsQuery> }>(
    '/v1/streams/:stream/events',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'listStreamEvents',
        params,
        querystring: eventsQuery,
        response: answers(eventsAnswer, 'Events as they were recorded. With Accept: text/event-stream, and every new one as it comes.'),
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'record:read')
      const { stream } = request.params
      return answerEvents({ store, streams, tenant, stream }, request, reply)
    },
  )
}

interface EventSource {
  readonly store: Store
  readonly streams: EventStreams
  readonly tenant: string
  readonly stream: string
  /** Called when a reader follows the stream, to send live data beside the events. */
  readonly beside?: (reader: EventStream) => void
}

/** A page, or for a caller that accepts an event stream, all further events. */
export async function answerEvents(
  { store, streams, tenant, stream, beside }: EventSource,
  request: FastifyRequest<{ Querystring: Static<typeof eventsQuery> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { seq } = await store.head(tenant, stream)
  if (seq < 0) throw new Fault('stream_missing', { stream })
  const after = resumeAfter(request.headers['last-event-id'] ?? request.query.after, seq)
  if (!request.headers.accept?.includes('text/event-stream'))
    return sendPage(store, reply, { tenant, stream, after, most: Number(request.query.limit ?? DEFAULT_LIMIT) })
  return streams.open(request, reply, async reader => {
    beside?.(reader)
    for await (const { event, bytes } of store.follow(tenant, stream, after, reader.closed))
      await reader.send(event.seq, event.type, textOf(bytes))
  })
}

/** The sequence to resume after. A sequence beyond the end belongs to another record, and is refused. */
export function resumeAfter(given: FastifyRequest['headers'][string], last: number): number {
  if (given === undefined) return -1
  const after = typeof given === 'string' && /^(?:-1|\d{1,15})$/.test(given) ? Number(given) : Number.NaN
  if (!(after <= last))
    throw new Fault('validation_error', { problem: `events can be had after a sequence from -1 to ${last}, the last of this stream` })
  return after
}

/** The stored bytes are what was hashed: they are passed on, not serialised again. */
async function sendPage(
  store: Store,
  reply: FastifyReply,
  { tenant, stream, after, most }: { readonly tenant: string; readonly stream: string; readonly after: number; readonly most: number },
): Promise<FastifyReply> {
  const events: string[] = []
  let [last, next]: [number, number | null] = [after, null]
  for await (const { event, bytes } of store.read(tenant, stream, after)) {
    if (events.length >= most) {
      next = last
      break
    }
    events.push(textOf(bytes))
    last = event.seq
  }
  return reply.type('application/json; charset=utf-8').send(Buffer.from(`{"events":[${events.join(',')}],"next":${next}}`))
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
