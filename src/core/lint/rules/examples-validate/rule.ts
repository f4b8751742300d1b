import { pointerText } from '../../../schema/pointer.ts'
import type { Found, Rule, Subject } from '../../rule.ts'

export const examplesValidate: Rule = {
  name: 'examples-validate',
  summary: 'Every example matches its schemas: input inputSchema, expectedOutput outputSchema.',
  severity: 'error',

  *check(subject) {
    for (const { index, name, expectedOutput } of subject.draft.examples) {
      yield* judge(subject, index, name, 'input')
      if (expectedOutput !== undefined) yield* judge(subject, index, name, 'expectedOutput')
      const first = subject.draft.examples.find(example => example.name === name)!
      if (first.index !== index)
        yield { severity: 'warning', message: `Two examples are named "${name}"`, at: { pointer: ['examples', index, 'name'] } }
    }
  },
}

function* judge({ verdict }: Subject, index: number, name: string, field: 'input' | 'expectedOutput'): Iterable<Found> {
  const pointer = ['examples', index, field]
  const answer = verdict(pointer)
  if (answer === undefined)
    yield { severity: 'info', message: `${field} of "${name}" was not checked: its schema is not usable`, at: { pointer, key: true } }
  else if (answer.outcome === 'unusable')
    yield { message: `${field} of "${name}" could not be checked: ${answer.message}`, at: { pointer, key: true } }
  else if (answer.outcome === 'invalid')
    for (const mismatch of answer.mismatches)
      yield {
        message: `${field} of "${name}" ${mismatch.message}${mismatch.pointer.length > 0 ? ` (${pointerText(mismatch.pointer)})` : ''}`,
        at: { pointer: [...pointer, ...mismatch.pointer] },
      }
}
