// Reads the parts of a message in the spellings of several providers. An unknown part is a problem; nothing is dropped or invented.
import { isDigest, type Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { Pointer } from '../schema/pointer.ts'
import { isSound, type Report } from './content.ts'
import { type ImagePart, type Part, SECRET_ID, type ToolCallPart, type ToolResultPart } from './message.ts'

const WHOLE_SECRET_ID = new RegExp(`^${SECRET_ID}$`)
/** One class and no repetition: an image is long, and a regular expression that remembers its way runs out of room. */
const NOT_BASE64 = /[^A-Za-z0-9+/]/
const IMAGE_TYPE = /^image\/[a-z0-9.+-]+$/i
const DATA_URL = /^data:(image\/[a-z0-9.+-]+);base64,/i

/** None when the part is reported. */
export function readPart(part: Json, at: Pointer, report: Report): readonly Part[] {
  if (!isObject(part)) return lacking(report, 'part_invalid', at, 'a part of a message is an object')
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      if (typeof part.text !== 'string') return lacking(report, 'part_text_missing', at, `a part of type ${part.type} needs a text`)
      return [{ type: 'text', text: part.text }]
    case 'reasoning':
      if (typeof part.text !== 'string') return lacking(report, 'part_text_missing', at, 'a part of type reasoning needs a text')
      return [{ type: 'reasoning', text: part.text, ...echoOf(part) }]
    case 'secret':
      if (typeof part.id !== 'string' || !WHOLE_SECRET_ID.test(part.id))
        return lacking(report, 'secret_id_invalid', at, 'a secret slot needs an id of letters, digits, ".", "_" and "-"')
      return [{ type: 'secret', id: part.id }]
    case 'image':
    case 'image_url':
    case 'input_image':
      return readImage(part, at, report)
    case 'function_call':
    case 'tool_call':
    case 'tool_use':
      return readToolCall(part, at, report)
    case 'function_call_output':
    case 'tool_result':
      return readToolResult(part, at, report)
    default:
      if (typeof part.text === 'string') return [{ type: 'text', text: part.text }]
      return lacking(report, 'part_unknown', at, `nothing is known of a part of type ${JSON.stringify(part.type ?? null)} without a text`)
  }
}

export function readToolCall(call: Json, at: Pointer, report: Report): readonly ToolCallPart[] {
  if (!isObject(call)) return lacking(report, 'tool_call_invalid', at, 'a tool call is an object')
  const inner = isObject(call.function) ? call.function : call
  const callId = firstText(call.callId, call.call_id, call.id)
  const toolName = firstText(call.toolName, call.tool_name, inner.name)
  if (callId === null) return lacking(report, 'tool_call_id_missing', at, 'a tool call needs an id: its result could not name it')
  if (toolName === null) return lacking(report, 'tool_name_missing', at, 'a tool call needs the name of its tool')
  if (call.arguments_ref !== undefined)
    return lacking(report, 'tool_arguments_elsewhere', at, 'the arguments of a tool call stand in it, not in another object')
  const { arguments: input = call.input ?? {} } = inner
  // Ours are JSON already: a text among them is meant as a text.
  const parsed = typeof input === 'string' && call.callId === undefined ? jsonOrText(input) : input
  return [{ type: 'tool_call', callId, toolName, arguments: parsed, ...echoOf(call) }]
}

export function readToolResult(result: JsonObject, at: Pointer, report: Report): readonly ToolResultPart[] {
  const callId = firstText(result.callId, result.call_id, result.tool_call_id, result.tool_use_id)
  if (callId === null) return lacking(report, 'tool_call_id_missing', at, 'a tool result needs the id of its call')
  const toolName = firstText(result.toolName, result.tool_name, result.name)
  const isError = result.isError ?? result.is_error
  const { output = result.content ?? null } = result
  return [
    {
      type: 'tool_result',
      callId,
      output,
      ...(toolName === null ? {} : { toolName }),
      ...(typeof isError === 'boolean' ? { isError } : {}),
    },
  ]
}

function readImage(part: JsonObject, at: Pointer, report: Report): readonly ImagePart[] {
  const source = isObject(part.source) ? part.source : part
  const media = firstText(source.mediaType, source.media_type)
  if (media !== null && !IMAGE_TYPE.test(media))
    return lacking(report, 'image_invalid', at, `${JSON.stringify(media)} is not an image type`)
  const mediaType = media === null ? {} : { mediaType: media }
  const { digest, data } = source
  if (typeof digest === 'string' && isDigest(digest)) return [{ type: 'image', digest, ...mediaType }]
  if (typeof data === 'string' && isBase64(data)) return [{ type: 'image', data, ...mediaType }]
  const url = firstText(source.url, isObject(part.image_url) ? part.image_url.url : part.image_url)
  if (url !== null && /^https?:/i.test(url) && URL.canParse(url)) return [{ type: 'image', url, ...mediaType }]
  const [head = '', type = ''] = DATA_URL.exec(url ?? '') ?? []
  const inline = head === '' ? '' : url!.slice(head.length)
  if (isBase64(inline)) return [{ type: 'image', data: inline, mediaType: type.toLowerCase() }]
  return lacking(report, 'image_invalid', at, 'an image is base64 data, an http address or the digest of an object')
}

const isBase64 = (text: string): boolean =>
  text !== '' &&
  text.length % 4 === 0 &&
  !NOT_BASE64.test(text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text)

function lacking(report: Report, code: string, at: Pointer, message: string): readonly [] {
  report(code, at, message)
  return []
}

const echoOf = ({ echo }: JsonObject): { readonly echo?: JsonObject } => (isObject(echo) ? { echo } : {})

export const firstText = (...values: readonly (Json | undefined)[]): string | null =>
  (values.find(value => typeof value === 'string' && value !== '') as string | undefined) ?? null

/** Parses text that is storable JSON; returns any other text unchanged. */
export function jsonOrText(text: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return isSound(value) ? value : text
  } catch {
    return text
  }
}
