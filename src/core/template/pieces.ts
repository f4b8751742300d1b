// The intermediate tree of a template: with its tags, their trim marks, and text before white space control.
import type { Path, Span } from './ast.ts'
import type { Opening } from './tag.ts'

export interface TextPiece {
  readonly type: 'text'
  /** The text as written; standalone lines are judged by it, however much is cut later. */
  readonly whole: Span
  start: number
  end: number
}

/** The marks a tag, or a whole block, shows to its neighbours. */
export interface Trim {
  readonly trimBefore: boolean
  readonly trimAfter: boolean
}

export interface OutputPiece extends Span, Trim {
  readonly type: 'output'
  readonly path: Path
}

export interface CommentPiece extends Trim {
  readonly type: 'comment'
}

export interface BlockPiece {
  readonly type: 'block'
  readonly opening: Opening | null
  readonly at: Span
  readonly open: Trim
  readonly body: Piece[]
  otherwise: { readonly tag: Trim; readonly body: Piece[]; readonly chained: boolean } | null
  close: Trim
}

export type Piece = TextPiece | OutputPiece | CommentPiece | BlockPiece
