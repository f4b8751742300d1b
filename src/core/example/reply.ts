// Reads a model's reply as the one JSON value that the example expects. Values that later steps could not hash or walk are
// refused here.
import { isDeeperThan } from '../digest/depth.ts'
import type { Json } from '../digest/digest.ts'
import { hasDuplicateKeys } from '../digest/duplicate-keys.ts'
import { isText } from '../pack/compile.ts'

export type ReadReply = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string }

const OPENING = /^\s*```(?:json)?[ \t]*\r?\n/
const MAX_DEPTH = 200

/** `fences`: accept a reply that is one code fence with JSON in it. */
export function readReply(text: string, options: { readonly fences?: boolean } = {}): ReadReply {
  const fenced = insideFence(text)
  if (fenced !== null && !options.fences) return refuse('The reply is inside a code fence, not plain JSON (accept it with --fences)')
  const parsed = parse(fenced ?? text)
  if (!parsed.ok) return refuse(`The reply is not JSON: ${parsed.message} — it begins ${JSON.stringify(text.slice(0, 60))}`)
  if (isDeeperThan(parsed.value, MAX_DEPTH)) return refuse(`The reply is nested more than ${MAX_DEPTH} deep`)
  if (hasDuplicateKeys(fenced ?? text, parsed.value))
    return refuse('The reply has a key twice in one object: readers differ on which one counts')
  const fault = faultIn(parsed.value)
  return fault === null ? parsed : refuse(`The reply holds ${fault}`)
}

/** A chat agent answers with text: where the schema takes a string, a reply that is not JSON is that string. */
export function replyValue(text: string, schema: Json, options: { readonly fences: boolean }): ReadReply {
  const read = readReply(text, options)
  return read.ok || !isText(schema) ? read : { ok: true, value: text }
}

const refuse = (message: string): ReadReply => ({ ok: false, message })

/** Null when the reply is not one code fence and nothing else. */
function insideFence(text: string): string | null {
  const opening = OPENING.exec(text)?.[0]
  if (opening === undefined) return null
  const whole = text.trimEnd()
  const close = whole.lastIndexOf('\n')
  return close >= opening.length && whole.slice(close).trim() === '```' ? whole.slice(opening.length, close) : null
}

function parse(text: string): ReadReply {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return refuse((error as Error).message)
  }
}

const HALF = 'half a surrogate pair: not valid Unicode'

/** A value that JSON can spell and canonical JSON cannot; in keys too. Only for values of bounded depth. */
function faultIn(value: Json): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : HALF
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number too large to be one'
  if (typeof value !== 'object' || value === null) return null
  if (!Array.isArray(value) && !Object.keys(value).every(key => key.isWellFormed())) return HALF
  for (const inner of Object.values(value)) {
    const fault = faultIn(inner)
    if (fault !== null) return fault
  }
  return null
}
