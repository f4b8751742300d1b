import { isBuiltIn } from '../../../pack/pack.ts'
import { aType } from '../../../pack/type-name.ts'
import { inPrompt, type Rule } from '../../rule.ts'

export const structuredInterpolation: Rule = {
  name: 'structured-interpolation',
  summary: 'Arrays and objects are written with #each or by field; a plain {{tag}} prints them as JSON.',
  severity: 'info',

  *check({ uses: { uses }, variables }) {
    for (const { variable, path, as, at } of uses) {
      if (as !== 'text' || path.length > 0 || variable === null) continue
      const type = isBuiltIn(variable) ? 'array' : variables.get(variable)?.type
      if (type === 'array' || type === 'object')
        yield {
          message: `"${variable}" is ${aType(type)}: it prints as JSON here`,
          at: inPrompt(at),
          suggestion: `use {{#each ${variable}}}…{{/each}}${type === 'object' ? ` or {{${variable}.field}}` : ''} if that is not meant`,
        }
    }
  },
}
