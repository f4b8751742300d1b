// /v1/sessions: made, listed, looked at, set. What they do is asked for elsewhere.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Json } from '../../core/digest/digest.ts'
import { sessionStream } from '../../core/session/events.ts'
import { maySee } from '../../engine/membership.ts'
import { checkWorkspace, configOf } from '../../engine/sessions/requests.ts'
import { listSessions, type SessionSummary } from '../../engine/sessions/sessions.ts'
import { existingSession, readTranscript, sessionView } from '../../engine/sessions/views.ts'
import { principalOf } from '../access.ts'
import type { EventStreams } from '../event-stream.ts'
import { answers, createdAnswers } from './answers.ts'
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
} from './session-schema.ts'
import { checkConfig, type SessionRouteParts, submitOnce, writerOf } from './session-writes.ts'
import { answerEvents, eventsAnswer, eventsQuery } from './streams.ts'

type Params = Static<typeof sessionParams>
const DEFAULT_LIMIT = 50

export function sessionRoutes(app: FastifyInstance, parts: SessionRouteParts, streams: EventStreams): void {
  const { store, sessions } = parts

  app.post<{ Body: Static<typeof createBody> }>(
    '/v1/sessions',
    { schema: { body: createBody, response: createdAnswers(createdAnswer, 'A session. It does nothing until it is asked to.') } },
    async (request, reply) => {
      const { session = `session-${randomUUID()}`, agentId = null, config: given = {} } = request.body
      const { principal, place } = writerOf(request, session)
      const config = await checkConfig(store, principal, configOf(given as Json))
      await checkWorkspace(store, place.tenant, config)
      const answer = () => ({
        status: 201,
        headers: { location: `/v1/sessions/${session}` },
        body: { session, config } as unknown as Json,
      })
      return submitOnce(parts, request, reply, { place, command: { type: 'create', session, agentId, config }, answer })
    },
  )

  app.get<{ Querystring: Static<typeof sessionsQuery> }>(
    '/v1/sessions',
    { schema: { querystring: sessionsQuery, response: answers(sessionsAnswer, 'Sessions by name, each with its newest run.') } },
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

  app.get<{ Params: Params }>(
    '/v1/sessions/:session',
    { schema: { params: sessionParams, response: answers(sessionAnswer, 'How it stands.') } },
    async request => {
      const { tenant } = principalOf(request, 'sessions:read')
      const { session } = request.params
      const view = await sessionView(store, tenant, await existingSession(store, tenant, session))
      const unready = view.run === null ? null : (sessions.waits?.of({ tenant, ...view.run }) ?? null)
      return unready === null ? view : { ...view, unready }
    },
  )

  app.put<{ Params: Params; Body: Static<typeof configBody> }>(
    '/v1/sessions/:session/config',
    {
      schema: {
        params: sessionParams,
        body: configBody,
        response: answers(createdAnswer, 'What runs to come are set to. What is left out is unset; a run under way keeps what it froze.'),
      },
    },
    async (request, reply) => {
      const { session } = request.params
      const { principal, place } = writerOf(request, session)
      const config = await checkConfig(store, principal, configOf(request.body as Json))
      await checkWorkspace(store, place.tenant, config)
      const answer = () => ({ status: 200, headers: {}, body: { session, config } as unknown as Json })
      return submitOnce(parts, request, reply, { place, command: { type: 'configure', config }, answer })
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof transcriptQuery> }>(
    '/v1/sessions/:session/transcript',
    {
      schema: {
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

  app.get<{ Params: Params; Querystring: Static<typeof eventsQuery> }>(
    '/v1/sessions/:session/events',
    {
      exposeHeadRoute: false,
      schema: {
        params: sessionParams,
        querystring: eventsQuery,
        response: answers(
          eventsAnswer,
          'Events as they were recorded. With Accept: text/event-stream, every new one as it comes, and between them, as `delta` and without an id, pieces of a reply on its way.',
        ),
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'sessions:read')
      const { session } = request.params
      const { state } = await existingSession(store, tenant, session)
      return answerEvents(
        {
          store,
          streams,
          tenant,
          stream: sessionStream(session),
          beside: ({ closed, mention }) => {
            if (state.open !== null)
              sessions.live.hear({ tenant, ...state.open }, closed, delta => mention('delta', JSON.stringify(delta)))
          },
        },
        request,
        reply,
      )
    },
  )
}
