// /v1/sessions/{session}/events: the recorded events of a session, or all its events in AgentOS's names, which can also be posted.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import { sessionStream } from '../../../core/session/events.ts'
import { askSync } from '../../../engine/sessions/outcomes.ts'
import { configOf, refusalFault } from '../../../engine/sessions/requests.ts'
import { existingSession } from '../../../engine/sessions/views.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { withUnnamed } from '../../../wire/aos/config.ts'
import { type AosCommand, type AosRequest, fromAosEvent } from '../../../wire/aos/from-event.ts'
import { aosAcceptedAnswer, aosEventBody, aosEventsAnswer, dialectQuery, sessionEventsQuery } from '../../../wire/onbook/aos-schema.ts'
import { sessionParams } from '../../../wire/onbook/sessions.ts'
import { principalOf } from '../../access/access.ts'
import { dialectOf } from '../../requests/dialect.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'
import { aosEvents, checkCursor, sessionEpoch } from '../../streams/aos-events.ts'
import type { EventStreams } from '../../streams/event-stream.ts'
import { answers } from '../answers.ts'
import { answerEvents, eventsAnswer } from '../streams.ts'
import { type Asking, askCommand, askRun, ok } from './asks.ts'
import { checkNamed, type SessionRouteParts, writerOf } from './writes.ts'

type Params = Static<typeof sessionParams>
const DEFAULT_LIMIT = 100

export function sessionEventRoutes(app: FastifyInstance, parts: SessionRouteParts, streams: EventStreams): void {
  const { store, sessions } = parts

  app.get<{ Params: Params; Querystring: Static<typeof sessionEventsQuery> }>(
    '/v1/sessions/:session/events',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'listSessionEvents',
        params: sessionParams,
        querystring: sessionEventsQuery,
        response: answers(
          Type.Union([eventsAnswer, aosEventsAnswer]),
          'Events as they were recorded: config, adoption, runs and messages. Steps and calls are events of the run that `run.attached` names. With Accept: text/event-stream, every new one as it comes, and between them, as `delta` and without an id, pieces of a reply on its way. With `dialect=aos`, the events of the session and of the runs that worked in it, in one order and in AgentOS’s names; ids and `after` are cursors.',
        ),
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'sessions:read')
      const { session } = request.params
      await existingSession(store, tenant, session)
      if (dialectOf(request.query.dialect) === 'aos') return answerAosEvents(store, streams, { tenant, session }, request, reply)
      const beside: Parameters<typeof answerEvents>[0]['beside'] = ({ closed, mention }) =>
        sessions.live.hear({ tenant, session }, closed, delta => mention('delta', JSON.stringify(delta)))
      return answerEvents({ store, streams, tenant, stream: sessionStream(session), beside }, request, reply)
    },
  )

  app.post<{ Params: Params; Querystring: Static<typeof dialectQuery>; Body: Static<typeof aosEventBody> }>(
    '/v1/sessions/:session/events',
    {
      schema: {
        operationId: 'sendSessionEvent',
        params: sessionParams,
        querystring: dialectQuery,
        body: aosEventBody,
        response: answers(
          aosAcceptedAnswer,
          'An event of AgentOS that asks for something: a sync, an apply, a run, a command. It is on record. Needs `dialect=aos`.',
        ),
      },
    },
    async (request, reply) => {
      const { session } = request.params
      const asking = { ...parts, ...writerOf(request, session), request, reply }
      if (dialectOf(request.query.dialect) !== 'aos')
        throw new Fault('validation_error', { problem: 'Events can be sent in the dialect aos alone: add ?dialect=aos' })
      const asked = fromAosEvent(request.body as Json, session)
      if (typeof asked === 'string') throw new Fault('validation_error', { problem: `${asked[0]!.toUpperCase()}${asked.slice(1)}` })
      const accepted = String((request.body.event as { readonly $tag?: unknown }).$tag)
      return perform(asking, asked, run => ok({ accepted, run_id: run === null ? null : { session_id: session, run_seq: run } }))
    },
  )
}

interface SessionOf {
  readonly tenant: string
  readonly session: string
}

/** A page, or with Accept: text/event-stream all further events. */
async function answerAosEvents(
  store: Store,
  streams: EventStreams,
  of: SessionOf,
  request: FastifyRequest<{ Querystring: Static<typeof sessionEventsQuery> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { 'last-event-id': resumed, accept } = request.headers
  const after = typeof resumed === 'string' ? resumed : request.query.after
  await checkCursor(store, { ...of, after })
  if (accept?.includes('text/event-stream'))
    return streams.open(request, reply, async reader => {
      for await (const { cursor, event } of aosEvents(store, { ...of, after, signal: reader.closed }))
        await reader.send(cursor, event.event.$tag, JSON.stringify(event))
    })
  const most = Number(request.query.limit ?? DEFAULT_LIMIT)
  const events: object[] = []
  let cursor = after ?? '-1'
  for await (const item of aosEvents(store, { ...of, after })) {
    if (events.length === most) return reply.send({ events, next: cursor, cursor })
    events.push(item.event)
    cursor = item.cursor
  }
  return reply.send({ events, next: null, cursor })
}

async function perform(asking: Asking, asked: AosRequest, answerOf: (run: number | null) => Answer): Promise<FastifyReply> {
  const { store, sessions, principal, place, request, reply } = asking
  const { state } = await existingSession(store, place.tenant, place.session)
  const answer = answerOf(state.open?.run ?? null)
  switch (asked.type) {
    case 'sync': {
      const { type: _, ...sync } = asked
      checkNamed(principal, sync.selection.workspace.name)
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const { replayed } = await askSync(store, sessions.work, place, sync, () => keep(answer))
        return { answer, replayed }
      })
    }
    case 'apply':
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const command = { type: 'requestApply', when: asked.when } as const
        const done = await sessions.work.submit(place, command, { idempotency: () => keep(answer) })
        if (done.refusal !== null) throw refusalFault(done.refusal)
        return { answer, replayed: done.replayed !== null }
      })
    case 'run': {
      const overrides = asked.overrides === null ? null : configOf(withUnnamed(asked.overrides, state.config) as unknown as Json)
      const run = { input: asked.input === null ? undefined : { digest: asked.input }, overrides, interactive: false }
      return askRun(asking, run, answerOf)
    }
    case 'command': {
      await checkEpoch(store, place, asked.command)
      const { kind, id, text, reason, run } = asked.command
      const given = { kind, run, ...(id === null ? {} : { id }), ...(reason === undefined ? {} : { reason }) }
      return askCommand(asking, text === undefined ? given : { ...given, message: text }, () => answer)
    }
  }
}

/** AgentOS silently drops a command that expects another epoch. We refuse it, so that the sender knows. */
async function checkEpoch(store: Store, { tenant, session }: SessionOf, { epoch }: AosCommand): Promise<void> {
  if (epoch === null) return
  const present = await sessionEpoch(store, tenant, session)
  if (present !== epoch) throw refusalFault({ code: 'command_stale', message: `the session is in epoch ${present}, not ${epoch}` })
}
