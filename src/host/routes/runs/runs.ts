// /v1/runs: starts, lists, shows and cancels runs. The engine executes them.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { runStream } from '../../../core/run/events.ts'
import type { RunWarning } from '../../../core/run/warning.ts'
import type { Budget } from '../../../core/workflow/workflow.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { checkHomes, maySee } from '../../../engine/access/membership.ts'
import { loadWorkflow } from '../../../engine/definitions/workflows.ts'
import { runDetails } from '../../../engine/runs/run-details.ts'
import { listRuns, type RunSummary } from '../../../engine/runs/runs.ts'
import { checkConfigurable } from '../../../engine/runs/start/check-configurable.ts'
import type { CreateRun } from '../../../engine/runs/start/create.ts'
import { validatorOf } from '../../../engine/work/fair-validator.ts'
import { Fault } from '../../../errors.ts'
import {
  cancelBody,
  createdRunAnswer,
  createRunBody,
  runAnswer,
  runParams,
  runStatusAnswer,
  runsAnswer,
  runsQuery,
} from '../../../wire/onbook/runs.ts'
import { principalOf } from '../../access/access.ts'
import { absoluteUrl } from '../../requests/absolute-url.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'
import { answers, createdAnswers } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'
import { freshRunId } from './fresh-run-id.ts'
import { existingRun, runSnapshot } from './run-documents.ts'
import { runPlaceOf, submitRunOnce } from './writes.ts'

type Params = Static<typeof runParams>
const DEFAULT_LIMIT = 50

export function runRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store, sessions } = parts

  app.post<{ Body: Static<typeof createRunBody> }>(
    '/v1/runs',
    {
      schema: {
        operationId: 'createRun',
        body: createRunBody,
        response: createdAnswers(createdRunAnswer, 'A run, on record. It goes on by itself.'),
      },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'runs:create')
      if (request.headers['x-dedup'] !== undefined)
        throw new Fault('validation_error', { problem: 'X-Dedup is not supported by this host: send an Idempotency-Key' })
      const place = runPlaceOf(principal, freshRunId())
      return answerDecided(store, place.tenant, request, reply, async keep => {
        const asked = await requestOf(parts, principal, request.body)
        const idempotency = (said: readonly RunWarning[]) => keep(createdAnswer(request, place.runId, said))
        const { replayed, warnings } = await sessions.runs.create(place, { ...asked, idempotency })
        return { answer: createdAnswer(request, place.runId, warnings), replayed }
      }).catch(error => {
        // The requested resource is the run: an unknown workflow is a mistake in the request, so the status is 400, not 404.
        if (error instanceof Fault && error.code === 'workflow_not_found') return reply.code(400).send(error.toJSON())
        throw error
      })
    },
  )

  app.get<{ Querystring: Static<typeof runsQuery> }>(
    '/v1/runs',
    {
      schema: {
        operationId: 'listRuns',
        querystring: runsQuery,
        response: answers(runsAnswer, 'Runs by id, which begins with the time of creation. What one waits for is in its snapshot.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'runs:read')
      const { cursor, limit, workflowId, status, order, since, prefix, details } = request.query
      const cells = { ...(workflowId === undefined ? {} : { workflowId }), ...(status === undefined ? {} : { phase: status }) }
      const most = Number(limit ?? DEFAULT_LIMIT)
      const items: object[] = []
      let last = ''
      for await (const one of listRuns(store, principal.tenant, {
        after: cursor,
        cells,
        newestFirst: order === 'newest',
        since: instantOf(since),
        prefix,
      })) {
        if (!(await maySee(store, principal, runStream(one.runId)))) continue
        if (items.length === most) return { items, nextCursor: last }
        items.push({ ...summaryOf(one), ...(details === 'true' ? await runDetails(store, principal.tenant, one.runId) : {}) })
        last = one.runId
      }
      return { items }
    },
  )

  app.get<{ Params: Params }>(
    '/v1/runs/:runId',
    { schema: { operationId: 'getRun', params: runParams, response: answers(runAnswer, 'How it stands.') } },
    async request => {
      const { tenant } = principalOf(request, 'runs:read')
      const run = await existingRun(store, tenant, request.params.runId)
      const [waiting] = Object.keys(run.state.nodes).flatMap(nodeId => sessions.waits?.of({ tenant, runId: run.state.runId, nodeId }) ?? [])
      return { ...(await runSnapshot(store, tenant, run)), ...(waiting === undefined ? {} : { waiting }) }
    },
  )

  app.post<{ Params: Params; Body: Static<typeof cancelBody> }>(
    '/v1/runs/:runId/cancel',
    {
      schema: {
        operationId: 'cancelRun',
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
}

const createdAnswer = (request: FastifyRequest, runId: string, warnings: readonly RunWarning[]): Answer => ({
  status: 201,
  headers: { location: `/v1/runs/${runId}` },
  body: {
    runId,
    status: 'running',
    eventsUrl: absoluteUrl(request, `/v1/runs/${runId}/events`),
    statusUrl: absoluteUrl(request, `/v1/runs/${runId}`),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ code, message }) => ({ code, message })) }),
  },
})

async function requestOf(
  { store, sessions }: SessionRouteParts,
  principal: Principal,
  { workflowId, tenantId, scopeId, callbackUrl, ...asked }: Static<typeof createRunBody>,
): Promise<CreateRun> {
  const { tenant } = principal
  if (tenantId !== undefined && tenantId !== tenant) throw new Fault('tenant_foreign', {})
  if (callbackUrl !== undefined)
    throw new Fault('validation_error', { problem: 'callbackUrl is not supported by this host: follow the events of the run' })
  const found = await loadWorkflow(store, tenant, workflowId)
  if (found === null) throw new Fault('workflow_not_found', { workflowId })
  await checkHomes(store, principal, found.workflow)
  const configurable = (asked.configurable ?? null) as JsonObject | null
  await checkConfigurable(validatorOf(sessions.validator, tenant), found.workflow, configurable ?? {})
  const metadata = (scopeId === undefined ? asked.metadata : { ...asked.metadata, scopeId }) as JsonObject | undefined
  const { inputs = {}, tags = [], budget = {}, mode, override } = asked
  return {
    workflow: found.workflow,
    inputs: inputs as JsonObject,
    configurable,
    metadata: metadata ?? null,
    tags,
    budget: budget as Partial<Budget>,
    ...(mode === undefined ? {} : { mode }),
    ...(override === undefined ? {} : { override }),
  }
}

const summaryOf = ({ phase, ...run }: RunSummary) => ({ ...run, status: phase })

/** Recorded times are UTC with milliseconds, and are compared as texts. */
const instantOf = (time: string | undefined): string | undefined => (time === undefined ? undefined : new Date(time).toISOString())
