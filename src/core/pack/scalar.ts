// From an offset in a string to the offset in the YAML that spells it. Exact for block literals; follows quotes, escapes and folds.
import type { Scalar } from 'yaml'

/** `node` is a scalar of `text`; `offset` counts in its value. */
export function offsetInScalar(text: string, node: Scalar, offset: number): number {
  const [start, end] = node.range ?? [0, 0]
  const value = String(node.value)
  if (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED') return inBlock(text, start, end, value, offset)
  const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE'
  return follow(text, quoted ? start + 1 : start, end, value, offset, node.type)
}

/** Each line of the value stands on a line of its own in the source, behind the block's indent; folding only turns breaks into spaces. */
function inBlock(text: string, start: number, end: number, value: string, offset: number): number {
  let at = text.indexOf('\n', start) + 1
  if (at === 0) return start
  const indent = blockIndent(text, at, end, value)
  let reached = 0
  while (at < end) {
    const lineEnd = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at)
    const from = Math.min(at + indent, lineEnd)
    const length = lineEnd - from
    const carriage = text[lineEnd - 1] === '\r' && length > 0 ? 1 : 0
    if (offset <= reached + length - carriage) return from + (offset - reached)
    reached += length - carriage
    // A fold may drop the break; a literal never does.
    if (value[reached] === '\n' || value[reached] === ' ') reached++
    at = lineEnd + 1
  }
  return end
}

/** By how much the first line that says something is longer in the source: right also where the header names the indent. */
function blockIndent(text: string, bodyStart: number, end: number, value: string): number {
  const written = firstLine(text.slice(bodyStart, end))
  const meant = firstLine(value)
  return Math.max(0, written.startsWith(' ') ? written.length - written.trimStart().length - (meant.length - meant.trimStart().length) : 0)
}

const firstLine = (text: string): string => text.split('\n', 1000).find(line => line.trim() !== '') ?? ''

/** Walks value and source side by side. */
function follow(text: string, start: number, end: number, value: string, offset: number, type: Scalar['type']): number {
  let at = start
  for (let index = 0; index < offset && at < end; index++) {
    const char = value[index]!
    if (type === 'QUOTE_DOUBLE' && text[at] === '\\') at += escapeLength(text, at)
    else if (type === 'QUOTE_SINGLE' && text.startsWith("''", at)) at += 2
    else if (text[at] === char) at++
    else if (/\s/.test(char)) while (at < end && /\s/.test(text[at]!)) at++
  }
  return at
}

function escapeLength(text: string, at: number): number {
  const kind = text[at + 1]
  return kind === 'x' ? 4 : kind === 'u' ? 6 : kind === 'U' ? 10 : 2
}
