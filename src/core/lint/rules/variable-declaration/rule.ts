import { isBuiltIn } from '../../../pack/pack.ts'
import { aType, typeName } from '../../../pack/type-name.ts'
import { hasType } from '../../../pack/values.ts'
import { RESERVED } from '../../../template/tag.ts'
import type { Rule } from '../../rule.ts'

export const variableDeclaration: Rule = {
  name: 'variable-declaration',
  summary: 'A variable is declared once, under a name that is not reserved, with a default of its own type.',
  severity: 'error',

  *check({ draft, variables }) {
    for (const { index, name, type, required, default: fallback } of draft.variables) {
      const at = { pointer: ['variables', index, 'name'] }
      if (variables.get(name)?.index !== index) yield { message: `"${name}" is declared twice`, at }
      if (RESERVED.has(name))
        yield { message: `"${name}" is a reserved word of the template language`, at, suggestion: 'choose another name' }
      if (isBuiltIn(name))
        yield { message: `"${name}" is built in: it holds the pack's own ${name}`, at, suggestion: 'choose another name' }
      if (fallback === undefined || fallback === null) continue
      const defaultAt = { pointer: ['variables', index, 'default'] }
      if (!hasType(fallback, type))
        yield { message: `The default of "${name}" must be ${aType(type)}, not ${aType(typeName(fallback))}`, at: defaultAt }
      else if (required)
        yield {
          severity: 'warning',
          message: `"${name}" is required and has a default: the default wins, so it is never missing`,
          at: defaultAt,
          suggestion: 'drop one of the two',
        }
    }
  },
}
