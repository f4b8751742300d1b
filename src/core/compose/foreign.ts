// Frames untrusted text so that it stays text: it can start no line, end no row and write no marker. Does not judge its content.
import { type Json, tryCanonicalJson } from '../digest/digest.ts'

/** Every character that a reader might take for the end of a line: Unicode's list, and the three separators that Python adds to it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const LINE_BREAK = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g

/** The start of a tag that would open or close a fence around untrusted values, in any case and with any blanks. */
export const FENCE = /<(?=\s*(?:\/\s*)?untrusted)/gi

/** Characters that break lines or change the direction of reading, and that JSON does not escape. */
const ODD = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** Nothing in it can be odd or open a fence. Most rows are like this, and one look is cheaper than two searches. */
const HARMLESS = /^[ -;=-~]*$/

const MAX_DEPTH = 200

/** Each line begins with `| `. Nothing is taken away; only the `<` of a fence becomes `&lt;`. */
export const framed = (text: string): string => `| ${text.replace(FENCE, '&lt;').replace(LINE_BREAK, '$&| ')}`

/** Between markers that nothing inside can open or close. */
export const fenced = (text: string): string => `<UNTRUSTED>${text.replace(FENCE, '&lt;')}</UNTRUSTED>`

/** Canonical JSON without a line break in it. Reads back as the same value. Null for a value that JSON cannot express. */
export function oneLine(value: Json): string | null {
  const text = tryCanonicalJson(value, MAX_DEPTH)
  return text === null || HARMLESS.test(text) ? text : text.replace(FENCE, '\\u003c').replace(ODD, escaped)
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
