// Two texts, line by line: what of the one is not in the other, with a little around it. The same whichever comes first. Bounded in time and in size.
import { structuredPatch } from 'diff'

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
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS }
  const patch = structuredPatch('', '', ...ended(first, second), undefined, undefined, options)
  if (patch === undefined) return { hunks: null, why: 'too_different' }
  const hunks = patch.hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }): TextHunk => ({
      aStart: oldStart,
      aLines: oldLines,
      bStart: newStart,
      bLines: newLines,
      lines,
    }),
  )
  return { hunks: turned ? hunks.map(mirrored) : hunks }
}

function mirrored({ aStart, aLines, bStart, bLines, lines }: TextHunk): TextHunk {
  return { aStart: bStart, aLines: bLines, bStart: aStart, bLines: aLines, lines: turnedLines(lines) }
}

const SIGNS: Readonly<Record<string, string>> = { '-': '+', '+': '-' }

/** What A has stands before what B has instead of it. */
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

/** So that a missing line break at the end is no remark, and one too many is an empty line. */
function ended(a: string, b: string): readonly [string, string] {
  if (a.endsWith('\n') && b.endsWith('\n')) return [a, b]
  const withEnd = (text: string): string => (text === '' ? '' : `${text}\n`)
  return [withEnd(a), withEnd(b)]
}
