import { digestText } from '../../../digest/digest.ts'
import { semanticDigest } from '../../../pack/pack.ts'
import { digestsOf } from '../../../schema/schemas.ts'
import type { Rule } from '../../rule.ts'

export const publishedChanged: Rule = {
  name: 'published-changed',
  summary: 'A version in onbook.registry.json never changes again: not its file, not the schemas it was registered with.',
  severity: 'error',

  *check({ registered, document, draft, pack, schemas }) {
    if (registered === null) return
    const at = { pointer: ['version'] }
    if (digestText(document.text) !== registered.digest) {
      const same = pack !== null && semanticDigest(pack) === registered.semantic
      yield {
        message: `This version is registered, but the file has changed since${same ? ' (in layout only)' : ''}`,
        at,
        suggestion: 'restore it, and bump for the change',
      }
    }
    for (const field of ['inputSchema', 'outputSchema'] as const) {
      for (const [uri, digest] of Object.entries(digestsOf(draft[field] ?? '', schemas))) {
        const before = registered.schemas[uri]
        if (before !== undefined && before !== digest)
          yield {
            message: `This version is registered, but the schema ${uri} has changed since`,
            at: { pointer: [field] },
            suggestion: 'give the changed schema a new $id',
          }
      }
    }
  },
}
