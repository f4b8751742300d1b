// Starts runs of a session and sends commands to it, in our names or in AgentOS's: with the same checks, and idempotent.
import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '../../../core/digest/digest.ts'
import { runIdOf } from '../../../core/run/run-id.ts'
import type { SessionConfig } from '../../../core/session/config.ts'
import { commandSession } from '../../../engine/sessions/command-session.ts'
import type { AskedCommand, GivenMessage } from '../../../engine/sessions/requests.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'
import { checkConfig, givenMessage, type SessionRouteParts, type SessionWriter } from './writes.ts'

/** The context of one request. */
export interface Asking extends SessionRouteParts, SessionWriter {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export const ok = (body: object): Answer => ({ status: 200, headers: {}, body: body as Json })

export interface AskedRun {
  readonly input: GivenMessage | undefined
  readonly overrides: SessionConfig | null
  readonly interactive: boolean
}

export async function askRun(
  { store, sessions, principal, place, request, reply }: Asking,
  { input, overrides, interactive }: AskedRun,
  answerOf: (run: number, runId: string) => Answer,
): Promise<FastifyReply> {
  const { tenant, session, actor } = place
  const config = overrides === null ? null : await checkConfig(store, principal, overrides)
  const given = input === undefined ? null : await givenMessage(store, principal, input)
  const runId = runIdOf(Date.now(), randomBytes(20))
  return answerDecided(store, tenant, request, reply, async keep => {
    // By the time of the answer the session may have had further runs.
    let answer = answerOf(0, runId)
    const made = await sessions.runs.ask(
      { tenant, runId, actor },
      {
        session,
        input: given?.digest ?? null,
        overrides: config,
        interactive,
        objects: given?.objects ?? [],
        idempotency(run) {
          answer = answerOf(run, runId)
          return keep(answer)
        },
      },
    )
    return { answer, replayed: made.replayed }
  })
}

export interface GivenByClient extends AskedCommand {
  readonly id?: string
  /** The run number; null for the open run. */
  readonly run: number | null
  readonly message?: GivenMessage
}

export async function askCommand(
  { store, sessions, principal, place, request, reply }: Asking,
  { id = randomUUID(), message, ...asked }: GivenByClient,
  answerOf: (id: string) => Answer,
): Promise<FastifyReply> {
  const left = message === undefined ? null : await givenMessage(store, principal, message)
  const answer = answerOf(id)
  return answerDecided(store, place.tenant, request, reply, async keep => {
    const given = { id, ...asked, ...(left === null ? {} : { message: left.digest, objects: left.objects }) }
    const done = await commandSession(sessions, store, place, given, () => keep(answer))
    return { answer, replayed: done.replayed }
  })
}
