// /v1/prompts: the prompt library over HTTP. OpenWOP RFC 0028.
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Json } from '../../../core/digest/digest.ts'
import { isObject } from '../../../core/digest/is-object.ts'
import { type LibraryTemplate, templateDigest } from '../../../core/library/template.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { type ListPlace, listTemplates } from '../../../engine/library/list.ts'
import { type Precondition, publishTemplates } from '../../../engine/library/publish.ts'
import { removeTemplate } from '../../../engine/library/remove.ts'
import { findTemplate } from '../../../engine/library/render-ref.ts'
import { readTemplate, type Writer } from '../../../engine/library/rows.ts'
import { Fault } from '../../../errors.ts'
import { kindSchema, originSchema, TEMPLATE_ID, templateSchema, VERSION, workspaceQuery } from '../../../wire/onbook/template-schema.ts'
import { principalOf, workspacesHook } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { readCursor, writeCursor } from '../../requests/cursor.ts'
import { isSame, isUnchanged, tagOf } from '../../requests/entity-tags.ts'
import { type Answer, answerOnce } from '../../requests/idempotent.ts'
import { answers, createdAnswers, emptyAnswers, listAnswer, templateAnswer } from '../answers.ts'
import { gateOf } from '../gate.ts'
import { checkTemplate } from './check-template.ts'

const CLOSED = { additionalProperties: false }
const idParams = Type.Object({ templateId: Type.String({ pattern: TEMPLATE_ID }) }, CLOSED)
const tagSchema = Type.String({ minLength: 1, maxLength: 64 })
const listQuery = Type.Object(
  {
    kind: Type.Optional(kindSchema),
    tag: Type.Optional(Type.Union([tagSchema, Type.Array(tagSchema, { maxItems: 32 })])),
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
const JSON_TYPE = 'application/json; charset=utf-8'
/** The content belongs to a tenant: shared caches must not store it. */
const FOR_EVER = 'private, max-age=31536000, immutable'
const FOR_A_MINUTE = 'private, max-age=60'

export function promptRoutes(app: FastifyInstance, { store, config }: HostParts): void {
  // A disabled capability is refused first, whatever the request contains. A workspace that the key may not use is refused before any other check can
  // answer.
  const readable = { onRequest: gateOf(config, 'endpointsSupported'), preValidation: workspacesHook(store) }
  const writable = { onRequest: gateOf(config, 'mutableLibrary'), preValidation: [workspacesHook(store), dropWorkspace] }
  const writerOf = (request: FastifyRequest, { tenant, actor }: Principal, idempotency?: Writer['idempotency']): Writer => ({
    tenant,
    libraryId: config.libraryId,
    workspace: request.workspaceId,
    actor,
    ...(idempotency ? { idempotency } : {}),
  })
  const listSchema = {
    operationId: 'listPrompts',
    querystring: listQuery,
    response: answers(listAnswer, 'Newest versions, in a stable order.'),
  }
  app.get<{ Querystring: Static<typeof listQuery> }>('/v1/prompts', { ...readable, schema: listSchema }, async request => {
    const principal = principalOf(request, 'prompts:read')
    const { kind, tag = [], modelClass, source, cursor, limit } = request.query
    const filter = {
      ...(kind === undefined ? {} : { kind }),
      ...(modelClass === undefined ? {} : { modelClass }),
      ...(source === undefined ? {} : { origin: source }),
      tags: Array.isArray(tag) ? tag : [tag],
    }
    const most = limit === undefined ? DEFAULT_LIMIT : Number(limit)
    const items: LibraryTemplate[] = []
    let last: ListPlace | null = null
    for await (const row of listTemplates(store, principal.tenant, filter, readCursor(cursor), request.workspaceId)) {
      if (last !== null && items.length >= most) return { items, nextCursor: writeCursor(last) }
      items.push(await readTemplate(store, row))
      last = row
    }
    return { items }
  })

  app.get<{ Params: Static<typeof idParams>; Querystring: Static<typeof readQuery> }>(
    '/v1/prompts/:templateId',
    {
      ...readable,
      schema: { operationId: 'getPrompt', params: idParams, querystring: readQuery, response: answers(templateAnswer, 'The template.') },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'prompts:read')
      const { version, libraryId } = request.query
      const ref = { templateId: request.params.templateId, ...(version ? { version } : {}), ...(libraryId ? { libraryId } : {}) }
      const { row, bytes } = await findTemplate(store, principal.tenant, ref, {}, request.workspaceId)
      const tag = tagOf(row.digest)
      reply.header('etag', tag).header('cache-control', version === undefined ? FOR_A_MINUTE : FOR_EVER)
      // The stored bytes, which the entity tag names.
      return isUnchanged(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.type(JSON_TYPE).send(bytes)
    },
  )

  app.post<{ Body: Static<typeof templateSchema>; Querystring: Static<typeof writeQuery> }>(
    '/v1/prompts',
    {
      ...writable,
      schema: {
        operationId: 'createPrompt',
        body: templateSchema,
        querystring: writeQuery,
        response: createdAnswers(templateAnswer, 'As it is kept.'),
      },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'prompts:write')
      return publish(request, reply, principal, request.body as LibraryTemplate, 'create')
    },
  )

  app.put<{ Params: Static<typeof idParams>; Body: Static<typeof templateSchema>; Querystring: Static<typeof writeQuery> }>(
    '/v1/prompts/:templateId',
    {
      ...writable,
      schema: {
        operationId: 'replacePrompt',
        params: idParams,
        body: templateSchema,
        querystring: writeQuery,
        response: answers(templateAnswer, 'As it is kept.'),
      },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'prompts:write')
      const template = request.body as LibraryTemplate
      if (template.templateId !== request.params.templateId)
        throw new Fault('validation_error', { problem: 'templateId in the body is another than in the path' })
      return publish(request, reply, principal, template, 'raise')
    },
  )

  app.delete<{ Params: Static<typeof idParams>; Querystring: Static<typeof writeQuery> }>(
    '/v1/prompts/:templateId',
    {
      ...writable,
      schema: { operationId: 'deletePrompt', params: idParams, querystring: writeQuery, response: emptyAnswers('It is gone.') },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'prompts:write')
      return answerOnce(store, principal.tenant, request, reply, { status: 204, headers: {}, body: null }, idempotency =>
        removeTemplate(store, writerOf(request, principal, idempotency), {
          templateId: request.params.templateId,
          mayMoveProtected: principal.scopes.includes('labels:protect'),
          precondition: preconditionOf(request),
        }),
      )
    },
  )

  function publish(
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
    template: LibraryTemplate,
    mode: 'create' | 'raise',
  ): Promise<FastifyReply> {
    checkTemplate(template, config.maxTemplateBytes)
    const stored: LibraryTemplate = { ...template, meta: { ...template.meta, source: 'user' } }
    const { templateId, version } = template
    const answer: Answer = {
      status: mode === 'create' ? 201 : 200,
      headers: {
        etag: tagOf(templateDigest(stored)),
        ...(mode === 'create'
          ? { location: `/v1/prompts/${templateId}?version=${encodeURIComponent(version)}${inWorkspace(request.workspaceId)}` }
          : {}),
      },
      body: stored as unknown as Json,
    }
    const precondition = mode === 'raise' ? preconditionOf(request) : undefined
    return answerOnce(store, principal.tenant, request, reply, answer, idempotency =>
      publishTemplates(store, writerOf(request, principal, idempotency), [stored], { mode, origin: 'user', precondition }),
    )
  }
}

/** The If-Match precondition of a write, checked inside the commit. */
function preconditionOf({ headers }: FastifyRequest): Precondition | undefined {
  const header = headers['if-match']
  return header === undefined ? undefined : digest => isSame(header, tagOf(digest))
}

const inWorkspace = (workspaceId: string | null): string => (workspaceId === null ? '' : `&workspaceId=${encodeURIComponent(workspaceId)}`)

/** A template may be sent with its workspace. The stored template does not contain it. */
const dropWorkspace: preValidationHookHandler = (request, _reply, done) => {
  if (isObject(request.body as Json)) delete (request.body as { workspaceId?: unknown }).workspaceId
  done()
}
