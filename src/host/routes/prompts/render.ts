// POST /v1/prompts:render: the text of a template, as a run would compose it. Never calls a model.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { previewSources, renderRef } from '../../../engine/library/render-ref.ts'
import { anyJson, CLOSED, jsonMap } from '../../../wire/onbook/schema-parts.ts'
import { sessionField, workspaceQuery } from '../../../wire/onbook/template-schema.ts'
import { principalOf, workspacesHook } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { answers, renderAnswer } from '../answers.ts'
import { gateOf } from '../gate.ts'
import { packsFor } from '../sessions/writes.ts'

/** Limits of an answer: this many characters, or this many times the size of its request. A small request must not cost megabytes. */
const MOST_ANSWER = 512 * 1024
const MOST_GROWTH = 40

const renderBody = Type.Object(
  {
    ref: Type.Union([Type.String({ maxLength: 400 }), Type.Record(Type.String(), anyJson, { maxProperties: 10 })]),
    variables: jsonMap,
    contentTrust: Type.Optional(Type.Enum(['trusted', 'untrusted'])),
    ...workspaceQuery,
    ...sessionField,
  },
  CLOSED,
)

export function renderRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  app.post<{ Body: Static<typeof renderBody> }>(
    '/v1/prompts::render',
    {
      onRequest: gateOf(config, 'endpointsSupported'),
      preValidation: workspacesHook(store),
      schema: {
        operationId: 'renderPrompt',
        body: renderBody,
        querystring: Type.Object(workspaceQuery, CLOSED),
        response: answers(renderAnswer, 'The effective text, secrets redacted; only its hash unless observability is full.'),
      },
      bodyLimit: config.maxRenderRequestBytes,
    },
    async request => {
      const principal = principalOf(request, 'prompts:render')
      const { ref, variables, contentTrust = 'trusted' } = request.body
      const { ref: pinned, rendered } = await renderRef(store, principal.tenant, {
        ref: ref as Json,
        sources: previewSources(principal.tenant, variables as JsonObject),
        trust: contentTrust,
        workspace: request.workspaceId,
        packs: await packsFor(store, request, request.body.session),
        maxLength: Math.max(MOST_ANSWER, MOST_GROWTH * JSON.stringify(request.body).length),
      })
      const { templateHash, variableHashes, text } = rendered
      return {
        hash: templateHash,
        refs: [pinned],
        variableHashes,
        ...(config.observability === 'full' ? { composed: text } : {}),
        contentTrust: rendered.contentTrust,
      }
    },
  )
}
