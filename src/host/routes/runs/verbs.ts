// POST /v1/runs/{runId}:cancel, :pause, :resume and /v1/runs:bulk-cancel: commands to runs under OpenWOP's names.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { runStream } from '../../../core/run/events.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { maySee } from '../../../engine/access/membership.ts'
import { Fault } from '../../../errors.ts'
import { cancelBody, runParams, runStatusAnswer } from '../../../wire/onbook/runs.ts'
import { CLOSED, nullable } from '../../../wire/onbook/schema-parts.ts'
import { runStatus } from '../../../wire/openwop/run-status.ts'
import { principalOf } from '../../access/access.ts'
import { answers, withStatus } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'
import { existingRun } from './run-documents.ts'
import { runPlaceOf, submitRunOnce } from './writes.ts'

type Params = Static<typeof runParams>
const MOST_RUNS = 100
const RUN = '/v1/runs/:runId([A-Za-z0-9._~-]+)'

const { runId } = runParams.properties
const { status } = runStatusAnswer.properties
const { reason } = cancelBody.anyOf[0].properties
const resumeBody = nullable(Type.Object({ reason }, CLOSED))
const pauseBody = nullable(
  Type.Object(
    {
      reason,
      drainPolicy: Type.Optional(
        Type.Enum(['immediate', 'drain-current-node'], {
          description: 'Whether nodes at work begin no further step, or go on to their end. Default drain-current-node.',
        }),
      ),
    },
    CLOSED,
  ),
)
const at = Type.Optional(Type.String({ format: 'date-time' }))
const pausedAnswer = Type.Object({ runId, status, pausedAt: at }, CLOSED)
const resumedAnswer = Type.Object({ runId, status, resumedAt: at }, CLOSED)

/** The handler answers a list that is slightly too long; the schema refuses one that is far too long. */
const bulkBody = Type.Object(
  { runIds: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: 100 * MOST_RUNS }), reason },
  CLOSED,
)
const refused = Type.Object({ error: Type.String(), message: Type.String(), details: Type.Optional(Type.Unknown()) }, CLOSED)
const bulkAnswer = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          runId: Type.String(),
          ok: Type.Boolean(),
          status: Type.Optional(Type.Enum(['cancelled', 'cancelling'])),
          error: Type.Optional(refused),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)

export function runVerbRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  app.post<{ Params: Params; Body: Static<typeof cancelBody> }>(
    `${RUN}::cancel`,
    {
      schema: {
        operationId: 'cancelRunByVerb',
        params: runParams,
        body: cancelBody,
        response: answers(runStatusAnswer, 'What is under way is ended, and then the run.'),
      },
    },
    (request, reply) => {
      const command = { type: 'cancel', reason: request.body?.reason ?? null } as const
      return submitRunOnce(parts, request, reply, { scope: 'runs:cancel', runId: request.params.runId, command })
    },
  )

  app.post<{ Params: Params; Body: Static<typeof pauseBody> }>(
    `${RUN}::pause`,
    {
      schema: {
        operationId: 'pauseRun',
        params: runParams,
        body: pauseBody,
        response: withStatus(202, { ...pausedAnswer, description: 'The run is paused.' }),
      },
    },
    (request, reply) => {
      const { drainPolicy = 'drain-current-node', reason: note } = request.body ?? {}
      const command = { type: 'pause', drainPolicy, ...(note === undefined ? {} : { note }) } as const
      const more = { pausedAt: new Date().toISOString() }
      return submitRunOnce(parts, request, reply, { scope: 'runs:cancel', runId: request.params.runId, command, more, httpStatus: 202 })
    },
  )

  app.post<{ Params: Params; Body: Static<typeof resumeBody> }>(
    `${RUN}::resume`,
    {
      schema: {
        operationId: 'resumeRun',
        params: runParams,
        body: resumeBody,
        response: withStatus(202, { ...resumedAnswer, description: 'The run goes on.' }),
      },
    },
    (request, reply) => {
      const more = { resumedAt: new Date().toISOString() }
      const command = { type: 'resume' } as const
      return submitRunOnce(parts, request, reply, { scope: 'runs:cancel', runId: request.params.runId, command, more, httpStatus: 202 })
    },
  )

  app.post<{ Body: Static<typeof bulkBody> }>(
    '/v1/runs::bulk-cancel',
    {
      schema: {
        operationId: 'bulkCancelRuns',
        body: bulkBody,
        response: answers(bulkAnswer, 'One result for each id, in the order of the request.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'runs:cancel')
      const { runIds, reason = null } = request.body
      if (runIds.length > MOST_RUNS)
        throw new Fault('validation_error', {
          problem: `runIds has more than ${MOST_RUNS} entries: send several requests`,
          maxRunIds: MOST_RUNS,
        })
      const results: Static<typeof bulkAnswer>['results'] = []
      for (const one of runIds) results.push(await cancelOne(parts, principal, one, reason))
      return { results }
    },
  )
}

async function cancelOne(
  { store, sessions }: SessionRouteParts,
  principal: Principal,
  runId: string,
  reason: string | null,
): Promise<Static<typeof bulkAnswer>['results'][number]> {
  const place = runPlaceOf(principal, runId)
  const { tenant } = place
  try {
    if (!(await maySee(store, principal, runStream(runId)))) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
    const { state } = await existingRun(store, tenant, runId)
    const done = await sessions.runs.submit(place, { type: 'cancel', reason })
    const now = done.refusal === null ? (await existingRun(store, tenant, runId)).state : state
    const standing = runStatus(now)
    if (standing === 'cancelled' || standing === 'cancelling') return { runId, ok: true, status: standing }
    const { code, message } = done.refusal ?? { code: 'run_ended', message: `run ${runId} is ${standing}` }
    return { runId, ok: false, error: { error: code, message, details: { runStatus: standing } } }
  } catch (error) {
    if (!(error instanceof Fault) || error.status >= 500) throw error
    return { runId, ok: false, error: error.toJSON() as never }
  }
}
