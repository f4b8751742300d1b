// /v1/sessions/{session}/…: runs, commands, sync and apply of a session. Core decides each of them, and a refusal keeps its code.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import { grantOfSome } from '../../../core/gate/grants.ts'
import { provideInput } from '../../../engine/sessions/command-session.ts'
import { type AskedFor, applyOutcome, askSync, snapshotWarnings, syncOutcome } from '../../../engine/sessions/outcomes.ts'
import { configOf, type GivenMessage, refusalFault, selectionFor } from '../../../engine/sessions/requests.ts'
import { existingSession } from '../../../engine/sessions/views.ts'
import { allBindings } from '../../../engine/tools/bound.ts'
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
} from '../../../wire/onbook/sessions.ts'
import { answerDecided } from '../../requests/idempotent.ts'
import { answers, createdAnswers } from '../answers.ts'
import { askCommand, askRun, ok } from './asks.ts'
import { checkNamed, givenMessage, type SessionRouteParts, writerOf } from './writes.ts'

type Params = Static<typeof sessionParams>

export function sessionWorkRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store, sessions } = parts

  app.post<{ Params: Params; Body: Static<typeof runBody> }>(
    '/v1/sessions/:session/runs',
    {
      schema: {
        operationId: 'startSessionRun',
        params: sessionParams,
        body: runBody,
        response: createdAnswers(runRequestedAnswer, 'A run, on record. It goes on by itself.'),
      },
    },
    async (request, reply) => {
      const { session } = request.params
      const { input, overrides, interactive = false } = request.body
      const config = overrides === undefined ? null : configOf(overrides as Json)
      const asked = { input: input as GivenMessage | undefined, overrides: config, interactive }
      return askRun({ ...parts, ...writerOf(request, session), request, reply }, asked, (run, runId) => ({
        status: 201,
        headers: {},
        body: { session, run, runId },
      }))
    },
  )

  app.post<{ Params: Params; Body: Static<typeof commandBody> }>(
    '/v1/sessions/:session/commands',
    {
      schema: {
        operationId: 'commandSession',
        params: sessionParams,
        body: commandBody,
        response: answers(commandAnswer, 'The command is on record.'),
      },
    },
    async (request, reply) => {
      const { session } = request.params
      const { body } = request
      const { id, run = null, kind } = body
      const given = {
        kind,
        run,
        ...(id === undefined ? {} : { id }),
        ...('message' in body ? { message: body.message as GivenMessage } : {}),
        ...('reason' in body ? { reason: body.reason } : {}),
      }
      return askCommand({ ...parts, ...writerOf(request, session), request, reply }, given, named => ok({ session, id: named, kind }))
    },
  )

  app.post<{ Params: Params; Body: Static<typeof inputBody> }>(
    '/v1/sessions/:session/input',
    {
      schema: {
        operationId: 'provideInput',
        params: sessionParams,
        body: inputBody,
        response: answers(inputAnswer, 'The run that waited goes on.'),
      },
    },
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
        operationId: 'syncSession',
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
      // Stop waiting for the outcome when the caller disconnects.
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
        operationId: 'applySession',
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
