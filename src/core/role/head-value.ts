// Reads the values of a role's head: quoted text, true and false, lists of texts. Other TOML is refused with a message that names it.
import type { Severity } from '../pack/place.ts'

export interface HeadProblem {
  readonly severity: Severity
  readonly message: string
  /** Offset in the file. */
  readonly at: number
  readonly suggestion?: string
}

export interface HeadText {
  readonly text: string
  readonly at: number
}

export type HeadValue =
  | ({ readonly kind: 'text' } & HeadText)
  | { readonly kind: 'flag'; readonly flag: boolean; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly HeadText[]; readonly at: number }

export interface HeadCursor {
  readonly source: string
  readonly problems: HeadProblem[]
  at: number
}

/** Consumes the match of a sticky pattern here; null without a match. */
export function take(cursor: HeadCursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.at
  const match = pattern.exec(cursor.source)
  if (match !== null) cursor.at = pattern.lastIndex
  return match
}

export function refuse({ problems }: HeadCursor, message: string, at: number, suggestion?: string): null {
  problems.push({ severity: 'error', message, at, ...(suggestion === undefined ? {} : { suggestion }) })
  return null
}

const FLAG = /(true|false)(?![\w-])/y
const OPEN = /\[/y
const CLOSE = /\]/y
const COMMA = /,/y
const SPACE = /\s+/y
const COMMENT = /#[^\n]*/y

/** Null when there is no value; the problem is then reported. */
export function readValue(cursor: HeadCursor): HeadValue | null {
  const { at } = cursor
  if (take(cursor, OPEN) !== null) {
    const items = readItems(cursor)
    return items === null ? null : { kind: 'list', items, at }
  }
  const flag = take(cursor, FLAG)
  if (flag !== null) return { kind: 'flag', flag: flag[1] === 'true', at }
  const text = readText(cursor, 'A value is text in quotes, true, false, or a list of texts in brackets')
  return text === null ? null : { kind: 'text', ...text }
}

/** May go over several lines, and end with a comma. */
function readItems(cursor: HeadCursor): readonly HeadText[] | null {
  const items: HeadText[] = []
  for (;;) {
    skipGap(cursor)
    if (take(cursor, CLOSE) !== null) return items
    const item = readText(cursor, 'A list holds texts in quotes, and ends with ]')
    if (item === null) return null
    items.push(item)
    // An open list runs into the text of the role: the place to look at is where it should have gone on.
    const behind = cursor.at
    skipGap(cursor)
    if (take(cursor, COMMA) !== null) continue
    return take(cursor, CLOSE) === null ? refuse(cursor, 'Here the list needs a comma, or ] to end it', behind) : items
  }
}

function skipGap(cursor: HeadCursor): void {
  while (take(cursor, SPACE) !== null || take(cursor, COMMENT) !== null);
}

const QUOTE = /"(?:"")?|'(?:'')?/y
/** Up to a quote or an escape. Neither kind of text holds line breaks or control characters. */
const PLAIN = { '"': /[^"\\\p{Cc}]+|\t+/uy, "'": /[^'\p{Cc}]+|\t+/uy } as const
const ESCAPE = /\\(?:([btnfr"\\])|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/y
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' }

function readText(cursor: HeadCursor, otherwise: string): HeadText | null {
  const { at, source } = cursor
  const opening = take(cursor, QUOTE)?.[0] ?? null
  if (opening === null) return refuse(cursor, otherwise, at)
  if (opening.length > 1)
    return refuse(cursor, 'Text over several lines is not read here', at, 'write it on one line, in single or double quotes')
  const quote = opening as keyof typeof PLAIN
  let text = ''
  while (source[cursor.at] !== quote) {
    const piece = take(cursor, PLAIN[quote])?.[0] ?? readEscape(cursor)
    if (piece === null) return refuse(cursor, ...whyNot(cursor, at))
    text += piece
  }
  cursor.at++
  return { text, at }
}

function readEscape(cursor: HeadCursor): string | null {
  const { at } = cursor
  const match = take(cursor, ESCAPE)
  if (match === null) return null
  if (match[1] !== undefined) return ESCAPED[match[1]]!
  const code = Number.parseInt(match[2] ?? match[3]!, 16)
  if (code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) return String.fromCodePoint(code)
  cursor.at = at
  return null
}

function whyNot({ source, at }: HeadCursor, start: number): [message: string, at: number, suggestion?: string] {
  const next = source[at]
  if (next === '\\') return ['There is no such escape', at, 'write \\\\ for a backslash, or put the text in single quotes']
  if (next === undefined || next === '\n' || next === '\r') return ['The text is not closed on its line', start]
  return ['A control character cannot stand in a text', at]
}
