// Decides whether a line is inside a code fence. In doubt it is: a call that did not run can be repeated, a call that ran
// cannot be undone.

export interface Fence {
  readonly mark: string
  readonly length: number
  readonly indent: number
}

const LIST_MARKER = /^(?:[-*+]|\d{1,9}[.)])\s/
const TAB_WIDTH = 4
/** As CommonMark has it. */
const LEAST_LENGTH = 3
const MOST_INDENT = 3

/**
 * The open fence under two readings that differ where parsers disagree: `wide` accepts a fence at any indent, `narrow` none that
 * is indented by four. With one reading alone, a fence that opens could be taken for one that closes, and its content for calls.
 */
export interface Fences {
  readonly wide: Fence | null
  readonly narrow: Fence | null
}

export const NO_FENCE: Fences = { wide: null, narrow: null }

export const isFenced = ({ wide, narrow }: Fences): boolean => wide !== null || narrow !== null

export const fencesAfter = ({ wide, narrow }: Fences, line: string): Fences => ({
  wide: fenceAfter(wide, line),
  narrow: narrow !== null || NARROW.test(line) ? fenceAfter(narrow, line) : null,
})

const NARROW = /^\ufeff? {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})*[`~]/

function fenceAfter(open: Fence | null, line: string): Fence | null {
  if (open === null) return openedBy(line)
  return closes(open, line) ? null : open
}

/**
 * At any indent, and behind list markers: such fences are indented like the surrounding list. A quote needs no fence: it
 * contains no calls.
 */
function openedBy(line: string): Fence | null {
  let rest = line.trimStart()
  for (let marker = LIST_MARKER.exec(rest); marker !== null; marker = LIST_MARKER.exec(rest))
    rest = rest.slice(marker[0].length).trimStart()
  const mark = rest[0]
  if (mark !== '`' && mark !== '~') return null
  const length = runOf(mark, rest)
  // Backticks after backticks are code within a line.
  if (length < LEAST_LENGTH || (mark === '`' && rest.includes(mark, length))) return null
  return { mark, length, indent: widthOf(line.slice(0, line.length - rest.length)) }
}

function closes({ mark, length, indent }: Fence, line: string): boolean {
  const rest = line.trimStart()
  const run = runOf(mark, rest)
  if (run < length || rest.slice(run).trim() !== '') return false
  return widthOf(line.slice(0, line.length - rest.length)) <= Math.max(MOST_INDENT, indent)
}

function runOf(mark: string, text: string): number {
  let run = 0
  while (text[run] === mark) run++
  return run
}

function widthOf(blanks: string): number {
  let width = 0
  for (const blank of blanks) width += blank === '\t' ? TAB_WIDTH : 1
  return width
}
