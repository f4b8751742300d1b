// Compares two texts line by line, with a little context. Symmetric. Bounded in time and in size.
import { type Edit, editScript } from './edit-script.ts'

export interface TextHunk {
  /** Lines from 1. */
  readonly aStart: number
  readonly aLines: number
  readonly bStart: number
  readonly bLines: number
  /** Each begins with `-` for one of A, `+` for one of B, and a blank for one of both. */
  readonly lines: readonly string[]
}

export type TextDiff = { readonly hunks: readonly TextHunk[] } | { readonly hunks: null; readonly why: 'too_different' | 'too_long' }

/** Lines that may come and go in all. The work grows with the square of this; a time limit would give another answer each time. */
const MOST_EDITS = 1_000
const MOST_CHARACTERS = 1_000_000
const CONTEXT = 2

export function textHunks(a: string, b: string): TextDiff {
  if (a.length + b.length > MOST_CHARACTERS) return { hunks: null, why: 'too_long' }
  // A differ may choose another of several shortest ways when it goes back.
  const turned = a > b
  const [first, second] = turned ? [b, a] : [a, b]
  const [ours, theirs] = ended(first, second).map(linesOf) as [readonly string[], readonly string[]]
  const edits = editScript(ours, theirs, MOST_EDITS)
  if (edits === null) return { hunks: null, why: 'too_different' }
  const hunks = hunksOf(edits, ours, theirs)
  return { hunks: turned ? hunks.map(mirrored) : hunks }
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.slice(0, -1).split('\n'))

/** Changes with less than twice the context between them are one hunk. */
function hunksOf(edits: readonly Edit[], a: readonly string[], b: readonly string[]): readonly TextHunk[] {
  const hunks: TextHunk[] = []
  const context = (start: number, end: number): readonly string[] => a.slice(start, end).map(line => ` ${line}`)
  let [aAt, bAt] = [0, 0]
  let open: { readonly aStart: number; readonly bStart: number; readonly lines: string[] } | null = null
  for (const [index, { kind, start, end }] of edits.entries()) {
    const count = end - start
    if (kind !== 'same') {
      // Only lines of both sides come before the first change of a hunk.
      const before: readonly string[] = open === null ? context(Math.max(0, aAt - (index === 0 ? 0 : CONTEXT)), aAt) : []
      open ??= { aStart: aAt - before.length, bStart: bAt - before.length, lines: [...before] }
      const [lines, sign] = kind === 'added' ? [b, '+'] : [a, '-']
      for (let at = start; at < end; at++) open.lines.push(`${sign}${lines[at]}`)
      if (kind === 'added') bAt += count
      else aAt += count
      continue
    }
    const isBetween = open !== null && count <= 2 * CONTEXT && index < edits.length - 1
    const after = open === null ? 0 : isBetween ? count : Math.min(count, CONTEXT)
    open?.lines.push(...context(start, start + after))
    if (open !== null && !isBetween) {
      hunks.push(closed(open, aAt + after, bAt + after))
      open = null
    }
    aAt += count
    bAt += count
  }
  return open === null ? hunks : [...hunks, closed(open, aAt, bAt)]
}

const closed = (
  { aStart, bStart, lines }: { readonly aStart: number; readonly bStart: number; readonly lines: readonly string[] },
  aEnd: number,
  bEnd: number,
): TextHunk => ({ aStart: aStart + 1, aLines: aEnd - aStart, bStart: bStart + 1, bLines: bEnd - bStart, lines })

function mirrored({ aStart, aLines, bStart, bLines, lines }: TextHunk): TextHunk {
  return { aStart: bStart, aLines: bLines, bStart: aStart, bLines: aLines, lines: turnedLines(lines) }
}

const SIGNS: Readonly<Record<string, string>> = { '-': '+', '+': '-' }

/** Puts the lines of A before the lines of B that replace them. */
function turnedLines(lines: readonly string[]): readonly string[] {
  const turned: string[] = []
  const added: string[] = []
  for (const line of lines) {
    const sign = SIGNS[line[0] ?? ''] ?? ' '
    if (sign === ' ') turned.push(...added.splice(0), line)
    else (sign === '-' ? turned : added).push(`${sign}${line.slice(1)}`)
  }
  return [...turned, ...added]
}

/** Normalizes line breaks at the end: a missing one is not reported, and an extra one is an empty line. */
function ended(a: string, b: string): readonly [string, string] {
  if (a.endsWith('\n') && b.endsWith('\n')) return [a, b]
  const withEnd = (text: string): string => (text === '' ? '' : `${text}\n`)
  return [withEnd(a), withEnd(b)]
}
