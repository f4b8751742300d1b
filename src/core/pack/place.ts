// Where in a file something is: by what it says (a field, a span of its text) and by where it stands (offset, line, column).
import type { Pointer } from '../schema/pointer.ts'

export interface Span {
  readonly start: number
  readonly end: number
}

/** A logical place: rules speak this language and never count characters of YAML. */
export interface Place {
  readonly pointer: Pointer
  /** The key of the field instead of its value. */
  readonly key?: boolean
  /** A part of the field's text, for fields that hold a template. */
  readonly within?: Span
  /** A range of the file itself, where no field can be named. */
  readonly source?: Span
}

export interface Position {
  readonly line: number
  readonly column: number
}

/** From 1, in UTF-16 units, as editors and SARIF count. */
export function positionOf(text: string, offset: number): Position {
  let line = 1
  let lineStart = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', lineStart)) {
    line++
    lineStart = next + 1
  }
  return { line, column: offset - lineStart + 1 }
}
