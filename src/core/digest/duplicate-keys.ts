// Finds out whether an object of a JSON text has a duplicate key. JSON.parse silently uses the last one; other readers use the first.
import type { Json } from './digest.ts'

/**
 * The text must be JSON, and the value the result of JSON.parse. A dropped key is still in the text, so the text has more keys than
 * the value: comparing two counts is enough, for every spelling of the names.
 */
export const hasDuplicateKeys = (text: string, value: Json): boolean => keysInText(text) !== keysInValue(value)

/** A key is a string before a colon. */
function keysInText(text: string): number {
  let keys = 0
  for (let open = text.indexOf('"'); open >= 0; ) {
    let next = endOfString(text, open) + 1
    while (isBlank(text.charCodeAt(next))) next++
    if (text[next] === ':') keys++
    open = text.indexOf('"', next)
  }
  return keys
}

/** Where the quote is that closes the string: the next one with an even number of backslashes before it. */
function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (text[before - 1] === '\\') before--
    if ((quote - before) % 2 === 0) return quote
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Without recursion: a value from outside may be deeper than any stack. */
function keysInValue(value: Json): number {
  let keys = 0
  const open = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue
    const inner = Object.values(one)
    if (!Array.isArray(one)) keys += inner.length
    for (const next of inner) if (typeof next === 'object') open.push(next)
  }
  return keys
}
