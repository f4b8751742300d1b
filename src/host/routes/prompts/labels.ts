// /v1/labels: names of a template that point to one of its versions. Not part of OpenWOP: its refs have no labels.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Principal } from '../../../engine/access/access.ts'
import { type LabelChange, labelHistory, labelsOf, moveLabel, protectedLabels, protectLabel } from '../../../engine/library/labels.ts'
import type { Writer } from '../../../engine/library/rows.ts'
import {
  labelHistoryAnswer,
  labelMovedAnswer,
  labelParams,
  labelQuery,
  labelsAnswer,
  moveBody,
  protectedLabelsAnswer,
  protectionParams,
  removeQuery,
  templateParams,
} from '../../../wire/onbook/label-schema.ts'
import { principalOf, workspacesHook } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { type Answer, answerOnce } from '../../requests/idempotent.ts'
import { answers, emptyAnswers } from '../answers.ts'
import { gateOf } from '../gate.ts'

export function labelRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  const shared = { onRequest: gateOf(config, 'endpointsSupported'), preValidation: workspacesHook(store) }
  const writerOf = (request: FastifyRequest, { tenant, actor, commit = null }: Principal, idempotency?: Writer['idempotency']): Writer => ({
    tenant,
    libraryId: config.libraryId,
    workspace: request.workspaceId,
    actor,
    commit,
    ...(idempotency ? { idempotency } : {}),
  })
  const move = (request: FastifyRequest, reply: FastifyReply, change: Omit<LabelChange, 'mayMoveProtected'>, answer: Answer) => {
    const principal = principalOf(request, 'labels:write')
    const mayMoveProtected = principal.scopes.includes('labels:protect')
    return answerOnce(store, principal.tenant, request, reply, answer, idempotency =>
      moveLabel(store, writerOf(request, principal, idempotency), { ...change, mayMoveProtected }),
    )
  }

  app.get<{ Params: Static<typeof templateParams> }>(
    '/v1/labels/:templateId',
    {
      ...shared,
      schema: {
        operationId: 'listLabels',
        params: templateParams,
        querystring: labelQuery,
        response: answers(labelsAnswer, 'Where each label points now.'),
      },
    },
    async request => {
      const writer = writerOf(request, principalOf(request, 'prompts:read'))
      const { templateId } = request.params
      return { templateId, labels: await labelsOf(store, writer, templateId) }
    },
  )

  app.get<{ Params: Static<typeof templateParams> }>(
    '/v1/labels/:templateId/history',
    {
      ...shared,
      schema: {
        operationId: 'getLabelHistory',
        params: templateParams,
        querystring: labelQuery,
        response: answers(labelHistoryAnswer, 'Every move, oldest first.'),
      },
    },
    async request => {
      const writer = writerOf(request, principalOf(request, 'prompts:read'))
      const { templateId } = request.params
      return { templateId, history: await labelHistory(store, writer, templateId) }
    },
  )

  app.put<{ Params: Static<typeof labelParams>; Body: Static<typeof moveBody> }>(
    '/v1/labels/:templateId/:label',
    {
      ...shared,
      schema: {
        operationId: 'moveLabel',
        params: labelParams,
        body: moveBody,
        querystring: labelQuery,
        response: answers(labelMovedAnswer, 'Where it points now.'),
      },
    },
    async (request, reply) => {
      const { version, why = null } = request.body
      const answer = { status: 200, headers: {}, body: { ...request.params, version } }
      return move(request, reply, { ...request.params, to: version, why }, answer)
    },
  )

  app.delete<{ Params: Static<typeof labelParams>; Querystring: Static<typeof removeQuery> }>(
    '/v1/labels/:templateId/:label',
    {
      ...shared,
      schema: { operationId: 'removeLabel', params: labelParams, querystring: removeQuery, response: emptyAnswers('It points nowhere.') },
    },
    async (request, reply) =>
      move(request, reply, { ...request.params, to: null, why: request.query.why ?? null }, { status: 204, headers: {}, body: null }),
  )

  app.get(
    '/v1/protected-labels',
    {
      ...shared,
      schema: {
        operationId: 'listProtectedLabels',
        querystring: labelQuery,
        response: answers(protectedLabelsAnswer, 'Labels that only keys with labels:protect may move.'),
      },
    },
    async request => ({ labels: await protectedLabels(store, writerOf(request, principalOf(request, 'prompts:read'))) }),
  )

  for (const [method, on] of [
    ['PUT', true],
    ['DELETE', false],
  ] as const)
    app.route<{ Params: Static<typeof protectionParams> }>({
      ...shared,
      method,
      url: '/v1/protected-labels/:label',
      schema: {
        operationId: on ? 'protectLabel' : 'unprotectLabel',
        params: protectionParams,
        querystring: labelQuery,
        response: emptyAnswers(on ? 'It is protected.' : 'It is protected no more.'),
      },
      handler: async (request, reply) => {
        const principal = principalOf(request, 'labels:protect')
        return answerOnce(store, principal.tenant, request, reply, { status: 204, headers: {}, body: null }, idempotency =>
          protectLabel(store, writerOf(request, principal, idempotency), request.params.label, on),
        )
      },
    })
}
