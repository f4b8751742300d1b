import { findDisables } from '../../disable.ts'
import type { Rule } from '../../rule.ts'

export const disableComment: Rule = {
  name: 'disable-comment',
  summary: 'A disable comment names rules that exist and gives a reason; without one it has no effect.',
  severity: 'error',

  *check({ document, ruleNames }) {
    for (const { rules, reason, line, at } of findDisables(document)) {
      const where = { pointer: [], source: at }
      if (line === undefined)
        yield {
          message: 'This comment does not name a rule',
          at: where,
          suggestion: 'write onbook-disable-next-line, -line or -file',
        }
      if (rules.length === 0)
        yield { message: 'This comment names no rule', at: where, suggestion: 'write onbook-disable-next-line <rule> -- <reason>' }
      for (const name of rules) if (!ruleNames.has(name)) yield { message: `There is no rule "${name}"`, at: where }
      if (reason === '' && rules.length > 0) yield { message: 'This comment gives no reason', at: where, suggestion: 'add one behind --' }
    }
  },
}
