import { findSections, reveal } from '../../../template/sections.ts'
import { type Found, inPrompt, type Rule } from '../../rule.ts'

interface Vague {
  readonly pattern: RegExp
  readonly message: string
  readonly suggestion: string
}

const VAGUE: readonly Vague[] = [
  {
    pattern:
      /\b(?:process|handle|deal with|analy[sz]e|treat|manage)\b[^.\n]{0,60}\b(?:appropriately|properly|correctly|accordingly|as needed|as necessary|suitably)\b/gi,
    message: 'does not say what to do',
    suggestion: 'name the operation and its criterion',
  },
  {
    pattern:
      /\b(?:appropriately|as appropriate|as needed|as necessary|if necessary|and so on|etc\.|best judg(?:e)?ment|good quality|high quality)(?![a-z])/gi,
    message: 'leaves the decision to the model',
    suggestion: 'say what decides',
  },
  {
    pattern: /\b(?:reasonable|sensible|safe) assumptions?\b|\bassume (?:reasonably|sensibly)\b|\buse common sense\b/gi,
    message: 'allows assumptions without saying which',
    suggestion: 'list what to assume, and where to document it',
  },
]

/** OUTPUT ends where one of the others begins. */
const SECTIONS = ['OBJECTIVE', 'INPUT', 'OUTPUT', 'CONSTRAINTS', 'REFUSAL RULES']

export const vagueInstruction: Rule = {
  name: 'vague-instruction',
  summary: 'Instructions are specific, OUTPUT names the output schema, and assumptions are spelled out.',
  severity: 'info',

  *check({ draft, template }) {
    if (template === null) return
    yield* vagueWords(reveal(template).visible)
    const output = findSections(template, SECTIONS).filter(section => section.name === 'OUTPUT')
    const [first] = output
    if (first === undefined || draft.outputSchema === undefined) return
    const name = draft.outputSchema
      .split(/[/:]/)
      .at(-1)!
      .replace(/(?:\.schema)?\.json$/, '')
    if (output.every(section => !section.body.includes(draft.outputSchema!) && !section.body.toLowerCase().includes(name.toLowerCase())))
      yield {
        message: 'OUTPUT does not name the schema that the output must match',
        at: inPrompt(first.at),
        suggestion: `mention ${draft.outputSchema}`,
      }
  },
}

function* vagueWords(text: string): Iterable<Found> {
  const seen: { start: number; end: number }[] = []
  for (const { pattern, message, suggestion } of VAGUE) {
    for (const { 0: words, index } of text.matchAll(pattern)) {
      const span = { start: index, end: index + words.length }
      if (seen.some(({ start, end }) => start <= span.start && span.start < end)) continue
      seen.push(span)
      yield { message: `"${words}" ${message}`, at: inPrompt(span), suggestion }
    }
  }
}
