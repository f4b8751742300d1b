// /v1/approvals: lists the open requests of agents, and records the decisions of people. Only the decision of a person changes anything.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { runStream } from '../../../core/run/events.ts'
import { nodeOf } from '../../../core/run/state.ts'
import { maySee } from '../../../engine/access/membership.ts'
import { type AskedApproval, approvalRun, closedApproval, openApprovals } from '../../../engine/runs/calls/approvals.ts'
import { loadRun } from '../../../engine/runs/load.ts'
import { refusalFault } from '../../../engine/sessions/requests.ts'
import { Fault } from '../../../errors.ts'
import { approvalAnswer, approvalBody, approvalParams, approvalsAnswer, approvalsQuery } from '../../../wire/onbook/runs.ts'
import { principalOf } from '../../access/access.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'
import { answers } from '../answers.ts'
import { submitRunOnce } from '../runs/writes.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'

const DEFAULT_LIMIT = 50

type AnswerRequest = { Params: Static<typeof approvalParams>; Body: Static<typeof approvalBody> }

export function approvalRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store } = parts

  app.get<{ Querystring: Static<typeof approvalsQuery> }>(
    '/v1/approvals',
    {
      schema: {
        operationId: 'listApprovals',
        querystring: approvalsQuery,
        response: answers(approvalsAnswer, 'Those that somebody waits for.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'approvals:read')
      const { cursor, limit } = request.query
      const most = Number(limit ?? DEFAULT_LIMIT)
      const items: AskedApproval[] = []
      for await (const one of openApprovals(store, principal.tenant, cursor)) {
        if (!(await maySee(store, principal, runStream(one.runId)))) continue
        if (items.length === most) return { items, nextCursor: items.at(-1)!.approval }
        items.push(one)
      }
      return { items }
    },
  )

  app.post<AnswerRequest>(
    '/v1/approvals/:approval',
    {
      schema: {
        operationId: 'resolveApproval',
        params: approvalParams,
        body: approvalBody,
        response: answers(approvalAnswer, 'What was decided is on record.'),
      },
    },
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

/** The decision of a person about one approval. */
export interface GivenDecision {
  readonly approval: string
  readonly decision: 'approved' | 'denied'
  readonly note: string | null
  /** Edited arguments for the call; null to keep the requested ones. */
  readonly arguments: JsonObject | null
}

/** Passes the decision to the run: for a mode change, or for a call of one of its nodes. */
export async function answerApproval(
  parts: SessionRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  given: GivenDecision,
): Promise<FastifyReply> {
  const { store } = parts
  const { tenant, actor } = principalOf(request, 'approvals:write')
  const { approval, decision, note, arguments: changed } = given
  const runId = await approvalRun(store, tenant, approval)
  const { state } = await loadRun(store, tenant, runId)
  const open = state.approvals.find(one => one.approval === approval)
  const { session } = nodeOf(state, open?.nodeId ?? '')
  const told = (answered: Promise<FastifyReply>): Promise<FastifyReply> =>
    answered.catch(async error => {
      throw error instanceof Fault && error.code === 'approval_missing' ? await closedApproval(store, tenant, approval) : error
    })
  if (open?.wants.kind === 'mode') {
    if (changed !== null) throw new Fault('approval_arguments_refused', { tool: 'A mode', problem: 'it has no arguments' })
    const command = { type: 'resolveMode', approval, decision, by: actor, note } as const
    return told(submitRunOnce(parts, request, reply, { scope: 'approvals:write', runId, command, more: { approval, decision, session } }))
  }
  return told(answerCall(parts, request, reply, { runId, nodeId: open?.nodeId ?? '', session }, given))
}

async function answerCall(
  { store, sessions }: SessionRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { runId, nodeId, session }: { readonly runId: string; readonly nodeId: string; readonly session: string | null },
  given: GivenDecision,
): Promise<FastifyReply> {
  const { tenant, actor } = principalOf(request, 'approvals:write')
  const { approval, decision } = given
  const answer: Answer = { status: 200, headers: {}, body: { approval, decision, runId, session } }
  return answerDecided(store, tenant, request, reply, async keep => {
    if (nodeId === '') throw await closedApproval(store, tenant, approval)
    const done = await sessions.runs.answer({ tenant, runId, nodeId, actor }, given, { idempotency: () => keep(answer) })
    if (done.refusal !== null) throw refusalFault(done.refusal)
    return { answer, replayed: done.replayed }
  })
}
