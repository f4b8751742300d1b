import { aType } from '../../../pack/type-name.ts'
import { inPrompt, type Rule } from '../../rule.ts'

export const variableType: Rule = {
  name: 'variable-type',
  summary: 'A variable is used as its type allows: loops go over arrays and objects, fields are looked up in objects.',
  severity: 'error',

  *check({ uses: { uses }, variables }) {
    for (const { variable, path, as, at } of uses) {
      const type = variables.get(variable ?? '')?.type
      if (type === undefined || type === 'array' || type === 'object') continue
      if (as === 'each' && path.length === 0)
        yield { message: `#each cannot go over "${variable}": it is ${aType(type)}`, at: inPrompt(at) }
      const [field] = path
      if (field !== undefined && field !== '*' && !(type === 'string' && field === 'length'))
        yield { severity: 'warning', message: `"${variable}" is ${aType(type)}: it has no "${field}"`, at: inPrompt(at) }
    }
  },
}
