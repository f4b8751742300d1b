// /v1/tools: the tools of this host and of MCP servers, and whether the caller's tenant has a grant for each. Adopting binds a tool; it neither
// grants nor runs it.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { SERVER_NAME } from '../../../core/tools/foreign-tools.ts'
import { adoptTools, dropTools, serverToAdoptFrom } from '../../../engine/tools/adoptions.ts'
import { showTools } from '../../../engine/tools/show-tools.ts'
import { CLOSED, digest, nullable } from '../../../wire/onbook/schema-parts.ts'
import { principalOf } from '../../access/access.ts'
import { answers } from '../answers.ts'
import type { SessionRouteParts } from '../sessions/writes.ts'

const toolsQuery = Type.Object({ session: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }, CLOSED)
const shownTool = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    inputSchema: Type.Record(Type.String(), Type.Unknown()),
    server: nullable(Type.String()),
    state: Type.Enum(['bound', 'adopted', 'new', 'changed', 'missing']),
    offered: Type.Boolean(),
    repeatable: Type.Boolean(),
    granted: Type.Boolean(),
    grantedToSome: Type.Optional(Type.Boolean()),
    approval: Type.Boolean(),
    reason: Type.String(),
    tool: Type.Optional(Type.String()),
    descriptor: Type.Optional(digest),
    adopted: Type.Optional(Type.Object({ descriptor: digest, by: Type.String(), at: Type.String(), reads: Type.Boolean() }, CLOSED)),
    difference: Type.Optional(Type.String()),
  },
  CLOSED,
)
const shownServer = Type.Object({ server: Type.String(), problem: nullable(Type.String()), leftOut: Type.Array(Type.String()) }, CLOSED)
const toolsAnswer = Type.Object({ tools: Type.Array(shownTool), servers: Type.Array(shownServer) }, CLOSED)

const server = Type.String({ pattern: SERVER_NAME, maxLength: 32 })
const tools = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 1_000, uniqueItems: true }))
const reads = Type.Optional(Type.Boolean({ description: 'Confirms that the tools only read: they may be used in planning.' }))
const adoptBody = Type.Object({ server, tools, descriptor: Type.Optional(digest), reads }, CLOSED)
const dropBody = Type.Object({ server, tools }, CLOSED)
const named = { name: Type.String(), tool: Type.String() }
const adoptAnswer = Type.Object(
  { adopted: Type.Array(Type.Object({ ...named, descriptor: digest, before: nullable(digest), reads: Type.Boolean() }, CLOSED)) },
  CLOSED,
)
const dropAnswer = Type.Object({ dropped: Type.Array(Type.Object(named, CLOSED)) }, CLOSED)

export function toolRoutes(app: FastifyInstance, { store, sessions }: SessionRouteParts): void {
  const { servers = new Map() } = sessions

  app.get<{ Querystring: Static<typeof toolsQuery> }>(
    '/v1/tools',
    {
      schema: {
        operationId: 'listTools',
        querystring: toolsQuery,
        response: answers(toolsAnswer, 'Tools by name, how each stands, and whether a session, or one that no grant names, may use it.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'tools:read')
      return showTools(store, sessions, { tenant, agent: request.query.session ?? '' })
    },
  )

  app.post<{ Body: Static<typeof adoptBody> }>(
    '/v1/tools::adopt',
    {
      schema: {
        operationId: 'adoptTools',
        body: adoptBody,
        response: answers(adoptAnswer, 'Those that are bound from now on, as they are listed now.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'tools:write')
      const { server, tools = null, ...expected } = request.body
      const from = serverToAdoptFrom(servers, principal, server)
      return { adopted: await adoptTools(store, from, { server, tools, ...expected, actor: principal.actor }) }
    },
  )

  app.post<{ Body: Static<typeof dropBody> }>(
    '/v1/tools::drop',
    { schema: { operationId: 'dropTools', body: dropBody, response: answers(dropAnswer, 'Those that are bound no longer.') } },
    async request => {
      const principal = principalOf(request, 'tools:write')
      const { server, tools = null } = request.body
      // The operator may also drop tools of a server that the host no longer has.
      if (principal.isOperator !== true) serverToAdoptFrom(servers, principal, server)
      return { dropped: await dropTools(store, { server, tools, actor: principal.actor }) }
    },
  )
}
