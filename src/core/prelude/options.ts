// The options that a prelude may set beside its messages. Defaults only: options of a step or a run win.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import type { Mismatch } from '../schema/verdict.ts'

type Check = readonly [is: (value: Json) => boolean, what: string]

const NUMBER: Check = [value => typeof value === 'number' && value >= 0, 'a number from 0']
const OPTIONS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['temperature', NUMBER],
  ['topP', NUMBER],
  ['maxTokens', [value => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number from 1']],
  ['reasoningEffort', [value => ['low', 'medium', 'high'].includes(value as string), 'low, medium or high']],
  ['stopSequences', [value => Array.isArray(value) && value.every(one => typeof one === 'string'), 'a list of texts']],
  ['toolChoice', [isToolChoice, 'auto, none, required, or an object that names a tool']],
  ['responseFormat', [value => isObject(value) || (typeof value === 'string' && value !== ''), 'a JSON Schema, or the path of one']],
])

function isToolChoice(value: Json): boolean {
  return ['auto', 'none', 'required'].includes(value as string) || (isObject(value) && typeof value.tool === 'string')
}

export function* optionProblems(options: Json): Iterable<Mismatch> {
  if (!isObject(options)) return yield { pointer: ['options'], message: 'it must be an object of options' }
  for (const [name, value] of Object.entries(options)) {
    const pointer = ['options', name]
    const check = OPTIONS.get(name)
    if (check === undefined) yield { pointer, message: `there is no option "${name}": there is ${[...OPTIONS.keys()].join(', ')}` }
    else if (!check[0](value)) yield { pointer, message: `it must be ${check[1]}` }
  }
}
