// /v1/labels: names that move from version to version. Ours, beside OpenWOP's routes: labels never stand in its refs.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Principal } from '../../engine/access.ts'
import { labelHistory, labelsOf, moveLabel } from '../../engine/library/labels.ts'
import type { Writer } from '../../engine/library/rows.ts'
import { checkWorkspaces, principalOf } from '../access.ts'
import type { HostParts } from '../app.ts'
import { NO_DIGEST, TEMPLATE_ID, VERSION, workspaceQuery } from './template-schema.ts'

const CLOSED = { additionalProperties: false }
const querystring = Type.Object(workspaceQuery, CLOSED)
const LABEL = '^[a-z][a-z0-9-]{0,63}$'
const idParams = Type.Object({ templateId: Type.String({ pattern: TEMPLATE_ID }) }, CLOSED)
const labelParams = Type.Object({ templateId: Type.String({ pattern: TEMPLATE_ID }), label: Type.String({ pattern: LABEL }) }, CLOSED)
const moveBody = Type.Object(
  {
    version: Type.String({ pattern: VERSION, maxLength: 128 }),
    why: Type.Optional(Type.String({ maxLength: 500, pattern: NO_DIGEST })),
    ...workspaceQuery,
  },
  CLOSED,
)

export function labelRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  const writerOf = ({ tenant, keyId }: Principal): Writer => ({ tenant, libraryId: config.libraryId, actor: `key:${keyId}` })
  const move = async (principal: Principal, params: Static<typeof labelParams>, to: string | null, why: string | null) => {
    const { templateId, label } = params
    const mayMoveProtected = principal.scopes.includes('labels:protect')
    await moveLabel(store, writerOf(principal), { templateId, label, to, why, mayMoveProtected })
    return { templateId, labels: await labelsOf(store, writerOf(principal), templateId) }
  }

  app.get<{ Params: Static<typeof idParams> }>(
    '/v1/labels/:templateId',
    { preValidation: checkWorkspaces, schema: { params: idParams, querystring } },
    async request => {
      const writer = writerOf(principalOf(request, 'prompts:read'))
      const { templateId } = request.params
      return { templateId, labels: await labelsOf(store, writer, templateId) }
    },
  )

  app.get<{ Params: Static<typeof idParams> }>(
    '/v1/labels/:templateId/history',
    { preValidation: checkWorkspaces, schema: { params: idParams, querystring } },
    async request => {
      const writer = writerOf(principalOf(request, 'prompts:read'))
      const { templateId } = request.params
      return { templateId, history: await labelHistory(store, writer, templateId) }
    },
  )

  app.put<{ Params: Static<typeof labelParams>; Body: Static<typeof moveBody> }>(
    '/v1/labels/:templateId/:label',
    { preValidation: checkWorkspaces, schema: { params: labelParams, body: moveBody, querystring } },
    async request => move(principalOf(request, 'labels:write'), request.params, request.body.version, request.body.why ?? null),
  )

  app.delete<{ Params: Static<typeof labelParams> }>(
    '/v1/labels/:templateId/:label',
    { preValidation: checkWorkspaces, schema: { params: labelParams, querystring } },
    async request => move(principalOf(request, 'labels:write'), request.params, null, null),
  )
}
