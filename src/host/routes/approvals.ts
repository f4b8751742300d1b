// /v1/approvals: what agents ask people for, and what people say to it. Only a person's word changes anything.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { keyActor } from '../../core/access/keys.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { runStream } from '../../core/run/events.ts'
import { sessionStream } from '../../core/session/events.ts'
import { type AskedApproval, approvalPlace, closedApproval, openApprovals } from '../../engine/approvals.ts'
import { maySee } from '../../engine/membership.ts'
import { loadSession } from '../../engine/sessions/load.ts'
import { refusalFault } from '../../engine/sessions/requests.ts'
import { Fault } from '../../errors.ts'
import { principalOf } from '../access.ts'
import { type Answer, answerDecided } from '../idempotent.ts'
import { answers } from './answers.ts'
import { approvalAnswer, approvalBody, approvalParams, approvalsAnswer, approvalsQuery } from './runs-schema.ts'
import { submitRunOnce } from './runs-writes.ts'
import type { SessionRouteParts } from './session-writes.ts'

const DEFAULT_LIMIT = 50

type AnswerRequest = { Params: Static<typeof approvalParams>; Body: Static<typeof approvalBody> }

export function approvalRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store } = parts

  app.get<{ Querystring: Static<typeof approvalsQuery> }>(
    '/v1/approvals',
    { schema: { querystring: approvalsQuery, response: answers(approvalsAnswer, 'Those that somebody waits for.') } },
    async request => {
      const principal = principalOf(request, 'approvals:read')
      const { cursor, limit } = request.query
      const most = Number(limit ?? DEFAULT_LIMIT)
      const items: AskedApproval[] = []
      for await (const one of openApprovals(store, principal.tenant, cursor)) {
        if (!(await maySee(store, principal, one.session === null ? runStream(one.runId!) : sessionStream(one.session)))) continue
        if (items.length === most) return { items, nextCursor: items.at(-1)!.approval }
        items.push(one)
      }
      return { items }
    },
  )

  app.post<AnswerRequest>(
    '/v1/approvals/:approval',
    { schema: { params: approvalParams, body: approvalBody, response: answers(approvalAnswer, 'What was decided is on record.') } },
    (request, reply) => {
      const { decision, note = null, arguments: changed = null } = request.body
      return answerApproval(parts, request, reply, {
        approval: request.params.approval,
        decision,
        note,
        arguments: changed as JsonObject | null,
      })
    },
  )
}

/** What a person decided about one approval. */
export interface GivenDecision {
  readonly approval: string
  readonly decision: 'approved' | 'denied'
  readonly note: string | null
  /** Other arguments for the call; null for those that were asked for. */
  readonly arguments: JsonObject | null
}

/** Whoever keeps the approval, a run or a session, is told what was decided. */
export async function answerApproval(
  parts: SessionRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  given: GivenDecision,
): Promise<FastifyReply> {
  const { store } = parts
  const { tenant } = principalOf(request, 'approvals:write')
  const { approval, decision, note, arguments: changed } = given
  const place = await approvalPlace(store, tenant, approval)
  const told = (answered: Promise<FastifyReply>): Promise<FastifyReply> =>
    answered.catch(async error => {
      throw error instanceof Fault && error.code === 'approval_missing' ? await closedApproval(store, tenant, approval) : error
    })
  if (place.kind === 'session') return told(answerCall(parts, request, reply, place.session, given))
  if (changed !== null) throw new Fault('approval_arguments_refused', { tool: 'A mode', problem: 'it has no arguments' })
  const command = { type: 'resolveApproval', approval, decision, note } as const
  const more = { approval, decision, session: null }
  return told(submitRunOnce(parts, request, reply, { scope: 'approvals:write', runId: place.runId, command, more }))
}

async function answerCall(
  { store, sessions }: SessionRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  session: string,
  given: GivenDecision,
): Promise<FastifyReply> {
  const { tenant, keyId } = principalOf(request, 'approvals:write')
  const { approval, decision } = given
  const { state } = await loadSession(store, tenant, session)
  const body = { approval, decision, runId: state.run?.node?.runId ?? null, session }
  const answer: Answer = { status: 200, headers: {}, body }
  return answerDecided(store, tenant, request, reply, async keep => {
    const done = await sessions.work.answer({ tenant, session, actor: keyActor(keyId) }, given, { idempotency: () => keep(answer) })
    if (done.refusal !== null) throw refusalFault(done.refusal)
    return { answer, replayed: done.replayed !== null }
  })
}
