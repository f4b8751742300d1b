// /v1/tools: what this host can do for a model, and whether the tenant that asks has a grant for it. Shows, and runs nothing.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { grantOf } from '../../core/gate/grants.ts'
import { principalOf } from '../access.ts'
import type { HostedSessions } from '../hosted-sessions.ts'
import { answers } from './answers.ts'
import { CLOSED } from './schema-parts.ts'

const toolsQuery = Type.Object({ session: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }, CLOSED)
const toolsAnswer = Type.Object(
  {
    tools: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          description: Type.String(),
          inputSchema: Type.Record(Type.String(), Type.Unknown()),
          repeatable: Type.Boolean(),
          granted: Type.Boolean(),
          approval: Type.Boolean(),
          reason: Type.String(),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)

export function toolRoutes(app: FastifyInstance, { bindings, grants }: HostedSessions): void {
  app.get<{ Querystring: Static<typeof toolsQuery> }>(
    '/v1/tools',
    {
      schema: {
        querystring: toolsQuery,
        response: answers(toolsAnswer, 'Tools that are bound, by name, and whether a session, or one that no grant names, may use them.'),
      },
    },
    async request => {
      const { tenant } = principalOf(request, 'tools:read')
      const { session: agent = '' } = request.query
      const tools = [...bindings.values()].map(({ descriptor, repeatable = false }) => ({
        ...descriptor,
        repeatable,
        ...grantOf(grants, { tool: descriptor.name, tenant, agent, role: null }),
      }))
      return { tools: tools.sort((one, other) => (one.name < other.name ? -1 : 1)) }
    },
  )
}
