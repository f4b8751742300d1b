// /v1/sessions: creates, lists, shows and configures sessions. sessions/work.ts has their runs and commands.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import type { SessionConfig } from '../../../core/session/config.ts'
import { sessionStream } from '../../../core/session/events.ts'
import { maySee } from '../../../engine/access/membership.ts'
import { checkWorkspace, configOf } from '../../../engine/sessions/requests.ts'
import { listSessions, type SessionSummary } from '../../../engine/sessions/sessions.ts'
import { existingSession, readTranscript, sessionView } from '../../../engine/sessions/views.ts'
import { withUnnamed } from '../../../wire/aos/config.ts'
import { toAosConfigAnswer, toAosState } from '../../../wire/aos/state.ts'
import { aosConfigAnswer, aosStateAnswer, dialectQuery } from '../../../wire/onbook/aos-schema.ts'
import {
  configBody,
  createBody,
  createdAnswer,
  sessionAnswer,
  sessionParams,
  sessionsAnswer,
  sessionsQuery,
  transcriptAnswer,
  transcriptQuery,
} from '../../../wire/onbook/sessions.ts'
import { principalOf } from '../../access/access.ts'
import { isAos, translateConfig, translateCreated } from '../../requests/dialect.ts'
import { answers, createdAnswers } from '../answers.ts'
import { checkConfig, type SessionRouteParts, submitOnce, writerOf } from './writes.ts'

type Params = Static<typeof sessionParams>
const configAnswer = Type.Union([createdAnswer, aosConfigAnswer])
const configBodyOf = (request: FastifyRequest, session: string, config: SessionConfig): Json =>
  (isAos(request) ? toAosConfigAnswer(session, config) : { session, config }) as unknown as Json
const DEFAULT_LIMIT = 50

export function sessionRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store, sessions } = parts

  app.post<{ Body: Static<typeof createBody>; Querystring: Static<typeof dialectQuery> }>(
    '/v1/sessions',
    {
      preValidation: translateCreated,
      schema: {
        operationId: 'createSession',
        querystring: dialectQuery,
        body: createBody,
        response: createdAnswers(configAnswer, 'A session. It does nothing until it is asked to.'),
      },
    },
    async (request, reply) => {
      const { session = `session-${randomUUID()}`, agentId = null, config: given = {} } = request.body
      const { principal, place } = writerOf(request, session)
      const config = await checkConfig(store, principal, configOf(given as Json))
      await checkWorkspace(store, place.tenant, config)
      const answer = () => ({
        status: 201,
        headers: { location: `/v1/sessions/${session}` },
        body: configBodyOf(request, session, config),
      })
      return submitOnce(parts, request, reply, { place, command: { type: 'create', session, agentId, config }, answer })
    },
  )

  app.get<{ Querystring: Static<typeof sessionsQuery> }>(
    '/v1/sessions',
    {
      schema: {
        operationId: 'listSessions',
        querystring: sessionsQuery,
        response: answers(sessionsAnswer, 'Sessions by name, each with its newest run.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'sessions:read')
      const { cursor, limit } = request.query
      const most = Number(limit ?? DEFAULT_LIMIT)
      const items: SessionSummary[] = []
      for await (const one of listSessions(store, principal.tenant, cursor)) {
        if (!(await maySee(store, principal, sessionStream(one.session)))) continue
        if (items.length === most) return { items, nextCursor: items.at(-1)!.session }
        items.push(one)
      }
      return { items }
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof dialectQuery> }>(
    '/v1/sessions/:session',
    {
      schema: {
        operationId: 'getSession',
        params: sessionParams,
        querystring: dialectQuery,
        response: answers(Type.Union([sessionAnswer, aosStateAnswer]), 'How it stands.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'sessions:read')
      const { session } = request.params
      const loaded = await existingSession(store, tenant, session)
      const view = await sessionView(store, tenant, loaded)
      if (isAos(request)) return toAosState(loaded.state, view.lifecycle, view.run)
      const unready = view.run === null ? null : (sessions.waits?.of({ tenant, ...view.run }) ?? null)
      return unready === null ? view : { ...view, unready }
    },
  )

  app.put<{ Params: Params; Body: Static<typeof configBody>; Querystring: Static<typeof dialectQuery> }>(
    '/v1/sessions/:session/config',
    {
      preValidation: translateConfig,
      schema: {
        operationId: 'configureSession',
        params: sessionParams,
        querystring: dialectQuery,
        body: configBody,
        response: answers(configAnswer, 'What runs to come are set to. What is left out is unset; a run under way keeps what it froze.'),
      },
    },
    async (request, reply) => {
      const { session } = request.params
      const { principal, place } = writerOf(request, session)
      const given = configOf(request.body as Json)
      const wanted = isAos(request) ? withUnnamed(given, (await existingSession(store, place.tenant, session)).state.config) : given
      const config = await checkConfig(store, principal, wanted)
      await checkWorkspace(store, place.tenant, config)
      const answer = () => ({ status: 200, headers: {}, body: configBodyOf(request, session, config) })
      return submitOnce(parts, request, reply, { place, command: { type: 'configure', config }, answer })
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof transcriptQuery> }>(
    '/v1/sessions/:session/transcript',
    {
      schema: {
        operationId: 'getTranscript',
        params: sessionParams,
        querystring: transcriptQuery,
        response: answers(transcriptAnswer, 'What was said, oldest first, in pages.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'sessions:read')
      const { session } = request.params
      const { from = '0', limit } = request.query
      const loaded = await existingSession(store, tenant, session)
      return { session, ...(await readTranscript(store, tenant, loaded, { from: Number(from), limit: Number(limit ?? DEFAULT_LIMIT) })) }
    },
  )
}
