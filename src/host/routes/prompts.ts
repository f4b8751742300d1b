// /v1/prompts: the library over HTTP. OpenWOP RFC 0028.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../core/digest/digest.ts'
import { templateProblems } from '../../core/library/check.ts'
import { type LibraryTemplate, templateDigest } from '../../core/library/template.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import type { Principal } from '../../engine/access.ts'
import { listTemplates } from '../../engine/library/list.ts'
import { publishTemplates, removeTemplate } from '../../engine/library/publish.ts'
import { readTemplate, type Writer } from '../../engine/library/rows.ts'
import { findTemplate } from '../../engine/render-ref.ts'
import { Fault } from '../../errors.ts'
import { checkWorkspace, principalOf } from '../access.ts'
import type { HostParts } from '../app.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { isSame, isUnchanged, tagOf } from '../entity-tags.ts'
import { type Answer, onceFor, sendAnswer } from '../idempotent.ts'
import { kindSchema, originSchema, TEMPLATE_ID, templateSchema, VERSION, workspaceQuery } from './template-schema.ts'

const CLOSED = { additionalProperties: false }
const idParams = Type.Object({ templateId: Type.String({ pattern: TEMPLATE_ID }) }, CLOSED)
const listQuery = Type.Object(
  {
    kind: Type.Optional(kindSchema),
    tag: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Array(Type.String({ maxLength: 64 }), { maxItems: 32 })])),
    modelClass: Type.Optional(Type.String({ maxLength: 100 })),
    source: Type.Optional(originSchema),
    cursor: Type.Optional(Type.String({ maxLength: 400 })),
    limit: Type.Optional(Type.String({ pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$' })),
    ...workspaceQuery,
  },
  CLOSED,
)
const readQuery = Type.Object(
  {
    version: Type.Optional(Type.String({ pattern: VERSION, maxLength: 128 })),
    libraryId: Type.Optional(Type.String({ pattern: TEMPLATE_ID })),
    ...workspaceQuery,
  },
  CLOSED,
)
const writeQuery = Type.Object(workspaceQuery, CLOSED)

const DEFAULT_LIMIT = 50
/** It is a tenant's content: no shared cache may keep it. */
const FOR_EVER = 'private, max-age=31536000, immutable'
const FOR_A_MINUTE = 'private, max-age=60'

export function promptRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  const gate = (capability: 'endpointsSupported' | 'mutableLibrary') => {
    if (!config.endpointsSupported || !config[capability])
      throw new Fault('capability_not_provided', { capability: `prompts.${capability}` })
  }
  const writerOf = ({ tenant, keyId }: Principal, idempotency?: Writer['idempotency']): Writer => ({
    tenant,
    libraryId: config.libraryId,
    actor: `key:${keyId}`,
    ...(idempotency ? { idempotency } : {}),
  })
  const checkTemplate = (template: LibraryTemplate): void => {
    const [problem] = templateProblems(template, config.maxTemplateBytes)
    if (problem !== undefined) throw new Fault('validation_error', { problem })
  }

  app.get<{ Querystring: Static<typeof listQuery> }>('/v1/prompts', { schema: { querystring: listQuery } }, async request => {
    gate('endpointsSupported')
    const principal = principalOf(request, 'prompts:read')
    const { kind, tag = [], modelClass, source, cursor, limit, workspaceId } = request.query
    checkWorkspace(principal, workspaceId)
    const filter = {
      ...(kind === undefined ? {} : { kind }),
      ...(modelClass === undefined ? {} : { modelClass }),
      ...(source === undefined ? {} : { origin: source }),
      tags: Array.isArray(tag) ? tag : [tag],
    }
    const most = limit === undefined ? DEFAULT_LIMIT : Number(limit)
    const items: LibraryTemplate[] = []
    let last = ''
    for await (const row of listTemplates(store, principal.tenant, filter, readCursor(cursor))) {
      // All libraries' templates of one id stay on one page: the cursor names the id.
      if (items.length >= most && row.templateId !== last) return { items, nextCursor: writeCursor(last) }
      items.push(await readTemplate(store, row))
      last = row.templateId
    }
    return { items }
  })

  app.get<{ Params: Static<typeof idParams>; Querystring: Static<typeof readQuery> }>(
    '/v1/prompts/:templateId',
    { schema: { params: idParams, querystring: readQuery } },
    async (request, reply) => {
      gate('endpointsSupported')
      const principal = principalOf(request, 'prompts:read')
      const { version, libraryId, workspaceId } = request.query
      checkWorkspace(principal, workspaceId)
      const ref = { templateId: request.params.templateId, ...(version ? { version } : {}), ...(libraryId ? { libraryId } : {}) }
      const { row, template } = await findTemplate(store, principal.tenant, ref)
      const tag = tagOf(row.digest)
      reply.header('etag', tag).header('cache-control', version === undefined ? FOR_A_MINUTE : FOR_EVER)
      return isUnchanged(request.headers['if-none-match'], tag) ? reply.code(304).send() : template
    },
  )

  app.post<{ Body: Static<typeof templateSchema>; Querystring: Static<typeof writeQuery> }>(
    '/v1/prompts',
    { schema: { body: templateSchema, querystring: writeQuery } },
    async (request, reply) => {
      gate('mutableLibrary')
      const principal = principalOf(request, 'prompts:write')
      checkWorkspace(principal, request.query.workspaceId)
      return publish(request, reply, principal, request.body as LibraryTemplate, 'create')
    },
  )

  app.put<{ Params: Static<typeof idParams>; Body: Static<typeof templateSchema>; Querystring: Static<typeof writeQuery> }>(
    '/v1/prompts/:templateId',
    { schema: { params: idParams, body: templateSchema, querystring: writeQuery } },
    async (request, reply) => {
      gate('mutableLibrary')
      const principal = principalOf(request, 'prompts:write')
      checkWorkspace(principal, request.query.workspaceId)
      const template = request.body as LibraryTemplate
      if (template.templateId !== request.params.templateId)
        throw new Fault('validation_error', { problem: 'templateId in the body is another than in the path' })
      const replayed = await onceFor(store, principal.tenant, request).replay()
      if (replayed !== null) return sendAnswer(reply, replayed, true)
      await checkMatch(request, principal.tenant, template.templateId)
      return publish(request, reply, principal, template, 'raise')
    },
  )

  app.delete<{ Params: Static<typeof idParams>; Querystring: Static<typeof writeQuery> }>(
    '/v1/prompts/:templateId',
    { schema: { params: idParams, querystring: writeQuery } },
    async (request, reply) => {
      gate('mutableLibrary')
      const principal = principalOf(request, 'prompts:write')
      checkWorkspace(principal, request.query.workspaceId)
      const once = onceFor(store, principal.tenant, request)
      const replayed = await once.replay()
      if (replayed !== null) return sendAnswer(reply, replayed, true)
      await checkMatch(request, principal.tenant, request.params.templateId)
      const answer: Answer = { status: 204, headers: {}, body: null }
      await removeTemplate(store, writerOf(principal, once.idempotency(answer)), request.params.templateId)
      return sendAnswer(reply, answer, false)
    },
  )

  /** Whoever says what they saw is refused when it is no longer so. */
  async function checkMatch(request: FastifyRequest, tenant: string, templateId: string): Promise<void> {
    const header = request.headers['if-match']
    if (header === undefined) return
    const { row } = await findTemplate(store, tenant, { templateId })
    if (!isSame(header, tagOf(row.digest)))
      throw new Fault('precondition_failed', { problem: `${templateId} is not the version that If-Match names` })
  }

  async function publish(
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
    template: LibraryTemplate,
    mode: 'create' | 'raise',
  ): Promise<FastifyReply> {
    checkTemplate(template)
    const once = onceFor(store, principal.tenant, request)
    const replayed = await once.replay()
    if (replayed !== null) return sendAnswer(reply, replayed, true)
    const stored: LibraryTemplate = { ...template, meta: { ...template.meta, source: 'user' } }
    const { templateId, version } = template
    const answer: Answer = {
      status: mode === 'create' ? 201 : 200,
      headers: {
        etag: tagOf(templateDigest(stored)),
        ...(mode === 'create' ? { location: `/v1/prompts/${templateId}?version=${encodeURIComponent(version)}` } : {}),
      },
      body: stored as unknown as Json,
    }
    await publishTemplates(store, writerOf(principal, once.idempotency(answer)), [stored], { mode, origin: 'user' })
    request.log.info({ published: pinnedText(templateId, version) })
    return sendAnswer(reply, (await once.replay()) ?? answer, false)
  }
}
