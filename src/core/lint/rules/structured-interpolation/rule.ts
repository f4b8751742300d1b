import { aType } from '../../../pack/values.ts'
import { inPrompt, type Rule, variableNamed } from '../../rule.ts'

export const structuredInterpolation: Rule = {
  name: 'structured-interpolation',
  summary: 'Arrays and objects are written with #each or by field; a plain {{tag}} prints them as JSON.',
  severity: 'info',

  *check(subject) {
    for (const { variable, path, as, at } of subject.uses.uses) {
      if (as !== 'text' || path.length > 0) continue
      const type = variable === 'constraints' || variable === 'refusalRules' ? 'array' : variableNamed(subject, variable)?.type
      if (type === 'array' || type === 'object')
        yield {
          message: `"${variable}" is ${aType(type)}: it prints as JSON here`,
          at: inPrompt(at),
          suggestion: `use {{#each ${variable}}}…{{/each}}${type === 'object' ? ` or {{${variable}.field}}` : ''} if that is not meant`,
        }
    }
  },
}
