import { nearest } from '../../../pack/nearest.ts'
import { closureOf } from '../../../schema/schemas.ts'
import type { Rule } from '../../rule.ts'

export const schemaRefsValid: Rule = {
  name: 'schema-refs-valid',
  summary: 'inputSchema and outputSchema, and every $ref they reach, name schemas under schemas/ that are valid themselves.',
  severity: 'error',

  *check({ draft, schemas, verdict }) {
    for (const field of ['inputSchema', 'outputSchema'] as const) {
      const uri = draft[field]
      if (uri === undefined) continue
      const at = { pointer: [field] }
      const closure = closureOf(uri, schemas)
      if (closure === null) {
        const meant = nearest(uri, schemas.keys())
        yield {
          message: `No schema under schemas/ has the $id ${uri}`,
          at,
          suggestion: meant === null ? 'add a schema with this $id' : `did you mean "${meant}"?`,
        }
        continue
      }
      for (const { ref, path } of closure.unresolved) yield { message: `$ref "${ref}" in ${path} leads nowhere`, at }
      for (const { message } of closure.faults) yield { message, at }
      const answer = verdict([field])
      if (answer?.outcome === 'unusable') yield { message: `${schemas.get(uri)?.path ?? uri} cannot be used: ${answer.message}`, at }
    }
  },
}
