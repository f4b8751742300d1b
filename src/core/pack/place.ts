// Places in a file: logical (a field, a span of its text) and physical (offset, line, column).
import type { Pointer } from '../schema/pointer.ts'
import type { Span } from '../template/ast.ts'

export type { Span }

/** A logical place: rules use it and never count characters of YAML. */
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
export const positionOf = (text: string, offset: number): Position => positionsIn(text)(offset)

/** As a sentence says it. */
export function positionText(text: string, offset: number): string {
  const { line, column } = positionOf(text, offset)
  return `line ${line}, column ${column}`
}

/** For many positions of one text: its lines are counted once, at the first call. */
export function positionsIn(text: string): (offset: number) => Position {
  let starts: readonly number[] | null = null
  return offset => {
    starts ??= lineStarts(text)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let next = text.indexOf('\n'); next !== -1; next = text.indexOf('\n', next + 1)) starts.push(next + 1)
  return starts
}

/** How serious a problem at a place is. */
export type Severity = 'error' | 'warning' | 'info'
