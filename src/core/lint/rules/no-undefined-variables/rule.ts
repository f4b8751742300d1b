import { isBuiltIn } from '../../../pack/pack.ts'
import { nearest } from '../../nearest.ts'
import { inPrompt, type Rule, variableNamed } from '../../rule.ts'

export const noUndefinedVariables: Rule = {
  name: 'no-undefined-variables',
  summary: 'Every variable that systemPrompt uses is declared under variables.',
  severity: 'error',

  *check(subject) {
    const { uses, misplaced } = subject.uses
    const declared = subject.draft.variables.map(({ name }) => name)
    for (const { variable, named, at } of uses) {
      if (!named || variable === null || isBuiltIn(variable) || variableNamed(subject, variable) !== undefined) continue
      const meant = nearest(variable, declared)
      const suggestion = meant === null ? `declare it under variables` : `did you mean "${meant}"?`
      yield { message: `"${variable}" is used but not declared`, at: inPrompt(at), suggestion }
    }
    for (const { message, at } of misplaced) yield { message, at: inPrompt(at) }
  },
}
