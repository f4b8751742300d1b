// Reads one line alone: a tool call, a malformed call, or text. Does not consider fences or other lines.
import type { Json } from '../digest/digest.ts'
import { hasDuplicateKeys } from '../digest/duplicate-keys.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { isSound } from '../messages/content.ts'
import type { DiagnosticCode } from './tool-call-diagnostics.ts'

export type LineReading =
  | { readonly kind: 'text' }
  /** `id`: null without a usable one. `notes`: the ignored parts. */
  | {
      readonly kind: 'tool'
      readonly id: string | null
      readonly name: string
      readonly args: JsonObject
      readonly notes: readonly DiagnosticCode[]
    }
  /** Not run, so it stays in the message. `meant`: as far as it can be read. */
  | { readonly kind: 'refused'; readonly code: DiagnosticCode; readonly meant?: MeantCall }

/** `id`: null without a usable one. */
export interface MeantCall {
  readonly id: string | null
  readonly name: string
}

export const TEXT: LineReading = { kind: 'text' }

const KEY = 'tool_call'
const CAMEL_KEY = 'toolCall'
const CALL_KEYS = ['id', 'name', 'args', 'params']
/** An id names the call in events and reports: it is short, and on one line. */
const USABLE_ID = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,128}$/u

export function readLine(line: string, tools: ReadonlySet<string>): LineReading {
  const mentioned = line.includes(KEY)
  if (!mentioned && !line.includes(CAMEL_KEY)) return TEXT
  const text = line.trim()
  const value = parseObject(text)
  if (mentioned && value !== null && Object.hasOwn(value, KEY)) return readWrapper(text, value, tools)
  if (value !== null && Object.hasOwn(value, CAMEL_KEY)) return refuse('camel-wrapper')
  return mentioned ? refuse('near-miss') : TEXT
}

/** Whether it is there to be a call, right or wrong. */
export const isWrapper = (reading: LineReading): boolean =>
  reading.kind === 'tool' || (reading.kind === 'refused' && reading.code !== 'near-miss')

const refuse = (code: DiagnosticCode, meant?: MeantCall): LineReading => ({
  kind: 'refused',
  code,
  ...(meant === undefined ? {} : { meant }),
})

/** Null unless the text is one object. */
function parseObject(text: string): JsonObject | null {
  if (!text.startsWith('{') || !text.endsWith('}')) return null
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function readWrapper(text: string, whole: JsonObject, tools: ReadonlySet<string>): LineReading {
  if (hasDuplicateKeys(text, whole)) return refuse('duplicate-key')
  if (!isSound(whole)) return refuse('bad-value')
  const call = whole[KEY]
  if (!isObject(call)) return refuse('bad-wrapper')
  const name = trimmed(call.name)
  if (name === '') return refuse('bad-wrapper')
  const givenId = trimmed(call.id)
  const id = USABLE_ID.test(givenId) ? givenId : null
  const hasParams = Object.hasOwn(call, 'params')
  if (!Object.hasOwn(call, 'args')) return refuse(hasParams ? 'use-args' : 'bad-args', { id, name })
  const { args } = call
  if (!isObject(args)) return refuse('bad-args', { id, name })
  if (!tools.has(name)) return refuse('unknown-tool', { id, name })
  const hasExtra = Object.keys(whole).length > 1 || Object.keys(call).some(key => !CALL_KEYS.includes(key))
  const notes: DiagnosticCode[] = []
  if (hasParams) notes.push('ignored-params')
  if (hasExtra) notes.push('extra-key')
  return { kind: 'tool', id, name, args, notes }
}

const trimmed = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '')
