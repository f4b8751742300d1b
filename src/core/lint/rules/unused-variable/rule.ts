import type { Rule } from '../../rule.ts'

export const unusedVariable: Rule = {
  name: 'unused-variable',
  summary: 'Every declared variable is used in systemPrompt.',
  severity: 'warning',

  *check({ draft, template, uses: { uses } }) {
    if (template === null || uses.some(({ variable }) => variable === null)) return
    const used = new Set(uses.map(({ variable }) => variable))
    for (const { name, index } of draft.variables) {
      if (!used.has(name))
        yield {
          message: `"${name}" is declared but never used`,
          at: { pointer: ['variables', index, 'name'] },
          suggestion: `use {{${name}}} or remove it`,
        }
    }
  },
}
