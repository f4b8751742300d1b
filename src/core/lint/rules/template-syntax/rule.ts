import { inPrompt, type Rule } from '../../rule.ts'

export const templateSyntax: Rule = {
  name: 'template-syntax',
  summary: 'Every {{tag}} in systemPrompt is well-formed, and every block is closed.',
  severity: 'error',

  *check({ templateProblems }) {
    for (const problem of templateProblems)
      if (problem.code === 'template-syntax') yield { message: problem.message, at: inPrompt(problem) }
  },
}
