import type { Rule } from '../../rule.ts'

export const ambiguousScalar: Rule = {
  name: 'ambiguous-scalar',
  summary: 'Text that other YAML readers take for a date or a boolean is in quotes.',
  severity: 'warning',
  fixable: true,

  *check({ document }) {
    for (const { pointer, value, readAs } of document.ambiguous) {
      yield {
        message: `${value} without quotes is text here, but a ${readAs} to other YAML readers`,
        at: { pointer },
        suggestion: `write ${JSON.stringify(value)}`,
        fix: { pointer, value },
      }
    }
  },
}
