// fetch() to a host in this process: the request goes to its routes directly, without a socket.
import { Readable } from 'node:stream'
import type { FastifyInstance, InjectOptions } from 'fastify'

/** The name that requests in this process use for their host. No socket answers to it. */
export const EMBEDDED_NAME = 'onbook.embedded'

/** Statuses whose answers have no body. */
const EMPTY: readonly number[] = [204, 205, 304]

export const inProcessFetch =
  (app: FastifyInstance): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const body = request.body === null ? {} : { payload: Buffer.from(await request.arrayBuffer()) }
    const answer = await app.inject({
      method: request.method as NonNullable<InjectOptions['method']>,
      url: `${pathname}${search}`,
      headers: { ...Object.fromEntries(request.headers), host: EMBEDDED_NAME },
      signal: request.signal,
      payloadAsStream: true,
      ...body,
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(answer.headers)) for (const one of [value].flat()) headers.append(name, String(one))
    const { statusCode: status } = answer
    return new Response(EMPTY.includes(status) ? null : (Readable.toWeb(answer.stream()) as ReadableStream), { status, headers })
  }
