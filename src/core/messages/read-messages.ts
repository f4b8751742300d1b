// Reads the messages in an object's bytes, from any author. Ambiguous content is reported as a problem; the reader never guesses.
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { Pointer } from '../schema/pointer.ts'
import { type ContentProblem, firstProblem, type Report, readContent } from './content.ts'
import { type ChatMessage, type Part, ROLES, type Role, type ToolResultPart } from './message.ts'
import { firstText, readPart, readToolCall, readToolResult } from './read-parts.ts'

export type ReadMessages =
  | { readonly ok: true; readonly messages: readonly ChatMessage[] }
  | { readonly ok: false; readonly problem: ContentProblem }

export function readMessages(bytes: Uint8Array): ReadMessages {
  const { value: messages, problem } = firstProblem(report => {
    const content = readContent(bytes, report)
    if (content.kind === 'none') return []
    if (content.kind === 'json') return messagesIn(content.value, [], report)
    return [{ role: 'user', content: [{ type: 'text', text: content.text }] } satisfies ChatMessage]
  })
  return problem === null ? { ok: true, messages } : { ok: false, problem }
}

function messagesIn(value: Json, at: Pointer, report: Report): readonly ChatMessage[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => messagesIn(item, [...at, index], report))
  if (isObject(value)) return fromObject(value, at, report)
  report('message_not_object', at, 'a message is an object, and several are a list of objects; a text alone must not read as JSON')
  return []
}

function fromObject(value: JsonObject, at: Pointer, report: Report): readonly ChatMessage[] {
  if (value.type === 'function_call_output') return [{ role: 'tool', content: readToolResult(value, at, report) }]
  if (value.type === 'function_call' || value.type === 'tool_call') return [{ role: 'assistant', content: readToolCall(value, at, report) }]
  if (value.output !== undefined) return messagesIn(value.output, [...at, 'output'], report)

  const role = roleOf(value.role)
  const parts = [...readParts(value.content, [...at, 'content'], report), ...readCalls(value.tool_calls, [...at, 'tool_calls'], report)]
  if (role !== 'assistant' && parts.some(({ type }) => type === 'tool_call'))
    report('tool_call_misplaced', at, `a message of the role ${role} calls no tools: only the assistant does`)
  if (role === 'tool') return [{ role, content: asResults(value, parts, at, report) }]
  if (firstText(value.tool_call_id, value.call_id) !== null)
    report('tool_call_id_misplaced', at, `a message of the role ${role} answers no tool call: its role must be tool`)
  if (parts.length === 0) report('message_empty', at, 'a message needs content')
  const name = typeof value.name === 'string' ? { name: value.name } : {}
  return runsOf(parts).map((content): ChatMessage => (isResult(content[0]!) ? { role: 'tool', content } : { role, content, ...name }))
}

/** An unknown role becomes the user: the least privileged one. */
function roleOf(value: Json | undefined): Role {
  const role = typeof value === 'string' ? value.toLowerCase() : ''
  return ROLES.find(one => one === role) ?? 'user'
}

function readParts(content: Json | undefined, at: Pointer, report: Report): readonly Part[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (Array.isArray(content)) return content.flatMap((part, index) => readPart(part, [...at, index], report))
  return readPart(content, at, report)
}

function readCalls(calls: Json | undefined, at: Pointer, report: Report): readonly Part[] {
  if (calls === undefined || calls === null) return []
  if (Array.isArray(calls)) return calls.flatMap((call, index) => readToolCall(call, [...at, index], report))
  report('tool_call_invalid', at, 'tool calls are a list')
  return []
}

const isResult = (part: Part): part is ToolResultPart => part.type === 'tool_result'

/** Other parts of a tool message are the result of the call it names. */
function asResults(value: JsonObject, parts: readonly Part[], at: Pointer, report: Report): readonly ToolResultPart[] {
  const results = parts.filter(isResult)
  const others = parts.filter(part => !isResult(part))
  if (others.length === 0 && results.length > 0) return results
  if (others.some(({ type }) => type !== 'text')) report('tool_result_invalid', at, 'the content of a tool message is text')
  const output = others.length === 0 ? null : others.map(part => (part.type === 'text' ? part.text : '')).join('')
  const { content: _, ...fields } = value
  return [...results, ...readToolResult({ ...fields, output }, at, report)]
}

/** Tool results between other parts become messages of their own, in the same order. */
function runsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const runs: Part[][] = []
  for (const part of parts) {
    const last = runs.at(-1)
    if (last !== undefined && isResult(last[0]!) === isResult(part)) last.push(part)
    else runs.push([part])
  }
  return runs
}
