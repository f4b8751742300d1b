// Folder: Canonical JSON, and digests as names of content.
// Names content by its digest: same bytes, same name. No other file may make a Digest.
import { sha256Hex } from '#sha256'

declare const digest: unique symbol
/** `sha256:` and 64 hex digits. Never called a ref: a ref is a symbolic name. */
export type Digest = string & { readonly [digest]: true }

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const MARK = 'sha256:'
const LENGTH = MARK.length + 64

/** For schemas: a digest; and free text in an event, where a digest would reference an object. */
export const DIGEST = '^sha256:[0-9a-f]{64}$'
export const NO_DIGEST = '^(?!sha256:[0-9a-f]{64}$)'
const WHOLE = new RegExp(DIGEST)

export const digestBytes = (bytes: Uint8Array): Digest => digestOfHex(sha256Hex(bytes))

/** Over the UTF-8 of the text. */
export const digestText = (text: string): Digest => digestOfHex(sha256Hex(text))

/** Over the one canonical spelling of the value, so that key order never matters. */
export const digestJson = (value: Json): Digest => digestText(canonicalJson(value))

/**
 * RFC 8785. Throws on values that JSON cannot express (lone surrogates, NaN, Infinity, undefined), on cycles, and on too
 * deep nesting.
 */
export const canonicalJson = (value: Json): string => spelled(value, MOST_DEPTH)

/** Far more than anything here may have, and far less than a stack has room for. */
const MOST_DEPTH = 1_000

/** For values from outside. Null where canonicalJson throws, and for values nested deeper than `depth`. */
export function tryCanonicalJson(value: Json, depth: number): string | null {
  try {
    return spelled(value, depth)
  } catch {
    return null
  }
}

function spelled(value: Json, depth: number): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'object') throw new TypeError('not a JSON value')
  if (depth === 0) throw new TypeError(`nested deeper than ${MOST_DEPTH} levels`)
  return Array.isArray(value) ? list(value, depth - 1) : fields(value as Fields, depth - 1)
}

/** Text that JSON needs no escapes for: no quote, no backslash, no control character, no half of a surrogate pair. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new TypeError('a text holds half a surrogate pair')
  return JSON.stringify(text)
}

function list(items: readonly Json[], depth: number): string {
  let text = ''
  // By index: a hole in a list must not be skipped.
  for (let index = 0; index < items.length; index++) text += `${index === 0 ? '' : ','}${spelled(items[index]!, depth)}`
  return `[${text}]`
}

/** A field without a value counts as missing. */
type Fields = { readonly [key: string]: Json | undefined }

function fields(object: Fields, depth: number): string {
  let text = ''
  for (const key of inOrder(Object.keys(object))) {
    const value = object[key]
    if (value !== undefined) text += `${text === '' ? '' : ','}${quoted(key)}:${spelled(value, depth)}`
  }
  return `{${text}}`
}

/** Insertion, in place: for the few keys that most objects have, `sort` takes longer to set up than to do. */
function inOrder(keys: string[]): readonly string[] {
  if (keys.length > 16) return keys.sort()
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next]!
    let at = next
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!
    keys[at] = key
  }
  return keys
}

export const isDigest = (text: string): text is Digest => text.length === LENGTH && WHOLE.test(text)

/** For a caller that hashes piece by piece, or stores the hash alone. */
export const digestOfHex = (hex: string): Digest => `${MARK}${hex}` as Digest
export const hexOf = (digest: Digest): string => digest.slice(MARK.length)
