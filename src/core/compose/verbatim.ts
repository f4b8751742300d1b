// The user message of a verbatim prompt: objective and input as written. Adds no heading and no frame.
import { type Json, tryCanonicalJson } from '../digest/digest.ts'
import { sortedJson } from '../digest/indented-json.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { Trust } from './bind.ts'
import { fenced } from './foreign.ts'
import type { TaskSegment, TaskText } from './task.ts'
import type { TaskPayload } from './task-payload.ts'

/** How the input becomes text. */
export interface InputRules {
  /** Names that fill templates: their values are in the prompt already. */
  readonly bound: readonly string[]
  readonly trust: Readonly<Record<string, Trust>>
  /** Whether the input is always sent as JSON, because a schema describes it. */
  readonly json: boolean
  /** Whether a template of kind `user` takes the place of the input. */
  readonly replaced: boolean
}

const JOINER: TaskSegment = { text: '\n\n', from: null, trust: 'trusted' }
const MOST_DEPTH = 200

export function verbatimText(
  { objective, definitionOfDone, inputs = {}, handoffs }: Pick<TaskPayload, 'objective' | 'definitionOfDone' | 'inputs' | 'handoffs'>,
  rules: InputRules,
): TaskText {
  const parts: (readonly TaskSegment[])[] = []
  if (objective !== undefined) parts.push([{ text: objective, from: 'objective', trust: 'trusted' }])
  if (definitionOfDone !== undefined) parts.push([{ text: definitionOfDone, from: 'definitionOfDone', trust: 'trusted' }])
  if (!rules.replaced) {
    if (tryCanonicalJson(inputs, MOST_DEPTH) === null)
      return { ok: false, problems: [{ code: 'task_value_invalid', message: 'the input is not plain JSON in valid Unicode' }] }
    parts.push(inputSegments(inputs, rules))
    for (const [index, { message }] of handoffs.entries())
      parts.push([{ text: fenced(message), from: `handoffs.${index}.message`, trust: 'untrusted' }])
  }
  const filled = parts.filter(part => part.some(({ text }) => text.trim() !== ''))
  return { ok: true, segments: filled.flatMap((part, index) => (index === 0 ? part : [JOINER, ...part])) }
}

/** One text is sent as it is. Everything else is JSON, a field a line, names in order. */
export function inputSegments(inputs: JsonObject, { bound, trust, json }: Omit<InputRules, 'replaced'>): readonly TaskSegment[] {
  const names = Object.keys(inputs).sort()
  const trustIn = (name: string): Trust => (Object.hasOwn(trust, name) ? trust[name]! : 'trusted')
  const segment = (name: string, text: string): TaskSegment => {
    const from = `inputs.${names.indexOf(name)}`
    return trustIn(name) === 'trusted' ? { text, from, trust: 'trusted' } : { text: fenced(text), from, trust: 'untrusted' }
  }
  const rest = names.filter(name => !bound.includes(name))
  const only = rest.length === 1 ? inputs[rest[0]!]! : null
  if (rest.length === 0) return []
  if (!json && typeof only === 'string') return [segment(rest[0]!, only)]
  return rest.flatMap((name, index) => [
    own(`${index === 0 ? '{' : ','}\n  ${JSON.stringify(name)}: `),
    segment(name, nested(inputs[name]!)),
    ...(index === rest.length - 1 ? [own('\n}')] : []),
  ])
}

const own = (text: string): TaskSegment => ({ text, from: null, trust: 'trusted' })

/** Line breaks inside strings are escaped, so each one here is between two tokens. */
const nested = (value: Json): string => sortedJson(value).replaceAll('\n', '\n  ')
