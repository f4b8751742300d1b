// Schemas of role requests and answers.
import { Type } from 'typebox'
import { CLOSED, digest, nullable } from './schema-parts.ts'

export const nameParams = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }, CLOSED)

const source = Type.Enum(['repo', 'shipped'])
const requests = Type.Array(Type.String())
const place = Type.Integer({ minimum: 1 })
const problem = Type.Object(
  {
    severity: Type.Enum(['error', 'warning', 'info']),
    message: Type.String(),
    position: nullable(
      Type.Object({ line: place, column: place }, { ...CLOSED, description: 'Null when it is about the file as a whole.' }),
    ),
    suggestion: Type.Optional(Type.String()),
  },
  CLOSED,
)
export const rolesAnswer = Type.Object(
  {
    roles: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          source,
          version: nullable(Type.String({ description: 'Null when the role cannot be used.' })),
          requests,
          shadows: Type.Boolean({ description: 'Whether it replaces a shipped role of the same name.' }),
          problems: Type.Array(problem),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
)
export const roleAnswer = Type.Object(
  {
    name: Type.String(),
    source,
    version: Type.String(),
    ref: Type.String(),
    digest,
    requests,
    constraints: Type.Array(Type.String()),
    text: Type.String({ description: 'For the model: without the head.' }),
    raw: Type.String({ description: 'The whole file. The digest names it.' }),
  },
  CLOSED,
)
