// /v1/approvals: what agents ask people for, and what people say to it. Only a person's word changes anything.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { runStream } from '../../core/run/events.ts'
import { approvalRows } from '../../core/run/projections.ts'
import type { OpenApproval } from '../../core/run/state.ts'
import { loadRun } from '../../engine/runs/load.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { principalOf } from '../access.ts'
import { answers } from './answers.ts'
import { approvalAnswer, approvalBody, approvalParams, approvalsAnswer, approvalsQuery } from './runs-schema.ts'
import { submitRunOnce } from './runs-writes.ts'
import type { SessionRouteParts } from './session-writes.ts'

const DEFAULT_LIMIT = 50

interface AskedApproval extends OpenApproval {
  readonly runId: string
  readonly askedAt: string
}

export function approvalRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store } = parts

  app.get<{ Querystring: Static<typeof approvalsQuery> }>(
    '/v1/approvals',
    { schema: { querystring: approvalsQuery, response: answers(approvalsAnswer, 'Those that somebody waits for, of all runs.') } },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      const { cursor, limit } = request.query
      const most = Number(limit ?? DEFAULT_LIMIT)
      const items: AskedApproval[] = []
      for await (const one of openApprovals(store, tenant, cursor)) {
        if (items.length === most) return { items, nextCursor: items.at(-1)!.approval }
        items.push(one)
      }
      return { items }
    },
  )

  app.post<{ Params: Static<typeof approvalParams>; Body: Static<typeof approvalBody> }>(
    '/v1/approvals/:approval',
    { schema: { params: approvalParams, body: approvalBody, response: answers(approvalAnswer, 'What was decided is on record.') } },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'runs:write')
      const { approval } = request.params
      const { decision, note = null } = request.body
      const runId = await runOf(store, tenant, approval)
      return submitRunOnce(parts, request, reply, {
        scope: 'runs:write',
        runId,
        command: { type: 'resolveApproval', approval, decision, note },
        more: { approval, decision },
      })
    },
  )
}

async function* openApprovals(store: Store, tenant: string, after = ''): AsyncIterable<AskedApproval> {
  for await (const { stream, cells } of store.rows(approvalRows.table, tenant, { open: 1 }, { by: 'approval', after })) {
    const runId = stream.slice(RUN.length)
    const { state } = await loadRun(store, tenant, runId)
    const open = state.approvals.find(({ approval }) => approval === cells.approval)
    if (open !== undefined) yield { ...open, runId, askedAt: String(cells.askedAt) }
  }
}

const RUN = runStream('')

/** Also of one that was answered: who asks with the same Idempotency-Key again is told what was said. */
async function runOf(store: Store, tenant: string, approval: string): Promise<string> {
  for await (const { stream } of store.rows(approvalRows.table, tenant, { approval })) return stream.slice(RUN.length)
  throw new Fault('approval_missing', { problem: `Nobody waits for approval ${approval}` })
}
