// fetch() to a host in this process: the request goes to its routes directly, without a socket.
import { randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { ClientOptions } from '../client/index.ts'
import { SCOPES } from '../core/access/keys.ts'
import type { HostParts } from '../host/app.ts'

/** The name that requests in this process use for their host. No socket answers to it. */
const EMBEDDED_NAME = 'onbook.embedded'

/** Statuses whose answers have no body. */
const EMPTY: readonly number[] = [204, 205, 304]

export interface EmbeddedAccess {
  /** For the host: the key of this process, with all scopes. */
  readonly host: Required<Pick<HostParts, 'embedded' | 'hosts'>>
  client(app: FastifyInstance): ClientOptions & { readonly fetch: typeof globalThis.fetch }
}

export function embeddedAccess(actor: string, tenant: string, commit: string | null = null): EmbeddedAccess {
  const key = `embedded_${randomBytes(32).toString('base64url')}`
  const principal = {
    keyId: `embedded-${randomUUID()}`,
    actor,
    tenant,
    scopes: SCOPES,
    workspaces: ['*'],
    isOperator: true,
    commit,
  } as const
  return {
    host: { embedded: { key, principal }, hosts: [EMBEDDED_NAME] },
    // No request gets lost on the way, so that none is sent again.
    client: app => ({ url: `http://${EMBEDDED_NAME}`, key, fetch: inProcessFetch(app), retries: 0 }),
  }
}

const inProcessFetch =
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
