import { inPrompt, type Rule } from '../../rule.ts'

export const unsupportedSyntax: Rule = {
  name: 'unsupported-syntax',
  summary: 'systemPrompt uses variables, #if, #unless, #each and #with, and nothing else of Handlebars.',
  severity: 'error',

  *check({ templateProblems }) {
    for (const problem of templateProblems)
      if (problem.code === 'unsupported-syntax') yield { message: problem.message, at: inPrompt(problem) }
  },
}
