// Folder: The {{…}} text: parse, find uses, render into segments. It never escapes, expands a value twice, reaches prototypes or runs unbounded.
// Parses a template to a tree and reports every problem. The only parser: lint, render, types and UI all use this tree.
import type { Node, TemplateProblem, TemplateTree } from './ast.ts'
import { type Cursor, say } from './cursor.ts'
import type { BlockPiece, Piece } from './pieces.ts'
import { type Open, type PlacedTag, readTag } from './tag.ts'
import { controlWhitespace } from './whitespace.ts'

/** Far more than a prompt needs, far less than a call stack holds. */
const MAX_DEPTH = 100

export type Parsed =
  | { readonly ok: true; readonly template: TemplateTree }
  | { readonly ok: false; readonly problems: readonly TemplateProblem[] }

/** A block that is still open. An `else if` opens one inside the other, and one tag closes both: the chain. */
interface OpenBlock {
  readonly name: string
  readonly chain: BlockPiece[]
  /** The nesting depth of the innermost block of the chain, itself included. */
  depth: number
  /** Where the next piece goes. */
  into: Piece[]
}

export function parseTemplate(source: string): Parsed {
  const cursor: Cursor = { source, problems: [], at: 0 }
  const root: Piece[] = []
  const open: OpenBlock[] = []
  const into = () => open.at(-1)?.into ?? root
  const text = (start: number, end: number) => {
    if (start < end) into().push({ type: 'text', whole: { start, end }, start, end })
  }

  while (cursor.at < source.length) {
    const from = cursor.at
    const tagAt = source.indexOf('{{', from)
    if (tagAt === -1) {
      text(from, source.length)
      break
    }
    const slashed = tagAt > from && source[tagAt - 1] === '\\'
    const twice = slashed && tagAt - 1 > from && source[tagAt - 2] === '\\'
    text(from, slashed ? tagAt - 1 : tagAt)
    if (slashed && !twice) {
      cursor.at = endOfEscaped(source, tagAt)
      text(tagAt, cursor.at)
      continue
    }
    cursor.at = tagAt
    place(cursor, readTag(cursor), open, into)
  }

  // A block without a name was refused for that already.
  for (const { name, chain } of open)
    if (name !== '')
      say(cursor, 'template-syntax', `{{#${name}}} is never closed: write {{/${name}}}`, chain[0]!.at.start, chain[0]!.at.end)
  if (cursor.problems.length > 0) return { ok: false, problems: cursor.problems }
  controlWhitespace(source, root)
  return { ok: true, template: { source, nodes: toNodes(source, root) } }
}

/** `\{{` makes literal text of everything up to the next tag, escaped or not. */
function endOfEscaped(source: string, start: number): number {
  const next = source.indexOf('{{', start + 2)
  if (next === -1) return source.length
  let end = next
  while (end > start + 2 && next - end < 2 && source[end - 1] === '\\') end--
  return end
}

function place(cursor: Cursor, placed: PlacedTag, open: OpenBlock[], into: () => Piece[]): void {
  const { tag, start, end } = placed
  const block = (started: Open): BlockPiece => ({
    type: 'block',
    opening: started.opening,
    at: { start, end },
    open: placed,
    body: [],
    otherwise: null,
    close: placed,
  })
  switch (tag.type) {
    case 'comment':
      into().push({ type: 'comment', trimBefore: placed.trimBefore, trimAfter: placed.trimAfter })
      return
    case 'output':
      into().push({ type: 'output', path: tag.path, start, end, trimBefore: placed.trimBefore, trimAfter: placed.trimAfter })
      return
    case 'open': {
      const piece = block(tag.open)
      const depth = (open.at(-1)?.depth ?? 0) + 1
      if (depth === MAX_DEPTH + 1) sayTooDeep(cursor, placed)
      into().push(piece)
      open.push({ name: tag.open.name, chain: [piece], depth, into: piece.body })
      return
    }
    case 'else': {
      const current = open.at(-1)
      const last = current?.chain.at(-1)
      if (current === undefined || last === undefined) {
        say(cursor, 'template-syntax', '{{else}} is outside any block', start, end)
        return
      }
      if (last.otherwise !== null) say(cursor, 'template-syntax', 'This block has its {{else}} already', start, end)
      if (tag.chain === null) {
        last.otherwise = { tag: placed, body: [], chained: false }
        current.into = last.otherwise.body
        return
      }
      const piece = block(tag.chain)
      last.otherwise = { tag: placed, body: [piece], chained: true }
      current.depth++
      if (current.depth === MAX_DEPTH + 1) sayTooDeep(cursor, placed)
      current.chain.push(piece)
      current.into = piece.body
      return
    }
    case 'close': {
      const current = open.pop()
      if (current === undefined) {
        say(cursor, 'template-syntax', `{{/${tag.name}}} closes nothing`, start, end)
        return
      }
      if (current.name !== tag.name)
        say(cursor, 'template-syntax', `{{#${current.name}}} is closed by {{/${tag.name}}}: write {{/${current.name}}}`, start, end)
      // Only the first two blocks of a chain use the closing tag's ~; later ones keep their own. Handlebars does the same.
      for (const block of current.chain.slice(0, 2)) block.close = placed
      return
    }
    default:
  }
}

const sayTooDeep = (cursor: Cursor, { start, end }: PlacedTag): void =>
  say(
    cursor,
    'template-syntax',
    `Blocks may be nested at most ${MAX_DEPTH} deep; each else branch with a condition of its own counts`,
    start,
    end,
  )

const toNodes = (source: string, pieces: readonly Piece[]): Node[] => pieces.flatMap(piece => toNode(source, piece))

/** Only called when there were no problems, so every opening is whole. */
function toNode(source: string, piece: Piece): Node[] {
  switch (piece.type) {
    case 'comment':
      return []
    case 'text': {
      const { start, end } = piece
      return start < end ? [{ type: 'text', text: source.slice(start, end), at: { start, end } }] : []
    }
    case 'output':
      return [{ type: 'output', path: piece.path, at: { start: piece.start, end: piece.end } }]
    case 'block': {
      const body = toNodes(source, piece.body)
      const otherwise = piece.otherwise === null ? null : toNodes(source, piece.otherwise.body)
      return [{ type: 'block', ...piece.opening!, body, otherwise, at: piece.at }]
    }
  }
}
