// Picks a few of the lines in which two texts differ, to show a person what changed. Not a complete diff.
import type { Json } from '../digest/digest.ts'

const MOST_LINES = 3
const MOST_LENGTH = 160
/** The length of the common beginning that is shown before a difference. */
const BEFORE = 40

/** Each begins with `-` for one that is on record, and `+` for one that would be. */
export function changedLines(recorded: string, present: string): readonly string[] {
  const [was, is] = [recorded.split('\n'), present.split('\n')]
  let head = 0
  while (head < was.length && head < is.length && was[head] === is[head]) head += 1
  let tail = 0
  while (tail < was.length - head && tail < is.length - head && was.at(-1 - tail) === is.at(-1 - tail)) tail += 1
  const [gone, come] = [was.slice(head, was.length - tail), is.slice(head, is.length - tail)]
  const from = Math.max(0, commonLength(gone[0] ?? '', come[0] ?? '') - BEFORE)
  return [...signed('-', gone, from), ...signed('+', come, from)]
}

function signed(sign: '-' | '+', lines: readonly string[], from: number): readonly string[] {
  const shown = lines.slice(0, MOST_LINES).map((line, index) => `${sign} ${piece(line, index === 0 ? from : 0)}`)
  return lines.length > MOST_LINES ? [...shown, `${sign} … ${lines.length - MOST_LINES} more lines`] : shown
}

function piece(line: string, from: number): string {
  const part = line.slice(from, from + MOST_LENGTH)
  return `${from > 0 ? '…' : ''}${part.toWellFormed()}${line.length > from + MOST_LENGTH ? '…' : ''}`
}

function commonLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/** JSON with a line for every value, after its path; only the texts of messages. Text that is not JSON stays unchanged. */
export function linesOfJson(text: string): string {
  try {
    return flat(JSON.parse(text) as Json, '').join('\n')
  } catch {
    return text
  }
}

const WORDS = /(?:^|\.)(?:content|text)$/

function flat(value: Json, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [WORDS.test(path) ? String(value) : `${path}: ${String(value)}`]
  const entries = Array.isArray(value) ? value.map((one, index) => [String(index), one] as const) : Object.entries(value)
  return entries.flatMap(([key, one]) => flat(one as Json, path === '' ? key : `${path}.${key}`))
}
