import { findSections, type Section } from '../../../template/sections.ts'
import { type Found, inPrompt, type Rule, type Severity } from '../../rule.ts'

const REQUIRED = ['OBJECTIVE', 'INPUT', 'OUTPUT', 'CONSTRAINTS', 'REFUSAL RULES']

export const requiredSections: Rule = {
  name: 'required-sections',
  summary:
    'systemPrompt has the sections OBJECTIVE, INPUT, OUTPUT, CONSTRAINTS and REFUSAL RULES, each with a heading of its own and something to say.',
  severity: 'error',
  options: { sections: REQUIRED },

  *check({ draft, template }, { sections }) {
    if (template === null) return
    const names = sections as readonly string[]
    const matches = findSections(template, names)
    for (const name of names) {
      const severity: { severity?: Severity } =
        name === 'REFUSAL RULES' && (draft.refusalRules?.length ?? 0) > 0 ? { severity: 'warning' } : {}
      yield* judge(
        name,
        matches.filter(section => section.name === name),
        severity,
      )
    }
  },
}

function* judge(name: string, sections: readonly Section[], severity: { severity?: Severity }): Iterable<Found> {
  const [first] = sections
  if (first === undefined)
    yield {
      ...severity,
      message: `The section ${name} is missing`,
      at: { pointer: ['systemPrompt'], key: true },
      suggestion: `add a heading: ## ${name}`,
    }
  else if (sections.every(section => section.conditional))
    yield { severity: 'warning', message: `The section ${name} is inside a block: it may be left out`, at: inPrompt(first.at) }
  else if (sections.every(section => section.empty))
    yield { severity: 'warning', message: `The section ${name} is empty`, at: inPrompt(first.at) }
}
