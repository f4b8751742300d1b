import { pointerText } from '../../../schema/pointer.ts'
import type { Found, Rule, Subject } from '../../rule.ts'

const SCHEMA_OF = { input: 'inputSchema', expectedOutput: 'outputSchema' } as const

export const examplesValidate: Rule = {
  name: 'examples-validate',
  summary: 'Every example matches its schemas: input inputSchema, expectedOutput outputSchema.',
  severity: 'error',

  *check(subject) {
    const names = new Set<string>()
    for (const { index, name, expectedOutput } of subject.draft.examples) {
      yield* judge(subject, index, name, 'input')
      if (expectedOutput !== undefined) yield* judge(subject, index, name, 'expectedOutput')
      if (names.has(name))
        yield { severity: 'warning', message: `Two examples are named "${name}"`, at: { pointer: ['examples', index, 'name'] } }
      names.add(name)
    }
  },
}

function* judge({ verdict }: Subject, index: number, name: string, field: 'input' | 'expectedOutput'): Iterable<Found> {
  const pointer = ['examples', index, field]
  const answer = verdict(pointer)
  // The schema's own fault has a finding of its own: one fault, one error.
  if (answer === undefined || verdict([SCHEMA_OF[field]])?.outcome === 'unusable')
    yield { severity: 'info', message: `${field} of "${name}" was not checked: its schema cannot be used`, at: { pointer, key: true } }
  else if (answer.outcome === 'unusable')
    yield { message: `${field} of "${name}" could not be checked: ${answer.message}`, at: { pointer, key: true } }
  else if (answer.outcome === 'invalid')
    for (const mismatch of answer.mismatches)
      yield {
        message: `${field} of "${name}" ${mismatch.message}${mismatch.pointer.length > 0 ? ` (${pointerText(mismatch.pointer)})` : ''}`,
        at: { pointer: [...pointer, ...mismatch.pointer] },
      }
}
