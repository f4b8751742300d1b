// Reads the head of a role file: a `[template]` table in a small subset of TOML. role.ts interprets it.
import { shown } from '../resolve/prompt-ref.ts'
import { type HeadCursor, type HeadProblem, type HeadValue, readValue, refuse, take } from './head-value.ts'

export interface HeadEntry {
  readonly table: string
  readonly key: string
  /** The offset of the key. */
  readonly at: number
  readonly value: HeadValue
}

export interface Head {
  /** In the order of the file, each key of a table once. */
  readonly entries: readonly HeadEntry[]
  /** Where each table begins. */
  readonly tables: ReadonlyMap<string, number>
  readonly problems: readonly HeadProblem[]
  /** Where the text for the model begins: behind the head and the blank lines under it. */
  readonly end: number
}

const START = /\uFEFF?/y
const BLANK = /[ \t]*(?:\r?\n|\r?$)/y
const SPACE = /[ \t]*/y
const COMMENT = /#[^\n]*\n?/y
const COMMENT_LINE = /[ \t]*#[^\n]*(?:\n|$)/y
const TABLE = /\[[ \t]*([\w.-]+)[ \t]*\](?=[ \t]*(?:#|\r?\n|\r?$))/y
const KEY = /([^\s=]+)[ \t]*=[ \t]*/y
const BARE = /^[\w-]+$/
const REST = /[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y
const LINE = /[^\n]*\n?/y
/** Text that was meant as a head, and would reach the model as text. */
const NEAR_HEAD = /\[\s*template\b|(?:---|\+\+\+)[ \t]*\r?\n/iy
const LIST_HEAD = /\[\[\s*template\b[^\n]*/iy
/** A key that a head has: behind blank lines and comments it still belongs to the head. */
const KNOWN_KEY = /[ \t]*(?:name|version|capabilities|constraints)[ \t]*=/y
/** Lines of the text that were perhaps meant for the head. */
const HEAD_LIKE = /^[ \t]*(?:\[\[?[ \t]*template[ \t]*\]\]?|(?:name|version|capabilities|constraints)[ \t]*=[ \t]*["'[])[^\n]*/gim

/**
 * The head ends at a blank line that no known key follows, or before a line that cannot belong to it. Comments may precede it. A missing
 * head counts as an empty one.
 */
export function readHead(source: string): Head {
  const cursor: HeadCursor = { source, problems: [], at: 0 }
  take(cursor, START)
  const start = cursor.at
  skipBlank(cursor)
  skipComments(cursor)
  const opening = cursor.at
  take(cursor, SPACE)
  const tables = new Map<string, number>()
  const entries: HeadEntry[] = []
  if (!isOpening(cursor)) {
    const message = 'This is not a valid head: the model gets it as text'
    const suggestion = 'begin the file with a line [template]'
    if (take(cursor, LIST_HEAD) !== null) refuse(cursor, 'The head is one table, not a list of tables', opening, 'write [template]')
    else if (take(cursor, NEAR_HEAD) !== null) cursor.problems.push({ severity: 'warning', message, at: opening, suggestion })
    else sayHeadLike(cursor, start)
    return { entries, tables, problems: cursor.problems, end: start }
  }
  readLines(cursor, tables, entries)
  skipBlank(cursor)
  if (cursor.problems.length === 0) sayHeadLike(cursor, cursor.at)
  return { entries, tables, problems: cursor.problems, end: cursor.at }
}

/** Reports only the first: the next one shows once it is fixed. */
function sayHeadLike({ source, problems }: HeadCursor, from: number): void {
  const [match] = source.slice(from).matchAll(HEAD_LIKE)
  if (match === undefined) return
  const at = from + match.index + match[0].search(/\S/)
  const message = 'This line looks like part of the head, and the model gets it as text: it requests nothing'
  problems.push({ severity: 'warning', message, at, suggestion: 'move it to the head, at the beginning of the file' })
}

/** Comments above the head belong to it. Above anything else they are headings of the text. */
function skipComments(cursor: HeadCursor): void {
  const before = cursor.at
  let isComment = true
  while (isComment && cursor.at < cursor.source.length) isComment = take(cursor, BLANK) !== null || take(cursor, COMMENT_LINE) !== null
  const behind = cursor.at
  take(cursor, SPACE)
  const isHead = isOpening(cursor) || take(cursor, LIST_HEAD) !== null
  cursor.at = isHead ? behind : before
}

/** Behind a blank line. */
function goesOn(cursor: HeadCursor): boolean {
  skipBlank(cursor)
  const { at } = cursor
  const match = take(cursor, KNOWN_KEY)
  cursor.at = at
  return match !== null
}

function isOpening(cursor: HeadCursor): boolean {
  const { at } = cursor
  const table = take(cursor, TABLE)
  cursor.at = at
  return table?.[1] === 'template'
}

function skipBlank(cursor: HeadCursor): void {
  while (cursor.at < cursor.source.length && take(cursor, BLANK) !== null);
}

function readLines(cursor: HeadCursor, tables: Map<string, number>, entries: HeadEntry[]): void {
  const seen = new Set<string>()
  let table = 'template'
  while (cursor.at < cursor.source.length && (take(cursor, BLANK) === null || goesOn(cursor))) {
    const line = cursor.at
    take(cursor, SPACE)
    const { at } = cursor
    if (take(cursor, COMMENT) !== null) continue
    const named = take(cursor, TABLE)?.[1]
    if (named !== undefined) {
      table = named
      if (tables.has(table)) refuse(cursor, `The table [${shown(table)}] is there twice`, at)
      else tables.set(table, at)
      take(cursor, LINE)
      continue
    }
    const key = take(cursor, KEY)?.[1]
    if (key === undefined) return leave(cursor, line)
    const entry = readEntry(cursor, table, key, at)
    if (entry === null) continue
    const name = `${table} ${key}`
    if (seen.has(name)) refuse(cursor, `"${shown(key)}" is there twice`, at)
    else entries.push(entry)
    seen.add(name)
  }
}

/** Always ends behind its last line. */
function readEntry(cursor: HeadCursor, table: string, key: string, at: number): HeadEntry | null {
  const isBare = BARE.test(key)
  if (!isBare) refuse(cursor, 'A key is letters, digits, underscores and hyphens', at)
  const value = isBare ? readValue(cursor) : null
  if (value !== null && take(cursor, REST) !== null) return { table, key, at, value }
  take(cursor, SPACE)
  if (value !== null) refuse(cursor, 'Only a comment may stand behind a value', cursor.at)
  take(cursor, LINE)
  return null
}

/** Behind a broken value its own remains would be reported again. */
function leave(cursor: HeadCursor, line: number): void {
  cursor.at = line
  if (cursor.problems.length > 0) return
  const message = 'This line is not part of the head, so the text of the role begins here'
  cursor.problems.push({ severity: 'warning', message, at: line, suggestion: 'put a blank line behind the head, or write key = "value"' })
}
