import type { Rule } from '../../rule.ts'

const EDGE = /\b(?:edge|empty|missing|invalid|refus|error|boundary|ambiguous|unknown|none|zero|large|long|malformed|conflict|clarif)/i

export const exampleMissing: Rule = {
  name: 'example-missing',
  summary: 'The pack has an example with an expected output, and shows an edge case.',
  severity: 'warning',

  *check({ draft: { examples }, document }) {
    const written = (document.value as { examples?: unknown } | undefined)?.examples
    const at = { pointer: ['examples'], key: true }
    if (examples.length === 0) {
      if (!Array.isArray(written) || written.length === 0)
        yield {
          message: 'The pack has no examples, so nothing can be tested',
          at,
          suggestion: 'add a realistic input with its expectedOutput',
        }
      return
    }
    if (!examples.some(({ expectedOutput }) => expectedOutput !== undefined))
      yield { message: 'No example says what is expected: tests can only check the schema', at, suggestion: 'add expectedOutput' }
    if (!examples.some(({ name }) => EDGE.test(name)))
      yield {
        severity: 'info',
        message: 'No example shows an edge case',
        at,
        suggestion: 'add one, named for what it shows: "Empty list", "Missing field"',
      }
  },
}
