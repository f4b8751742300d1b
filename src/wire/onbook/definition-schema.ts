// Workflows and agents as they are sent and received. What is in a document is judged by whoever reads it.
import { Type } from 'typebox'
import type { DefinitionKind } from '../../core/definition/published.ts'
import { CLOSED, digest, jsonMap, limit, nullable } from './schema-parts.ts'

const id = Type.String({ pattern: '^[a-z][A-Za-z0-9._-]{0,255}$' })
const revision = Type.Integer({ minimum: 1 })

export const definitionBody = jsonMap
/** An agent alone, or a manifest of OpenWOP with the file that its systemPromptRef names. */
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
/** OpenWOP's list of agents has no pages and says nothing of revisions. Ours is another view of the same. */
export const agentsQuery = Type.Object({ ...definitionsQuery.properties, view: Type.Optional(Type.Literal('summaries')) }, CLOSED)
export const documentAnswer = Type.Object({}, { additionalProperties: true })

export const idField = (kind: DefinitionKind) => `${kind}Id` as const
export const definitionParams = (kind: DefinitionKind) => Type.Object({ [idField(kind)]: id }, CLOSED)

export const publishedAnswer = (kind: DefinitionKind) =>
  Type.Object({ [idField(kind)]: id, outcome: Type.Enum(['created', 'replaced', 'unchanged']), revision, digest }, CLOSED)

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

export const definitionsAnswer = (kind: DefinitionKind) => {
  const item = Type.Object(
    {
      [idField(kind)]: id,
      name: Type.String(),
      version: nullable(Type.String()),
      revision,
      digest,
      source: Type.Enum(['host', 'user']),
      at: Type.String(),
      actor: Type.String(),
    },
    CLOSED,
  )
  return Type.Object({ items: Type.Array(item), nextCursor: Type.Optional(id) }, CLOSED)
}
