import type { Example, Listed } from '../../../pack/pack.ts'
import { bindValues, isNeeded } from '../../../pack/values.ts'
import { pointerText } from '../../../schema/pointer.ts'
import type { Found, Rule, Subject } from '../../rule.ts'

const SCHEMA_OF = { input: 'inputSchema', expectedOutput: 'outputSchema' } as const

export const examplesValidate: Rule = {
  name: 'examples-validate',
  summary:
    'Every example matches its schemas (input inputSchema, expectedOutput outputSchema) and gives each variable a value of its type.',
  severity: 'error',

  *check(subject) {
    const names = new Set<string>()
    const needed = [...subject.variables.values()].filter(isNeeded).map(variable => variable.name)
    for (const example of subject.draft.examples) {
      const { index, name, expectedOutput } = example
      yield* judge(subject, index, name, 'input')
      if (expectedOutput !== undefined) yield* judge(subject, index, name, 'expectedOutput')
      yield* judgeVariables(subject, needed, example)
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

function* judgeVariables({ draft, variables }: Subject, needed: readonly string[], example: Listed<Example>): Iterable<Found> {
  const { index, name, variables: values = {} } = example
  // The others cannot be wrong, and a pack may declare thousands.
  const declarations = [...new Set([...needed, ...Object.keys(values)])].flatMap(one => variables.get(one) ?? [])
  const bound = bindValues({ id: draft.id ?? 'this pack', variables: declarations }, values)
  if (bound.ok) return
  const pointer = ['examples', index, 'variables']
  for (const { code, variable, message } of bound.problems) {
    // Declared, but not soundly: that has a finding of its own.
    if (code === 'value-undeclared' && (draft.declared === null || draft.declared.has(variable))) continue
    const at = Object.hasOwn(values, variable)
      ? { pointer: [...pointer, variable], key: code === 'value-undeclared' }
      : { pointer, key: true }
    yield { message: `variables of "${name}": ${message}`, at }
  }
}
