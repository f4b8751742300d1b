// The source line of a finding as a terminal shows it, with carets under the exact characters.
import { type Cell, cellsOf } from './cells.ts'

export interface FrameSpan {
  /** From 1, in UTF-16 units; the end is exclusive. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

export interface FrameLine {
  /** The text left of the bar. */
  readonly gutter: string
  readonly text: string
  readonly kind: 'before' | 'marked' | 'caret'
}

/** Wider lines are shown in part. */
export const FRAME_WIDTH = 100
/** The part of a long line that is laid out at all, so that a line of megabytes costs no more. */
const REACH = 4 * FRAME_WIDTH
const ELLIPSIS = '…'

/** Empty when the text has no such line: the file may have changed since. */
export function codeFrame(lines: readonly string[], span: FrameSpan): readonly FrameLine[] {
  const line = lines[span.line - 1]
  if (line === undefined) return []
  const digits = String(span.line).length
  const before = lines[span.line - 2]
  const marked = markLine(withoutReturn(line), span)
  const gutter = (mark: string, text: string) => `${mark} ${text.padStart(digits)}`
  return [
    ...(before === undefined
      ? []
      : [{ gutter: gutter(' ', String(span.line - 1)), text: startOf(withoutReturn(before)), kind: 'before' as const }]),
    { gutter: gutter('>', String(span.line)), text: marked.text, kind: 'marked' },
    { gutter: gutter(' ', ''), text: marked.caret, kind: 'caret' },
  ]
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

function startOf(line: string): string {
  const cells = cellsOf(line.slice(0, cutAt(line, REACH)))
  const room = countFitting(cells, 0)
  const text = cells.slice(0, room).map(textOf).join('')
  return room < cells.length || REACH < line.length ? text + ELLIPSIS : text.trimEnd()
}

function markLine(line: string, span: FrameSpan): { readonly text: string; readonly caret: string } {
  // A finding may be at the line break itself: one caret after the last character.
  const start = Math.min(span.column - 1, line.length)
  const end = span.endLine > span.line ? line.length : Math.min(span.endColumn - 1, line.length)
  const sliceStart = start <= REACH / 2 ? 0 : cutAt(line, start - REACH / 2)
  const sliceEnd = cutAt(line, sliceStart + REACH)
  const cells = cellsOf(line.slice(sliceStart, sliceEnd)).map(cell => ({
    ...cell,
    start: cell.start + sliceStart,
    end: cell.end + sliceStart,
  }))

  const first = orLength(
    cells.findIndex(cell => cell.end > start),
    cells.length,
  )
  // A third of the window shows the text before the place, unless the whole line fits.
  const whole = sliceStart === 0 && sliceEnd === line.length && widthOf(cells) <= FRAME_WIDTH
  const from = whole ? 0 : backBy(cells, first, FRAME_WIDTH / 3)
  const to = whole ? cells.length : from + countFitting(cells, from)
  const shown = cells.slice(from, to)

  const head = from > 0 || sliceStart > 0 ? ELLIPSIS : ''
  const tail = to < cells.length || sliceEnd < line.length ? ELLIPSIS : ''
  const lead = widthOf(shown.filter(cell => cell.end <= start))
  const under = widthOf(shown.filter(cell => cell.end > start && cell.start < end))
  return {
    text: (head + shown.map(textOf).join('') + tail).trimEnd(),
    caret: ' '.repeat(head.length + lead) + '^'.repeat(Math.max(1, under)),
  }
}

const textOf = (cell: Cell): string => cell.text
const widthOf = (cells: readonly Cell[]): number => cells.reduce((sum, cell) => sum + cell.width, 0)
const orLength = (index: number, length: number): number => (index === -1 ? length : index)

/** How many cells from here fit the window. */
function countFitting(cells: readonly Cell[], from: number): number {
  let width = 0
  let count = 0
  for (; from + count < cells.length; count++) {
    width += cells[from + count]!.width
    if (width > FRAME_WIDTH) break
  }
  return count
}

function backBy(cells: readonly Cell[], index: number, width: number): number {
  let left = width
  let from = index
  while (from > 0 && cells[from - 1]!.width <= left) left -= cells[--from]!.width
  return from
}

/** Never splits a surrogate pair. */
function cutAt(line: string, offset: number): number {
  if (offset >= line.length) return line.length
  const code = line.charCodeAt(offset)
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset
}
