// The host: routes on a store. It is handed everything it needs and decides nothing about prompts.
import type { Socket } from 'node:net'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import { Fault } from '../errors.ts'
import type { Clock, Store } from '../ports.ts'
import { accessOf } from './access.ts'
import { capabilityDocument, type HostConfig } from './config.ts'
import { sendError } from './errors.ts'
import { readJsonBody } from './read-json.ts'
import { labelRoutes } from './routes/labels.ts'
import { promptRoutes } from './routes/prompts.ts'
import { renderRoutes } from './routes/render.ts'
import { resolveRoutes } from './routes/resolve.ts'
import { seamRoutes } from './routes/seams.ts'
import { checkOrigin } from './same-origin.ts'

export interface HostParts {
  readonly store: Store
  readonly clock: Clock
  readonly config: HostConfig
  /** What OpenWOP's conformance suite asks directly. */
  readonly testSeams?: boolean
  /** Names with port, beside those of this machine, that the host is reached by. */
  readonly hosts?: readonly string[]
}

const API_VERSION = '1'
const BODY_LIMIT = 1024 * 1024
const REQUEST_TIMEOUT_MS = 30_000

export function createHost(parts: HostParts): FastifyInstance {
  const { store, clock, config } = parts
  const app = Fastify({
    logger: { level: 'error' },
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 256 },
    // Nothing is converted, dropped or filled in: what a caller sends is right or refused.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false } },
    genReqId: () => '',
    frameworkErrors: (error, _request, reply) => sendError(error, reply),
    clientErrorHandler: answerGarbage,
  })
  // An answer is sent as it was made; the schemas describe it, and tests hold it to them.
  app.setSerializerCompiler(() => answer => JSON.stringify(answer))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => readJsonBody(body))
  app.setErrorHandler((error, _request, reply) => sendError(error, reply))
  app.setNotFoundHandler((request, reply) =>
    sendError(new Fault('route_missing', { method: request.method, path: request.url.split('?')[0]!.slice(0, 200) }), reply),
  )
  app.decorateRequest('principal', null)

  app.addHook('onRequest', async request => checkOrigin(request, parts.hosts ?? []))

  app.get('/healthz', async () => ({ ok: true }))
  app.get('/.well-known/openwop', async (_request, reply) => reply.header('cache-control', 'max-age=60').send(capabilityDocument(config)))

  app.get('/readyz', async () => {
    await store.tenants()
    return { ok: true }
  })

  const access = accessOf(store, clock)
  app.register(async guarded => {
    await guarded.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'Onbook', version: API_VERSION, description: 'Prompts, and which of them applies.' },
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
        security: [{ key: [] }],
      },
    })
    guarded.addHook('onRequest', request => access.admit(request))
    guarded.get('/v1/openapi.json', { schema: { hide: true } }, async () => guarded.swagger())
    promptRoutes(guarded, parts)
    renderRoutes(guarded, parts)
    resolveRoutes(guarded, parts)
    labelRoutes(guarded, parts)
    if (parts.testSeams) seamRoutes(guarded, parts)
  })
  return app
}

/** What is not HTTP, or too much of it, is answered before there is a request. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] = error.code === 'HPE_HEADER_OVERFLOW' ? [431, 'its headers are too large'] : [400, 'it is not HTTP']
  const body = JSON.stringify(new Fault('validation_error', { problem: `The request was not understood: ${reason}` }))
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
