// /v1/runs/{runId}/interrupts/{nodeId} and /v1/interrupts/{token}: approvals under OpenWOP's names. The token is the id of the approval.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import { askedApproval } from '../../../engine/runs/calls/approvals.ts'
import { Fault } from '../../../errors.ts'
import { approvalAnswer, approvalParams, nodeParams } from '../../../wire/onbook/runs.ts'
import { anyJson, CLOSED } from '../../../wire/onbook/schema-parts.ts'
import { readResumeValue, toInterrupt } from '../../../wire/openwop/interrupt.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'
import { answerApproval } from '../tools/approvals.ts'
import { existingRun } from './run-documents.ts'

const resolveBody = Type.Object(
  {
    // {action: accept, reject, refine or edit-accept, feedback?, refineFeedback?, editedArtifactData?}; or {decision: approved or rejected}.
    resumeValue: anyJson,
  },
  CLOSED,
)
const text = Type.String()
const interruptAnswer = Type.Object(
  {
    interruptId: text,
    runId: text,
    nodeId: text,
    kind: Type.Literal('approval'),
    key: text,
    requestedAt: text,
    timeoutMs: Type.Optional(Type.Integer({ minimum: 0 })),
    data: Type.Object(
      { artifactId: text, artifactType: text, title: text, description: text, artifactData: Type.Unknown(), actions: Type.Array(text) },
      CLOSED,
    ),
  },
  CLOSED,
)
const tokenParams = Type.Object({ token: approvalParams.properties.approval }, CLOSED)

type OfNode = { Params: Static<typeof nodeParams>; Body: Static<typeof resolveBody> }
type OfToken = { Params: Static<typeof tokenParams>; Body: Static<typeof resolveBody> }

export function interruptRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { store } = parts
  const shown = answers(interruptAnswer, 'An approval that is open, as an interrupt.')
  const resolved = answers(approvalAnswer, 'What was decided is on record.')

  const show = async (tenant: string, approval: string): Promise<object> => {
    const open = await askedApproval(store, tenant, approval).catch(notFound)
    return toInterrupt(open, Date.now())
  }
  const resolve = async (request: FastifyRequest<{ Body: Static<typeof resolveBody> }>, reply: FastifyReply, approval: string) => {
    const read = readResumeValue(request.body.resumeValue as Json)
    if ('problem' in read) throw new Fault('validation_error', read)
    return answerApproval(parts, request, reply, { approval, ...read }).catch(notFound)
  }
  const ofNode = async (tenant: string, { runId, nodeId }: Static<typeof nodeParams>): Promise<string> => {
    const { state } = await existingRun(store, tenant, runId)
    const open = state.approvals.find(one => one.nodeId === nodeId)
    if (open === undefined) throw new Fault('interrupt_not_found', { problem: `Node ${nodeId} of run ${runId} does not wait for a person` })
    return open.approval
  }

  app.get<{ Params: OfNode['Params'] }>(
    '/v1/runs/:runId/interrupts/:nodeId',
    { schema: { operationId: 'inspectInterruptByRun', params: nodeParams, response: shown } },
    async request => {
      const { tenant } = principalOf(request, 'approvals:read')
      return show(tenant, await ofNode(tenant, request.params))
    },
  )
  app.post<OfNode>(
    '/v1/runs/:runId/interrupts/:nodeId',
    { schema: { operationId: 'resolveInterruptByRun', params: nodeParams, body: resolveBody, response: resolved } },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'approvals:write')
      return resolve(request, reply, await ofNode(tenant, request.params))
    },
  )
  app.get<{ Params: OfToken['Params'] }>(
    '/v1/interrupts/:token',
    { schema: { operationId: 'inspectInterruptByToken', params: tokenParams, response: shown } },
    async request => {
      const { tenant } = principalOf(request, 'approvals:read')
      return show(tenant, request.params.token)
    },
  )
  app.post<OfToken>(
    '/v1/interrupts/:token',
    { schema: { operationId: 'resolveInterruptByToken', params: tokenParams, body: resolveBody, response: resolved } },
    async (request, reply) => {
      principalOf(request, 'approvals:write')
      return resolve(request, reply, request.params.token)
    },
  )
}

function notFound(error: unknown): never {
  if (error instanceof Fault && error.code === 'approval_missing')
    throw new Fault('interrupt_not_found', { problem: error.message.replace(/\.$/, '') })
  throw error
}
