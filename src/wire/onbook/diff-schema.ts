// Schema of the diff query: which two runs or steps to compare.
import { Type } from 'typebox'
import { runParams } from './runs.ts'
import { CLOSED } from './schema-parts.ts'

export const diffQuery = Type.Object(
  {
    with: Type.Optional(Type.Index(runParams, ['runId'])),
    nodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    steps: Type.Optional(Type.String({ maxLength: 50, description: 'Two steps of that node: 1..2, or with their visits 1.2..2.1.' })),
  },
  CLOSED,
)
