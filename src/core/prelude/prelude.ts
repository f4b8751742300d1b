// Folder: Prelude files and their compilation to messages. It reads no file itself.
// Reads a prelude file: literal messages, or a list of templates and context. compile.ts makes the messages.
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { readMessages } from '../messages/read-messages.ts'
import { unanswered } from '../messages/unanswered.ts'
import { type FileProblem, readJsonContent } from '../pack/file-content.ts'
import type { Pointer } from '../schema/pointer.ts'
import type { Mismatch } from '../schema/verdict.ts'

export type Role = 'system' | 'developer' | 'user' | 'assistant'

/** A file of the workspace that becomes a message. */
export interface TemplateEntry {
  readonly path: string
  readonly role: Role
}

export interface ComposedPrelude {
  readonly id: string
  readonly templates: readonly TemplateEntry[]
  /** Files that become the parts of one message after the templates. */
  readonly context: readonly string[]
  /** The values of the templates' variables. */
  readonly values: JsonObject
  readonly options: JsonObject
}

export type Prelude = { readonly kind: 'messages' } | { readonly kind: 'composed'; readonly prelude: ComposedPrelude }

export type ReadPrelude =
  | { readonly ok: true; readonly prelude: Prelude }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** Having one of these makes an object a message. */
const MESSAGE_KEYS = ['role', 'content', 'type', 'tool_calls', 'output', 'tool_call_id', 'call_id']
const ROLES: readonly string[] = ['system', 'developer', 'user', 'assistant'] satisfies Role[]
const KEYS = ['id', 'templates', 'context', 'values', 'options']

export function readPrelude(bytes: Uint8Array): ReadPrelude {
  const content = readJsonContent(bytes)
  if (!content.ok) return content
  const { value } = content
  if (isObject(value) && Object.hasOwn(value, 'templates') && !isMessage(value)) return readComposed(value)
  const problems = [...messageProblems(value, [])]
  if (problems.length > 0) return { ok: false, problems }
  // Content that no adapter could send must not be adopted.
  const sent = readMessages(bytes)
  if (!sent.ok) return { ok: false, problems: [sent.problem] }
  const open = unanswered(sent.messages)
  return open === null ? { ok: true, prelude: { kind: 'messages' } } : { ok: false, problems: [{ pointer: [], message: open }] }
}

const isMessage = (value: Json): boolean => isObject(value) && MESSAGE_KEYS.some(key => Object.hasOwn(value, key))

function* messageProblems(value: Json, pointer: Pointer): Iterable<Mismatch> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* messageProblems(item, [...pointer, index])
  else if (!isMessage(value)) yield { pointer, message: `it must be a message: an object with one of ${MESSAGE_KEYS.join(', ')}` }
}

function readComposed(value: JsonObject): ReadPrelude {
  const problems = [...composedProblems(value)]
  if (problems.length > 0) return { ok: false, problems }
  const { id, templates, context = [], values = {}, options = {} } = value as unknown as ComposedPrelude
  const entries = (templates as readonly (string | { readonly path: string; readonly role?: Role })[]).map(entry =>
    typeof entry === 'string'
      ? { path: templatePath(entry), role: 'system' as const }
      : { role: 'system' as const, ...entry, path: templatePath(entry.path) },
  )
  return { ok: true, prelude: { kind: 'composed', prelude: { id, templates: entries, context, values, options } } }
}

/** A bare name is a file of prompts/templates. */
const templatePath = (path: string): string => (path.includes('/') ? path : `prompts/templates/${path}`)

function* composedProblems(value: JsonObject): Iterable<Mismatch> {
  const { id, templates, context = [], values = {}, options = {} } = value
  for (const key of Object.keys(value))
    if (!KEYS.includes(key)) yield { pointer: [key], message: `a prelude has no "${key}": there is ${KEYS.join(', ')}` }
  if (typeof id !== 'string' || id === '') yield { pointer: ['id'], message: 'a prelude needs an id' }
  if (!Array.isArray(templates)) yield { pointer: ['templates'], message: 'it must be a list of templates' }
  else for (const [index, entry] of templates.entries()) yield* entryProblems(entry, ['templates', index])
  if (!Array.isArray(context)) yield { pointer: ['context'], message: 'it must be a list of paths' }
  else for (const [index, path] of context.entries()) if (!isText(path)) yield { pointer: ['context', index], message: 'it must be a path' }
  if (Array.isArray(templates) && Array.isArray(context) && templates.length + context.length === 0)
    yield { pointer: ['templates'], message: 'a prelude without templates and context says nothing; leave it out' }
  if (!isObject(values)) yield { pointer: ['values'], message: 'it must be an object of values' }
  yield* optionProblems(options)
}

function* entryProblems(entry: Json, pointer: Pointer): Iterable<Mismatch> {
  if (isText(entry)) return
  if (!isObject(entry)) return yield { pointer, message: 'it must be a path, or an object with path and role' }
  if (!isText(entry.path)) yield { pointer: [...pointer, 'path'], message: 'it must be a path' }
  if (entry.role !== undefined && !ROLES.includes(entry.role as string))
    yield { pointer: [...pointer, 'role'], message: `it must be one of ${ROLES.join(', ')}` }
}

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''

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

/** The options that a prelude may set beside its messages. Defaults only: options of a step or a run win. */
function isToolChoice(value: Json): boolean {
  return ['auto', 'none', 'required'].includes(value as string) || (isObject(value) && typeof value.tool === 'string')
}

function* optionProblems(options: Json): Iterable<Mismatch> {
  if (!isObject(options)) return yield { pointer: ['options'], message: 'it must be an object of options' }
  for (const [name, value] of Object.entries(options)) {
    const pointer = ['options', name]
    const check = OPTIONS.get(name)
    if (check === undefined) yield { pointer, message: `there is no option "${name}": there is ${[...OPTIONS.keys()].join(', ')}` }
    else if (!check[0](value)) yield { pointer, message: `it must be ${check[1]}` }
  }
}
