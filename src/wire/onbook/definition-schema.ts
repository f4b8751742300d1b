// Schemas of workflow and agent requests and answers. Their documents are validated by the code that reads them.
import { Type } from 'typebox'
import type { DefinitionKind } from '../../core/definition/published.ts'
import { CLOSED, digest, jsonMap, limit, nullable } from './schema-parts.ts'

const id = Type.String({ pattern: '^[a-z][A-Za-z0-9._-]{0,255}$' })
const revision = Type.Integer({ minimum: 1 })

export const definitionBody = jsonMap
/** An agent alone, or an OpenWOP manifest with the file that its systemPromptRef names. */
export const agentBody = Type.Union([
  Type.Object(
    {
      manifest: jsonMap,
      files: Type.Record(Type.String(), Type.String({ maxLength: 65_536 }), {
        maxProperties: 1,
        description: 'The text of the file that systemPromptRef names, by that path.',
      }),
    },
    CLOSED,
  ),
  jsonMap,
])
export const definitionsQuery = Type.Object({ cursor: Type.Optional(id), limit: Type.Optional(limit) }, CLOSED)
/** OpenWOP's list of agents has no pages and no revisions. `view=summaries` selects our own list. */
export const agentsQuery = Type.Object({ ...definitionsQuery.properties, view: Type.Optional(Type.Literal('summaries')) }, CLOSED)
export const documentAnswer = Type.Object({}, { additionalProperties: true })

export const idField = (kind: DefinitionKind) => `${kind}Id` as const
export const definitionParams = (kind: DefinitionKind) => Type.Object({ [idField(kind)]: id }, CLOSED)

const published = {
  outcome: Type.Enum(['created', 'replaced', 'unchanged'], { description: '`created` where there was none, or none any more.' }),
  revision,
  digest,
}
export const publishedAgentAnswer = Type.Object({ agentId: id, ...published }, CLOSED)
export const publishedWorkflowAnswer = Type.Object({ workflowId: id, ...published }, CLOSED)

const text = Type.String()
/** AgentInventoryResponse, RFC 0072. */
export const inventoryAnswer = Type.Object(
  {
    agents: Type.Array(
      Type.Object(
        {
          agentId: text,
          persona: text,
          label: text,
          description: Type.Optional(text),
          modelClass: text,
          packName: text,
          packVersion: text,
          toolAllowlist: Type.Array(text),
          hasHandoffSchemas: Type.Boolean(),
          confidenceThreshold: Type.Optional(Type.Number()),
        },
        CLOSED,
      ),
    ),
    total: Type.Integer({ minimum: 0 }),
  },
  CLOSED,
)

const summary = {
  name: Type.String(),
  version: nullable(Type.String()),
  revision,
  digest,
  source: Type.Enum(['host', 'user'], { description: '`host`: shipped with the host, and read only.' }),
  at: Type.String(),
  actor: Type.String(),
}
const pageOf = <Item extends Type.TSchema>(item: Item) => Type.Object({ items: Type.Array(item), nextCursor: Type.Optional(id) }, CLOSED)
export const agentsAnswer = pageOf(Type.Object({ agentId: id, ...summary }, CLOSED))
export const workflowsAnswer = pageOf(Type.Object({ workflowId: id, ...summary }, CLOSED))
