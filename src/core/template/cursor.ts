// A position in a template's source, with the problems found so far.
import type { TemplateProblem } from './ast.ts'

export interface Cursor {
  readonly source: string
  readonly problems: TemplateProblem[]
  at: number
}

/** Consumes the match of a sticky pattern here; null without a match. */
export function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.at
  const match = pattern.exec(cursor.source)
  if (match !== null) cursor.at = pattern.lastIndex
  return match
}

export function eat(cursor: Cursor, text: string): boolean {
  if (!cursor.source.startsWith(text, cursor.at)) return false
  cursor.at += text.length
  return true
}

const SPACE = /\s*/y
export const skipSpace = (cursor: Cursor): void => void take(cursor, SPACE)

export const textBetween = (cursor: Cursor, span: { start: number; end: number }): string => cursor.source.slice(span.start, span.end)

export function say(cursor: Cursor, code: TemplateProblem['code'], message: string, start: number, end: number): void {
  cursor.problems.push({ code, message, start, end })
}

/** Gives up on this tag: reports why, and continues behind the next `}}`. */
export function refuse(cursor: Cursor, code: TemplateProblem['code'], message: string, start: number): { readonly type: 'refused' } {
  const close = cursor.source.indexOf('}}', cursor.at)
  cursor.at = close === -1 ? cursor.source.length : close + 2
  say(cursor, code, message, start, cursor.at)
  return { type: 'refused' }
}
