import { documentsOf, twins } from '../../documents.ts'
import type { LayoutRule } from '../../rule.ts'

export const workflowValid: LayoutRule = {
  name: 'workflow-valid',
  summary:
    'Every workflow can be run: it is of its format, its edges lead to nodes that are there, every cycle has a bound, and no other file has its id.',
  severity: 'error',

  *checkLayout(layout) {
    const { workflows } = documentsOf(layout)
    for (const { found } of workflows) yield* found
    yield* twins(workflows, ({ id }) => id, 'id')
    for (const { file, read } of workflows) {
      const problem = read === null || read.configurableSchema === null ? null : layout.checkSchema(read.configurableSchema)
      if (problem !== null) yield { file, pointer: ['configurableSchema'], message: `It is not a JSON Schema: ${problem}` }
    }
  },
}
