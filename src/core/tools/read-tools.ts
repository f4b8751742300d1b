// Reads the tools in objects' bytes, in the form that a model sees, and which of them it must or may use. A visible tool
// is not granted.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { type ContentProblem, isSound } from '../messages/content.ts'
import { firstText } from '../messages/read-parts.ts'
import { type Descriptor, readCatalog } from './catalog.ts'

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string }

export interface ToolSet {
  readonly tools: readonly Descriptor[]
  readonly toolChoice?: ToolChoice
}

export type ReadTools = ({ readonly ok: true } & ToolSet) | { readonly ok: false; readonly problem: ContentProblem }

/** One object. Its schemas were judged when they were adopted; here they are passed on. */
export function readTools(bytes: Uint8Array): ReadTools {
  const read = readCatalog('', bytes, () => null)
  if (!read.ok) return refuse('tools_invalid', read.problems[0]!.message, read.problems[0]!.pointer)
  const { descriptors: tools, toolChoice: choice } = read.value
  const unsound = tools.find(({ inputSchema }) => !isSound(inputSchema))
  if (unsound !== undefined)
    return refuse('tools_invalid', `the parameters of ${unsound.name} hold a number that is too large, or are too deep`)
  if (choice === null) return { ok: true, tools }
  const toolChoice = readToolChoice(choice)
  if (toolChoice !== null) return { ok: true, tools, toolChoice }
  return refuse('tool_choice_invalid', 'a tool choice is auto, none, required or the name of a tool', ['tool_choice'])
}

/** Several objects, in order. The choice of a later one wins over an earlier, and `chosen` over all. */
export function collectTools(sets: readonly ToolSet[], chosen?: ToolChoice): ReadTools {
  const tools = sets.flatMap(set => set.tools)
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name)) return refuse('tool_twice', `there are two tools named "${name}"`)
    names.add(name)
  }
  const toolChoice = chosen ?? sets.findLast(set => set.toolChoice !== undefined)?.toolChoice
  if (toolChoice === undefined) return { ok: true, tools }
  if (typeof toolChoice === 'object' && !names.has(toolChoice.tool))
    return refuse('tool_choice_unknown', `"${toolChoice.tool}" is chosen, and no tool has that name`)
  return { ok: true, tools, toolChoice }
}

const refuse = (code: string, message: string, pointer: ContentProblem['pointer'] = []): ReadTools => ({
  ok: false,
  problem: { code, pointer, message },
})

const MODES: ReadonlyMap<string, ToolChoice> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/** A string that is not a mode is the name of a tool; null for neither. */
export function readToolChoice(value: Json): ToolChoice | null {
  if (typeof value === 'string') return value === '' ? null : (MODES.get(value.toLowerCase()) ?? { tool: value })
  if (!isObject(value)) return null
  const name = firstText(value.tool, value.tool_name, isObject(value.function) ? value.function.name : null, value.name)
  const word = firstText(value.mode, value.type)?.toLowerCase() ?? ''
  const mode = word === 'function' || word === 'tool' ? 'required' : MODES.get(word)
  if (name === null) return mode ?? null
  // A name beside a mode that leaves the choice open, or forbids it, is contradictory.
  return mode === 'auto' || mode === 'none' ? null : { tool: name }
}
