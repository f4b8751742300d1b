// Compares two lines word by word, for display. Gives up when the lines differ too much.
import { diffWordsWithSpace } from 'diff'
import { cutTexts } from './facts.ts'

export interface Piece {
  readonly text: string
  readonly changed: boolean
}

const MOST_EDITS = 200
const MOST_CHARACTERS = 20_000

/** Cuts the common parts of a long line: the place of a difference matters. @param width of a line that is not cut */
export function wordPieces(a: string, b: string, width: number): readonly [readonly Piece[], readonly Piece[]] {
  const parts = a.length + b.length > MOST_CHARACTERS ? undefined : diffWordsWithSpace(a, b, { maxEditLength: MOST_EDITS })
  if (parts === undefined) return cutLines(a, b, width)
  const isLong = Math.max(a.length, b.length) > width
  const shown = parts.map(({ value, added, removed }, index) => {
    if (!isLong) return { text: value, added, removed }
    if (added || removed) return { text: cut(value, MOST_CHANGED, 0), added, removed }
    const [head, tail] = [index === 0 ? BEGINNING : AROUND, index === parts.length - 1 ? 0 : AROUND]
    return { text: cut(value, head, tail), added, removed }
  })
  const side = (other: 'added' | 'removed'): readonly Piece[] =>
    shown.filter(part => !part[other]).map(({ text, added, removed }) => ({ text, changed: added || removed }))
  return [side('added'), side('removed')]
}

/** Two lines without a diff by word: cut to where they differ. */
export function cutLines(a: string, b: string, width: number): readonly [readonly Piece[], readonly Piece[]] {
  const cut = cutTexts(a, b, width)
  return [[{ text: cut.a, changed: false }], [{ text: cut.b, changed: false }]]
}

/** A line without a counterpart. */
export const wholeLine = (text: string, width: number): Piece => ({ text: cut(text, width, 0), changed: false })

const BEGINNING = 12
const AROUND = 30
const MOST_CHANGED = 400

/** So much of its beginning, so much of its end; no character is cut in two. */
function cut(text: string, head: number, tail: number): string {
  if (text.length <= head + tail + 1) return text
  const end = tail === 0 ? '' : text.slice(-tail).replace(/^[\udc00-\udfff]/, '')
  return `${text.slice(0, head).replace(/[\ud800-\udbff]$/, '')}…${end}`
}
