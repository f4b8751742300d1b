// Folder: Removes known secrets from text.
// Removes known secrets from shown and stored text: from whole texts, and from pieces as they arrive. Finds only the secrets that it is given.
import type { Json } from '../../core/digest/digest.ts'

/** Shorter ones would blot out ordinary words. */
export const SHORTEST = 4

const HALF_PAIR = /[\ud800-\udbff]$/

export interface ScrubbedStream {
  /** Returns the text that can be shown by now. The rest may be the beginning of a secret. */
  push(piece: string): string
  end(): string
}

export interface Scrubber {
  text(text: string): string
  /** Cleans every text in it, keys as well. The result can be stored: half a surrogate pair has no bytes, and is replaced. */
  json(value: Json): Json
  /** All it gives out, put together, is what `text` makes of the whole. */
  stream(): ScrubbedStream
}

/** Each value with what is to stand in its place. */
export function scrubber(secrets: ReadonlyMap<string, string>): Scrubber {
  const markers = new Map([...secrets].flatMap(([value, marker]) => spellings(value).map(spelling => [spelling, marker])))
  // At one place the longest wins: it may begin with another.
  const known = [...markers.keys()].filter(value => value.length >= SHORTEST).sort((a, b) => b.length - a.length)
  const pattern = new RegExp(known.map(escaped).join('|') || '(?!)', 'g')
  const text = (whole: string): string => whole.replace(pattern, found => markers.get(found)!)
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value).toWellFormed()
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(json)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key).toWellFormed(), json(inner)]))
  }

  /** Where the end of the text begins that may be the beginning of a secret. */
  const openEnd = (held: string, from: number): number => {
    const longest = known[0]?.length ?? 0
    for (let start = Math.max(from, held.length - longest + 1); start < held.length; start += 1) {
      const end = held.slice(start)
      if (known.some(value => value.length > end.length && value.startsWith(end))) return start
    }
    return HALF_PAIR.test(held) ? Math.max(from, held.length - 1) : held.length
  }

  const stream = (): ScrubbedStream => {
    let held = ''
    return {
      push(piece) {
        held += piece
        let shown = ''
        let done = 0
        for (const match of held.matchAll(pattern)) {
          // It could still grow into a longer one.
          if (match.index >= openEnd(held, done)) break
          shown += held.slice(done, match.index) + markers.get(match[0])!
          done = match.index + match[0].length
        }
        const open = openEnd(held, done)
        shown += held.slice(done, open)
        held = held.slice(open)
        return shown
      },
      end() {
        const rest = text(held)
        held = ''
        return rest
      },
    }
  }
  return { text, json, stream }
}

/** A line of a secret that is shorter may be a brace, or a word. */
const SHORTEST_LINE = 8

/** The plain text, and its forms in JSON and in URLs, as errors quote it; and its bytes read as latin1. */
const spellings = (value: string): readonly string[] => [
  ...new Set(
    [value, ...linesOf(value)].flatMap(text => [
      text,
      inJson(text),
      // Arguments of a call are JSON, and are streamed as text; what they quote may be JSON again.
      inJson(inJson(text)),
      inAscii(inJson(text)),
      inAscii(inJson(inJson(text))),
      ...inAddresses(text.toWellFormed()),
      Buffer.from(text).toString('latin1'),
    ]),
  ),
]

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

const inAscii = (json: string): string => json.replace(/[\u0080-\uffff]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Escaped by hand, as a field of a form, in a path, in a query: each leaves other characters as they are. */
const inAddresses = (text: string): readonly string[] => [
  encodeURIComponent(text),
  new URLSearchParams({ '': text }).toString().slice('='.length),
  // The rest of a path with dots may be any word.
  ...[ADDRESS, `${ADDRESS}?`].map(before => new URL(`${before}${text}`).href.slice(before.length)).filter(one => one.length >= text.length),
]

const ADDRESS = 'http://host/'

/**
 * A secret of several lines is seldom shown whole: a diff puts a sign before each line, and a list its number. A file often ends in an
 * empty line.
 */
function linesOf(value: string): readonly string[] {
  const lines = value
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
  return lines.length === 1 ? lines : lines.filter(line => line.length >= SHORTEST_LINE)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
