// /v1/sessions/{session}/…: what is asked of a session. Each is decided by core, and a refusal keeps its code.
import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Json } from '../../core/digest/digest.ts'
import { grantOfSome } from '../../core/gate/grants.ts'
import { runIdOf } from '../../core/run/run-id.ts'
import { type AskedFor, applyOutcome, askSync, snapshotWarnings, syncOutcome } from '../../engine/sessions/outcomes.ts'
import { configOf, type GivenMessage, refusalFault, selectionFor } from '../../engine/sessions/requests.ts'
import { commandSession, provideInput } from '../../engine/sessions/command-session.ts'
import { existingSession } from '../../engine/sessions/views.ts'
import { allBindings } from '../../engine/tools/bound.ts'
import { answerDecided } from '../idempotent.ts'
import { answers, createdAnswers } from './answers.ts'
import {
  applyAnswer,
  applyBody,
  commandAnswer,
  commandBody,
  inputAnswer,
  inputBody,
  runBody,
  runRequestedAnswer,
  sessionParams,
  syncAnswer,
  syncBody,
} from './session-schema.ts'
import { checkConfig, checkNamed, givenMessage, type SessionRouteParts, writerOf } from './session-writes.ts'

type Params = Static<typeof sessionParams>
const ok = (body: object) => ({ status: 200, headers: {}, body: body as Json })

export function sessionWorkRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store, sessions } = parts

  app.post<{ Params: Params; Body: Static<typeof runBody> }>(
    '/v1/sessions/:session/runs',
    {
      schema: {
        params: sessionParams,
        body: runBody,
        response: createdAnswers(runRequestedAnswer, 'A run, on record. It goes on by itself.'),
      },
    },
    async (request, reply) => {
      const { session } = request.params
      const { principal, place } = writerOf(request, session)
      const { input, overrides, interactive = false } = request.body
      const config = overrides === undefined ? null : await checkConfig(store, principal, configOf(overrides as Json))
      const given = input === undefined ? null : await givenMessage(store, principal, input as GivenMessage)
      const runId = runIdOf(Date.now(), randomBytes(20))
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const answerOf = (run: number) => ({ status: 201, headers: {}, body: { session, run, runId } })
        const made = await sessions.runs.ask(
          { tenant: place.tenant, runId, actor: place.actor },
          {
            session,
            input: given?.digest ?? null,
            overrides: config,
            interactive,
            objects: given?.objects ?? [],
            idempotency: run => keep(answerOf(run)),
          },
        )
        const { state } = await existingSession(store, place.tenant, session)
        return { answer: answerOf(state.runs), replayed: made.replayed }
      })
    },
  )

  app.post<{ Params: Params; Body: Static<typeof commandBody> }>(
    '/v1/sessions/:session/commands',
    { schema: { params: sessionParams, body: commandBody, response: answers(commandAnswer, 'The command is on record.') } },
    async (request, reply) => {
      const { session } = request.params
      const { principal, place } = writerOf(request, session)
      const { id = randomUUID(), run = null, kind } = request.body
      const said = 'message' in request.body ? await givenMessage(store, principal, request.body.message as GivenMessage) : null
      const reason = 'reason' in request.body ? { reason: request.body.reason } : {}
      const answer = ok({ session, id, kind })
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const given = { id, run, kind, ...reason, ...(said === null ? {} : { message: said.digest, objects: said.objects }) }
        const done = await commandSession(sessions, store, place, given, () => keep(answer))
        return { answer, replayed: done.replayed }
      })
    },
  )

  app.post<{ Params: Params; Body: Static<typeof inputBody> }>(
    '/v1/sessions/:session/input',
    { schema: { params: sessionParams, body: inputBody, response: answers(inputAnswer, 'The run that waited goes on.') } },
    async (request, reply) => {
      const { session } = request.params
      const { principal, place } = writerOf(request, session)
      const { digest, objects } = await givenMessage(store, principal, request.body.message as GivenMessage)
      const { state } = await existingSession(store, place.tenant, session)
      const answer = ok({ session, run: state.runs })
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const done = await provideInput(sessions, store, place, { id: randomUUID(), message: digest, objects }, () => keep(answer))
        return { answer, replayed: done.replayed }
      })
    },
  )

  app.post<{ Params: Params; Body: Static<typeof syncBody> }>(
    '/v1/sessions/:session/sync',
    {
      schema: {
        params: sessionParams,
        body: syncBody,
        response: answers(syncAnswer, 'What came of it. A sync that failed is a result: nothing was replaced.'),
      },
    },
    async (request, reply) => {
      const { principal, place } = writerOf(request, request.params.session)
      const { knownVersion = null, ...asked } = request.body
      const { state } = await existingSession(store, place.tenant, place.session)
      const selection = selectionFor(state.config, asked)
      checkNamed(principal, selection.workspace.name)
      const mayUse = (tool: string) =>
        grantOfSome(sessions.grants, { tool, tenant: place.tenant, agent: place.session, role: null }).granted
      // Nobody waits for somebody who has gone.
      const gone = new AbortController()
      reply.raw.on('close', () => gone.abort())
      return answerDecided(
        store,
        place.tenant,
        request,
        reply,
        async keep => {
          const done = await askSync(store, sessions.work, place, { selection, knownVersion }, one => keep(ok(one)))
          return { answer: ok(done.asked), replayed: done.replayed }
        },
        request.body as Json,
        async ({ body }) => {
          const found = await syncOutcome(store, place, body as unknown as AskedFor, gone.signal)
          if (found === null) return ok({})
          if (found.outcome !== 'ready') return ok(found)
          return ok({
            ...found,
            warnings: await snapshotWarnings(store, place.tenant, found.snapshot, {
              bindings: await allBindings(sessions, place.tenant),
              mayUse,
            }),
          })
        },
      )
    },
  )

  app.post<{ Params: Params; Body: Static<typeof applyBody> }>(
    '/v1/sessions/:session/apply',
    {
      schema: {
        params: sessionParams,
        body: applyBody,
        response: answers(applyAnswer, 'When what is pending takes over. With nothing pending: refused, and nothing has changed.'),
      },
    },
    async (request, reply) => {
      const { place } = writerOf(request, request.params.session)
      const { when = 'next_run', untested = false } = request.body
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const command = { type: 'requestApply', when, untested } as const
        const done = await sessions.work.submit(place, command, { idempotency: events => keep(ok(applyOutcome(events, when) ?? {})) })
        const outcome = applyOutcome(done.events, when)
        if (outcome === null && done.refusal !== null) throw refusalFault(done.refusal)
        return { answer: ok(outcome ?? {}), replayed: done.replayed !== null }
      })
    },
  )
}
