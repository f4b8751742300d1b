// Folder: Serves HTTP: routes, and around them access, limits, operation, settings, requests and streams. It decides nothing and imports no adapter.
// Creates the HTTP server: routes on a store. The caller passes in everything it needs. It decides nothing about prompts.
import { randomUUID } from 'node:crypto'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Pause } from '../engine/reading/paced-store.ts'
import type { Verified } from '../engine/verify/verify.ts'
import type { Checker } from '../engine/workspaces/checks.ts'
import { Fault } from '../errors.ts'
import type { Clock, RoleFiles, Store } from '../ports.ts'
import { accessOf, type Embedded } from './access/access.ts'
import { auditOf } from './access/audit.ts'
import { createLogin, type Login } from './access/login.ts'
import { isStillVisible, membershipHook } from './access/membership.ts'
import { originChecker } from './access/same-origin.ts'
import { capabilityDocument, type HostConfig } from './config.ts'
import { describeApi } from './describe-api.ts'
import { sendError } from './errors.ts'
import type { HostedSessions } from './hosted-sessions.ts'
import { limitLateBody, limitUnread, silentConnections } from './limits/connections.ts'
import { garbageAnswerer } from './limits/garbage.ts'
import { type HostLimits, serverOptions } from './limits/limits.ts'
import { rateLimitsOf } from './limits/rate-limit.ts'
import { type LogOptions, loggerOf, responseLogger } from './operation/logs.ts'
import { createMetrics } from './operation/metrics.ts'
import type { Readiness } from './operation/readiness.ts'
import { STOPPING, storeReasons } from './operation/store-readiness.ts'
import { lazyValidators } from './requests/lazy-validators.ts'
import { readJsonBody } from './requests/read-json.ts'
import { definitionRoutes } from './routes/definitions.ts'
import { hostedRoutes } from './routes/hosted.ts'
import { metricsRoute } from './routes/metrics.ts'
import { labelRoutes } from './routes/prompts/labels.ts'
import { packRoutes } from './routes/prompts/packs.ts'
import { promptRoutes } from './routes/prompts/prompts.ts'
import { renderRoutes } from './routes/prompts/render.ts'
import { resolveRoutes } from './routes/prompts/resolve.ts'
import { promptVersionRoutes } from './routes/prompts/versions.ts'
import { longQuestions } from './routes/questions/long-questions.ts'
import { promptDiffRoutes } from './routes/questions/prompts-diff.ts'
import { verifyRoutes } from './routes/questions/verify.ts'
import { roleRoutes } from './routes/roles.ts'
import { seamRoutes } from './routes/seams.ts'
import { openRoutes, signInRoutes } from './routes/sign-in.ts'
import { streamRoutes } from './routes/streams.ts'
import { workspaceRoutes } from './routes/workspaces/workspaces.ts'
import { eventStreams } from './streams/event-stream.ts'

export interface HostParts {
  readonly store: Store
  readonly clock: Clock
  readonly config: HostConfig
  /** Reasons why the host is not ready. Default: only the state of the store. */
  readonly readiness?: Readiness
  /** Without it, session routes answer 501. */
  readonly sessions?: HostedSessions
  /** The repo's own roles. Default: the shipped ones. */
  readonly roles?: RoleFiles | null
  /** Lints and tests versions of workspaces. Without it, a request for a check answers 501. */
  readonly checker?: Checker
  /** Verifies a tenant's part of the record. Without it, a request for it answers 501. */
  readonly verify?: (tenant: string, pause: Pause) => Promise<Verified>
  /** Whether to add the routes that OpenWOP's conformance suite calls directly. */
  readonly testSeams?: boolean
  /** Workflow fixtures of that suite, where they are published. */
  readonly fixtures?: readonly string[]
  /** Further names of this host, with port, beside those of this machine. */
  readonly hosts?: readonly string[]
  /** The public URL, where it differs from the name that callers send. */
  readonly publicUrl?: string | null
  /** These override the limits of the configuration. */
  readonly limits?: Partial<HostLimits>
  readonly logs?: LogOptions
  /** The program that embeds the host. */
  readonly embedded?: Embedded
  /** Passed in by a caller that creates login links without a request. */
  readonly login?: Login
  /** Shown on the root page. */
  readonly version?: string
}

const API_VERSION = '1'
/** Refusals of a valid key: its holder tries something that is not allowed. */
const AUDITED: readonly string[] = ['forbidden', 'workspace_membership_required', 'workspace_not_allowed']

export function createHost(parts: HostParts): FastifyInstance {
  const { store, clock, config, logs = {}, login = createLogin(clock), version = '' } = parts
  const limits = { ...config.limits, ...parts.limits }
  const app: FastifyInstance = Fastify({
    ...serverOptions(limits),
    ...loggerOf(logs),
    // Ajv converts, drops and fills in nothing: a request is valid or refused. Tests check the schemas themselves, once.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false, validateSchema: false } },
    // Answers are serialised as they are. The schemas describe them, and tests check them against the schemas.
    schemaController: {
      compilersFactory: { buildValidator: lazyValidators(), buildSerializer: () => () => answer => JSON.stringify(answer) },
    },
    genReqId: () => randomUUID(),
    // While the host stops, open connections get one more answer and are then closed.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => sendError(error, reply.header('x-request-id', request.id)),
    clientErrorHandler: garbageAnswerer(limits),
  })
  app.server.maxConnections = limits.connections
  // The host may ignore an unknown expectation. RFC 9110, section 10.1.1.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const endSilent = silentConnections(app.server)
  limitUnread(app.server, limits.unreadMs)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => readJsonBody(body))
  app.setErrorHandler((error, request, reply) => {
    const { principal } = request
    if (principal !== null && error instanceof Fault && AUDITED.includes(error.code)) audit.refused(principal.keyId, error.code)
    return sendError(error, reply)
  })
  const resources = new Set<string>()
  app.addHook('onRoute', ({ url }) => {
    const resource = /^\/v1\/([a-z-]+)/.exec(url)?.[1]
    if (resource !== undefined) resources.add(resource)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]!.slice(0, 200)
    // OpenWOP: a path without a version is malformed, not missing.
    const isUnversioned = resources.has(/^\/([a-z-]+)/.exec(path)?.[1] ?? '')
    const fault = isUnversioned
      ? new Fault('path_unversioned', { path, versioned: `/v1${path}` })
      : new Fault('route_missing', { method: request.method, path })
    return sendError(fault, reply)
  })
  app.decorate('publicUrl', parts.publicUrl ?? null)
  app.decorateRequest('principal', null)
  app.decorateRequest('hidden', null)
  app.decorateRequest('workspaceId', null)
  app.decorateReply('streamed', false)

  const metrics = createMetrics()
  const audit = auditOf(store, clock, limits.auditEveryMs, error => app.log.error({ err: error }, 'the audit stream was not written'))
  const checkOrigin = originChecker(parts.hosts ?? [])
  const logResponse = responseLogger(logs)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    checkOrigin(request)
    done()
  })
  // Answers to concurrent requests are sent together: a client that waits for several wakes up once, and waking is most of the cost of sending.
  app.addHook('onSend', (_request, _reply, payload, done) => setImmediate(done, null, payload))
  app.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime
    metrics.answered(request, reply, ms)
    logResponse(request, reply, ms)
    limitLateBody(request.raw)
    done()
  })
  app.addHook('preClose', async () => endSilent())
  app.addHook('onClose', () => audit.flush())

  app.get('/healthz', async () => ({ ok: true }))
  app.get('/.well-known/openwop', async (_request, reply) =>
    reply.header('cache-control', 'max-age=60').send(capabilityDocument(config, parts.fixtures, parts.sessions !== undefined)),
  )

  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })
  const storeReason = storeReasons(store)
  app.get('/readyz', async (_request, reply) => {
    const reasons = [...(stopping ? [STOPPING] : await storeReason()), ...(parts.readiness?.reasons() ?? [])]
    return reasons.length === 0 ? { ok: true } : reply.code(503).send({ ok: false, reasons })
  })

  app.register(async api => {
    await api.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'Onbook', version: API_VERSION, description: 'Prompts, and which of them applies.' },
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
        security: [{ key: [] }],
      },
    })
    const questions = longQuestions(store, limits.questionsPerTenant)
    const rates = rateLimitsOf(limits, metrics.limited)
    const access = accessOf({ store, clock, login, rates, audit, metrics, embedded: parts.embedded ?? null })
    const streams = eventStreams({
      limits,
      counted: metrics.streams,
      mayRead: async request => (await access.recognise(request)) !== null,
      isVisible: request => isStillVisible(store, request),
    })
    app.addHook('preClose', async () => streams.stop())

    const signIn = { store, clock, login, access, audit, version }
    openRoutes(api, signIn)
    let described: object | null = null
    api.get('/v1/openapi.json', { schema: { hide: true } }, async () => {
      described ??= describeApi(api.swagger())
      return described
    })
    api.register(async guarded => {
      guarded.addHook('onRequest', access.admit)
      guarded.addHook('preHandler', membershipHook(store))
      promptRoutes(guarded, parts)
      promptVersionRoutes(guarded, parts)
      packRoutes(guarded, parts)
      promptDiffRoutes(guarded, parts, questions)
      renderRoutes(guarded, parts)
      resolveRoutes(guarded, parts)
      labelRoutes(guarded, parts)
      roleRoutes(guarded, parts.roles ?? null)
      workspaceRoutes(guarded, parts, questions)
      definitionRoutes(guarded, store)
      hostedRoutes(guarded, parts, streams, questions)
      verifyRoutes(guarded, parts, questions)
      streamRoutes(guarded, store, streams)
      signInRoutes(guarded, signIn)
      metricsRoute(guarded, metrics)
      if (parts.testSeams) seamRoutes(guarded, parts)
    })
  })
  return app
}
