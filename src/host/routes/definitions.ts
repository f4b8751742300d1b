// /v1/workflows and /v1/agents: publishes, reads, lists and removes documents. Both share the routes, with different validation.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { DefinitionKind } from '../../core/definition/published.ts'
import type { Json } from '../../core/digest/digest.ts'
import { agentInventory } from '../../engine/definitions/agent-inventory.ts'
import {
  notFound,
  type Precondition,
  type PreparedDefinition,
  type PublishedDefinition,
  publishDefinitions,
  removeDefinition,
} from '../../engine/definitions/publish.ts'
import { type DefinitionRow, findDefinition, listDefinitions } from '../../engine/definitions/rows.ts'
import { prepareSentAgent } from '../../engine/definitions/sent-agent.ts'
import { prepareWorkflow } from '../../engine/definitions/workflows.ts'
import { HOST_TENANT } from '../../engine/library/rows.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import {
  agentBody,
  agentsAnswer,
  agentsQuery,
  definitionBody,
  definitionParams,
  definitionsQuery,
  documentAnswer,
  idField,
  inventoryAnswer,
  publishedAgentAnswer,
  publishedWorkflowAnswer,
  workflowsAnswer,
} from '../../wire/onbook/definition-schema.ts'
import { principalOf } from '../access/access.ts'
import { isSame, isUnchanged, tagOf } from '../requests/entity-tags.ts'
import { type Answer, answerDecided, answerOnce } from '../requests/idempotent.ts'
import { answers, createdAnswers, emptyAnswers } from './answers.ts'

type Params = Readonly<Record<string, string>>
type Prepare = (document: Json) => PreparedDefinition
const DEFAULT_LIMIT = 50
const JSON_TYPE = 'application/json; charset=utf-8'

export function definitionRoutes(app: FastifyInstance, store: Store): void {
  routesOf(app, store, 'workflow', prepareWorkflow)
  routesOf(app, store, 'agent', prepareSentAgent)
}

function routesOf(app: FastifyInstance, store: Store, kind: DefinitionKind, prepare: Prepare): void {
  const path = `/v1/${kind}s`
  const named = idField(kind)
  const one = `${path}/:${named}`
  const params = definitionParams(kind)
  const toSummary = ({ tenant, id, name, version, revision, document, at, actor }: DefinitionRow) => ({
    [named]: id,
    name,
    version,
    revision,
    digest: document,
    source: tenant === HOST_TENANT ? 'host' : 'user',
    at,
    actor,
  })
  const publishedDefinition = kind === 'agent' ? publishedAgentAnswer : publishedWorkflowAnswer
  const toAnswer = ({ id, outcome, revision, digest }: PublishedDefinition): Answer => ({
    status: outcome === 'created' ? 201 : 200,
    headers: { etag: tagOf(digest), ...(outcome === 'created' ? { location: `${path}/${id}` } : {}) },
    body: { [named]: id, outcome, revision, digest },
  })
  const writerOf = (request: FastifyRequest) => {
    const { tenant, actor } = principalOf(request, `${kind}s:write`)
    return { tenant, actor }
  }

  const summaries = async (tenant: string, { cursor, limit }: Static<typeof definitionsQuery>): Promise<object> => {
    const most = Number(limit ?? DEFAULT_LIMIT)
    const rows: DefinitionRow[] = []
    for await (const row of listDefinitions(store, kind, tenant, cursor)) {
      if (rows.length === most) return { items: rows.map(toSummary), nextCursor: rows.at(-1)!.id }
      rows.push(row)
    }
    return { items: rows.map(toSummary) }
  }

  if (kind === 'agent') inventoryRoute(app, store, summaries)
  else
    app.get<{ Querystring: Static<typeof definitionsQuery> }>(
      path,
      {
        schema: {
          operationId: 'listWorkflows',
          querystring: definitionsQuery,
          response: answers(workflowsAnswer, "The tenant's own and the host's, by id."),
        },
      },
      request => summaries(principalOf(request, `${kind}s:read`).tenant, request.query),
    )

  app.get<{ Params: Params }>(
    one,
    {
      schema: {
        operationId: kind === 'agent' ? 'getAgent' : 'getWorkflow',
        params,
        response: answers(documentAnswer, 'The document as it was published.'),
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, `${kind}s:read`)
      const id = request.params[named]!
      const row = await findDefinition(store, kind, tenant, id)
      if (row === null) throw notFound(kind, id)
      const tag = tagOf(row.document)
      reply.header('etag', tag).header('cache-control', 'private, no-cache')
      if (isUnchanged(request.headers['if-none-match'], tag)) return reply.code(304).send()
      // The stored bytes, which the entity tag names.
      return reply.type(JSON_TYPE).send(await store.object(row.tenant, row.document))
    },
  )

  app.put<{ Params: Params; Body: Static<typeof definitionBody> }>(
    one,
    {
      schema: {
        operationId: kind === 'agent' ? 'putAgent' : 'putWorkflow',
        params,
        body: kind === 'agent' ? agentBody : definitionBody,
        response: {
          ...createdAnswers(publishedDefinition, `A ${kind} that was not there. What has begun with another document goes on with that.`),
          200: {
            ...publishedDefinition,
            description: 'Another document in the place of the one that was there; or the same, and nothing was written.',
          },
        },
      },
    },
    async (request, reply) => {
      const writer = writerOf(request)
      const definition = prepare(request.body as Json)
      if (definition.id !== request.params[named])
        throw new Fault('validation_error', { problem: 'the id in the body is another than in the path' })
      const precondition = preconditionOf(request)
      return answerDecided(store, writer.tenant, request, reply, async keep => {
        const idempotency = ([result]: readonly PublishedDefinition[]) => keep(toAnswer(result!))
        const { results, replayed } = await publishDefinitions(store, writer, [definition], { precondition, idempotency })
        return { answer: toAnswer(results[0]!), replayed }
      })
    },
  )

  app.delete<{ Params: Params }>(
    one,
    {
      schema: {
        operationId: kind === 'agent' ? 'deleteAgent' : 'deleteWorkflow',
        params,
        response: emptyAnswers('It is gone. What has begun with it goes on.'),
      },
    },
    async (request, reply) => {
      const writer = writerOf(request)
      const answer: Answer = { status: 204, headers: {}, body: null }
      const precondition = preconditionOf(request)
      return answerOnce(store, writer.tenant, request, reply, answer, idempotency =>
        removeDefinition(store, writer, kind, request.params[named]!, { precondition, idempotency }),
      )
    },
  )
}

/** GET /v1/agents: OpenWOP's inventory, or with `view=summaries` the published agents, in pages. */
function inventoryRoute(
  app: FastifyInstance,
  store: Store,
  summaries: (tenant: string, query: Static<typeof definitionsQuery>) => Promise<object>,
): void {
  const answer = Type.Union([inventoryAnswer, agentsAnswer])
  app.get<{ Querystring: Static<typeof agentsQuery> }>(
    '/v1/agents',
    {
      schema: {
        operationId: 'listAgents',
        querystring: agentsQuery,
        response: answers(answer, "The tenant's own agents and the host's, by id. `cursor` and `limit` go with `view=summaries`."),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'agents:read')
      const { view, ...page } = request.query
      if (view === 'summaries') return summaries(tenant, page)
      if (Object.keys(page).length > 0) throw new Fault('validation_error', { problem: 'cursor and limit go with view=summaries' })
      const agents = await agentInventory(store, tenant)
      return { agents, total: agents.length }
    },
  )
}

/** The If-Match or If-None-Match precondition of a write, checked inside the commit. */
function preconditionOf({ headers }: FastifyRequest): Precondition | undefined {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  if (match === undefined && noneMatch === undefined) return undefined
  return digest => {
    if (match !== undefined && (digest === null || !isSame(match, tagOf(digest)))) return false
    return digest === null || !isUnchanged(noneMatch, tagOf(digest))
  }
}
