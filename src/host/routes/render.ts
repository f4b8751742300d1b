// POST /v1/prompts:render: the effective text of a template, as a run would compose it. Never calls a model.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { renderRef } from '../../engine/render-ref.ts'
import { Fault } from '../../errors.ts'
import { checkWorkspace, principalOf } from '../access.ts'
import type { HostParts } from '../app.ts'
import { workspaceQuery } from './template-schema.ts'

const CLOSED = { additionalProperties: false }
const renderBody = Type.Object(
  {
    ref: Type.Union([Type.String({ maxLength: 400 }), Type.Record(Type.String(), Type.Unknown())]),
    variables: Type.Record(Type.String(), Type.Unknown()),
    contentTrust: Type.Optional(Type.Enum(['trusted', 'untrusted'])),
    ...workspaceQuery,
  },
  CLOSED,
)

export function renderRoutes(app: FastifyInstance, { store, clock, config }: HostParts): void {
  app.post<{ Body: Static<typeof renderBody> }>(
    '/v1/prompts::render',
    { schema: { body: renderBody }, bodyLimit: config.maxRenderRequestBytes },
    async request => {
      if (!config.endpointsSupported) throw new Fault('capability_not_provided', { capability: 'prompts.endpointsSupported' })
      const principal = principalOf(request, 'prompts:render')
      const { ref, variables, contentTrust = 'trusted', workspaceId } = request.body
      checkWorkspace(principal, workspaceId)
      const given = variables as JsonObject
      const context: JsonObject = { tenantId: principal.tenant, now: clock(), ...given }
      const { ref: pinned, rendered } = await renderRef(store, principal.tenant, {
        ref: ref as Json,
        sources: { input: given, variable: given, secret: given, context },
        trust: contentTrust,
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
