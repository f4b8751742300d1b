// Splits a line into terminal cells, with the width of each in columns, so that a caret can be placed under it.
import { symbolOf, visible } from './visible.ts'

export interface Cell {
  /** UTF-16 offsets within the line. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly width: number
}

const TAB = 4
const PLAIN = /^[ -~]*$/
/** Begins with a mark that would combine with the character before it. */
const DETACHED = /^[\p{Mn}\p{Me}]/u
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}+$/u
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function cellsOf(line: string): readonly Cell[] {
  const cells: Cell[] = []
  let column = 0
  const add = (segment: string, start: number) => {
    const text = segment === '\t' ? ' '.repeat(TAB - (column % TAB)) : shown(segment)
    const width = textWidth(text)
    cells.push({ start, end: start + segment.length, text, width })
    column += width
  }
  if (PLAIN.test(line)) for (let start = 0; start < line.length; start++) add(line[start]!, start)
  else for (const { segment, index } of graphemes.segment(line)) add(segment, index)
  return cells
}

function shown(segment: string): string {
  if (INVISIBLE.test(segment)) return [...segment].map(symbolOf).join('')
  return DETACHED.test(segment) ? `◌${visible(segment)}` : visible(segment)
}

/** The width in terminal columns. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

const PICTURE = /\ufe0f|\p{RI}{2}|(?!\p{RI})\p{Emoji_Presentation}/u

function graphemeWidth(grapheme: string): number {
  // An emoji is drawn as one, however many code points it has.
  if (PICTURE.test(grapheme)) return 2
  let width = 0
  for (const character of grapheme) width += characterWidth(character)
  return width
}

const NO_WIDTH = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7fb]/u

export function characterWidth(character: string): 0 | 1 | 2 {
  if (NO_WIDTH.test(character)) return 0
  const code = character.codePointAt(0)!
  return WIDE.some(([from, to]) => code >= from && code <= to) || PICTURE.test(character) ? 2 : 1
}

/** Unicode's East Asian Width W and F, without emoji. A test compares it with the published table. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x1b2ff],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
]
