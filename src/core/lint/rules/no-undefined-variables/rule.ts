import { nearest } from '../../../pack/nearest.ts'
import { isBuiltIn } from '../../../pack/pack.ts'
import { inPrompt, type Rule } from '../../rule.ts'

export const noUndefinedVariables: Rule = {
  name: 'no-undefined-variables',
  summary: 'Every variable that systemPrompt uses is declared under variables.',
  severity: 'error',

  *check({ draft: { declared }, uses: { uses, misplaced } }) {
    for (const { message, at } of misplaced) yield { message, at: inPrompt(at) }
    if (declared === null) return
    for (const { variable, named, at } of uses) {
      if (!named || variable === null || isBuiltIn(variable) || declared.has(variable)) continue
      const meant = nearest(variable, declared)
      const suggestion = meant === null ? 'declare it under variables' : `did you mean "${meant}"?`
      yield { message: `"${variable}" is used but not declared`, at: inPrompt(at), suggestion }
    }
  },
}
