// Removes the white space around ~, and around a block or comment alone on its line. Changes nothing else.
import type { BlockPiece, Piece, TextPiece, Trim } from './pieces.ts'

/** The edges of a piece, as its list sees them. */
interface Edges extends Trim {
  /** A comment: standalone when blank on both sides. */
  readonly inline: boolean
  /** A block whose body begins, or ends, on a line of its own. */
  readonly opensLine: boolean
  readonly closesLine: boolean
}

export function controlWhitespace(source: string, root: Piece[]): void {
  controlList(source, root, true)
}

function controlList(source: string, list: Piece[], root: boolean): void {
  list.forEach((piece, index) => {
    const edges = edgesOf(source, piece)
    if (edges === null) return
    const before = blankBefore(source, list, index, root)
    const after = blankAfter(source, list, index, root)
    if (edges.trimAfter) cutStart(source, list[index + 1], true)
    if (edges.trimBefore) cutEnd(source, list[index - 1], true)
    if (edges.inline && before && after) {
      cutStart(source, list[index + 1], false)
      cutEnd(source, list[index - 1], false)
    }
    if (piece.type !== 'block') return
    if (edges.opensLine && before) {
      cutStart(source, piece.body[0], false)
      cutEnd(source, list[index - 1], false)
    }
    if (edges.closesLine && after) {
      cutStart(source, list[index + 1], false)
      cutEnd(source, (piece.otherwise?.body ?? piece.body).at(-1), false)
    }
  })
}

function edgesOf(source: string, piece: Piece): Edges | null {
  switch (piece.type) {
    case 'text':
      return null
    case 'output':
      return tagEdges(piece, false)
    case 'comment':
      return tagEdges(piece, true)
    case 'block':
      return controlBlock(source, piece)
  }
}

const tagEdges = ({ trimBefore, trimAfter }: Trim, inline: boolean): Edges => ({
  trimBefore,
  trimAfter,
  inline,
  opensLine: false,
  closesLine: false,
})

/** Processes the inside of a block, then returns its edges. */
function controlBlock(source: string, block: BlockPiece): Edges {
  const { body, otherwise } = block
  controlList(source, body, false)
  if (otherwise !== null) controlList(source, otherwise.body, false)

  // In a chain (`else if`) Handlebars trims the first branch only, also where the closing tag says ~.
  const firstBranch = otherwise === null ? null : otherwise.chained ? (otherwise.body[0] as BlockPiece).body : otherwise.body
  const edges: Edges = {
    trimBefore: block.open.trimBefore,
    trimAfter: block.close.trimAfter,
    inline: false,
    opensLine: blankAfter(source, body, -1, false),
    closesLine: blankBefore(source, firstBranch ?? body, (firstBranch ?? body).length, false),
  }
  if (block.open.trimAfter) cutStart(source, body[0], true)
  if (otherwise === null || firstBranch === null) {
    if (block.close.trimBefore) cutEnd(source, body.at(-1), true)
    return edges
  }
  if (otherwise.tag.trimBefore) cutEnd(source, body.at(-1), true)
  if (otherwise.tag.trimAfter) cutStart(source, firstBranch[0], true)
  if (block.close.trimBefore) cutEnd(source, firstBranch.at(-1), true)
  if (blankBefore(source, body, body.length, false) && blankAfter(source, firstBranch, -1, false)) {
    cutEnd(source, body.at(-1), false)
    cutStart(source, firstBranch[0], false)
  }
  return edges
}

/** Whether only white space is between this place and the start of its line. */
function blankBefore(source: string, list: readonly Piece[], index: number, root: boolean): boolean {
  const previous = list[index - 1]
  if (previous === undefined) return root
  if (previous.type !== 'text') return false
  const text = source.slice(previous.whole.start, previous.whole.end)
  const rest = text.trimEnd()
  return text.indexOf('\n', rest.length) !== -1 || (rest === '' && root && list[index - 2] === undefined)
}

function blankAfter(source: string, list: readonly Piece[], index: number, root: boolean): boolean {
  const next = list[index + 1]
  if (next === undefined) return root
  if (next.type !== 'text') return false
  const text = source.slice(next.whole.start, next.whole.end)
  const rest = text.trimStart()
  return text.lastIndexOf('\n', text.length - rest.length - 1) !== -1 || (rest === '' && root && list[index + 2] === undefined)
}

const isText = (piece: Piece | undefined): piece is TextPiece => piece?.type === 'text'

/** `everything`: all white space, as ~ does; otherwise the rest of one line. No caller cuts the same line twice. */
function cutStart(source: string, piece: Piece | undefined, everything: boolean): void {
  if (!isText(piece)) return
  const text = source.slice(piece.start, piece.end)
  piece.start += everything ? text.length - text.trimStart().length : /^[ \t]*\r?\n?/.exec(text)![0].length
}

function cutEnd(source: string, piece: Piece | undefined, everything: boolean): void {
  if (!isText(piece)) return
  if (everything) piece.end = piece.start + source.slice(piece.start, piece.end).trimEnd().length
  else while (piece.end > piece.start && (source[piece.end - 1] === ' ' || source[piece.end - 1] === '\t')) piece.end--
}
