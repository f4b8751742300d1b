// Maps an offset in a string to the offset in its YAML source: through indents, folds, quotes and escapes.
import type { Scalar } from 'yaml'

/** `node` is a scalar of `text`; `offset` counts in its value. */
export function offsetInScalar(text: string, node: Scalar, offset: number): number {
  const [start, end] = node.range ?? [0, 0]
  const value = String(node.value)
  switch (node.type) {
    case 'BLOCK_LITERAL':
    case 'BLOCK_FOLDED':
      return inBlock(text, start, end, value, offset, node.type === 'BLOCK_FOLDED', trailOf(node))
    case 'QUOTE_DOUBLE':
      return inFlow(text, start + 1, end, offset, doubleQuoted, trailOf(node))
    case 'QUOTE_SINGLE':
      return inFlow(text, start + 1, end, offset, singleQuoted, trailOf(node))
    default:
      return inFlow(text, start, end, offset, plain, trailOf(node))
  }
}

/** A place on the way through a scalar: where it is in the source, and how much of the value lies before it. */
interface Mark {
  readonly at: number
  readonly reached: number
}

interface Trail {
  /** The last mark before this offset; null when no walk has come that far. */
  before(offset: number): Mark | null
  leave(at: number, reached: number): void
}

const STRIDE = 500
const trails = new WeakMap<Scalar, Trail>()

/** The marks of earlier walks: thousands of lookups in one long prompt must not each start at its beginning. */
function trailOf(node: Scalar): Trail {
  const trail = trails.get(node) ?? newTrail()
  trails.set(node, trail)
  return trail
}

function newTrail(): Trail {
  const marks: Mark[] = []
  let next = STRIDE
  return {
    before(offset) {
      let low = 0
      let high = marks.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (marks[middle]!.reached < offset) low = middle + 1
        else high = middle
      }
      return marks[low - 1] ?? null
    },
    leave(at, reached) {
      if (reached < next) return
      marks.push({ at, reached })
      next = reached + STRIDE
    },
  }
}

/**
 * Each line of the value has its own source line, after the block's indent. Folding turns a break into a space, or drops
 * one of several.
 */
function inBlock(text: string, start: number, end: number, value: string, offset: number, folded: boolean, trail: Trail): number {
  let at = text.indexOf('\n', start) + 1
  if (at === 0) return start
  const indent = blockIndent(text.slice(at, end), value)
  let reached = folded ? endOfBreaks(value, 0) : 0
  if (offset < reached) return at
  ;({ at, reached } = trail.before(offset) ?? { at, reached })
  while (at < end) {
    trail.leave(at, reached)
    const next = text.indexOf('\n', at)
    const stop = next === -1 ? text.length : next
    const lineEnd = text[stop - 1] === '\r' ? stop - 1 : stop
    const from = Math.min(at + indent, lineEnd)
    at = stop + 1
    // An empty line of a folded block has its break among those behind the line before.
    if (folded && from === lineEnd) continue
    if (offset <= reached + lineEnd - from) return from + offset - reached
    reached += lineEnd - from
    reached = folded ? endOfBreaks(value, reached) : reached + 1
    if (offset < reached) return lineEnd
  }
  return end
}

/** The offset behind the line breaks here, or behind the one space that replaced a break. */
function endOfBreaks(value: string, from: number): number {
  let at = from
  if (at > 0 && value[at] === ' ') return at + 1
  while (value[at] === '\n') at++
  return at
}

/** By how much the first line that says something is longer in the source: right also where the header names the indent. */
function blockIndent(body: string, value: string): number {
  return Math.max(0, leadingSpace(body) - leadingSpace(value))
}

const leadingSpace = (text: string): number => /^(?:[ \t]*\r?\n)*([ \t]*)/.exec(text)![1]!.length

/** One spelling in the source: its length there, and the number of characters it means. */
interface Spelled {
  readonly length: number
  readonly means: number
}

type Spelling = (text: string, at: number) => Spelled

function inFlow(text: string, start: number, end: number, offset: number, spelling: Spelling, trail: Trail): number {
  let { at, reached } = trail.before(offset) ?? { at: start, reached: 0 }
  while (at < end) {
    trail.leave(at, reached)
    const { length, means } = spelling(text, at)
    // Only a literal character has the same length in the source and in the value.
    if (reached + means > offset) return length === means ? at + offset - reached : at
    at += length
    reached += means
  }
  return end
}

const FOLD = /[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*/y
const SPACES = /[ \t]+/y
const ESCAPED_BREAK = /\\\r?\n(?:[ \t]*\r?\n)*[ \t]*/y
const ESCAPE_LENGTH: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 }

/** One break means a space; of several, the first means nothing. */
function plain(text: string, at: number): Spelled {
  const char = text[at]!
  if (char !== ' ' && char !== '\t' && char !== '\r' && char !== '\n') return { length: 1, means: 1 }
  FOLD.lastIndex = at
  const fold = FOLD.exec(text)?.[0]
  if (fold !== undefined) return { length: fold.length, means: Math.max(1, breaksIn(fold) - 1) }
  // The whole run at once: no part of it folds either, and looking again from each space would take the square of its length.
  SPACES.lastIndex = at
  const length = SPACES.exec(text)?.[0].length ?? 1
  return { length, means: length }
}

const singleQuoted: Spelling = (text, at) => (text.startsWith("''", at) ? { length: 2, means: 1 } : plain(text, at))

const doubleQuoted: Spelling = (text, at) => {
  if (text[at] !== '\\') return plain(text, at)
  ESCAPED_BREAK.lastIndex = at
  const joined = ESCAPED_BREAK.exec(text)?.[0]
  if (joined !== undefined) return { length: joined.length, means: breaksIn(joined) - 1 }
  const length = ESCAPE_LENGTH[text[at + 1]!] ?? 2
  return { length, means: length === 10 && Number.parseInt(text.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1 }
}

const breaksIn = (text: string): number => text.split('\n').length - 1
