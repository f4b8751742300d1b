// Reads one {{tag}}. Knows the grammar inside the braces and nothing about the text around them.
import type { Keyword, Path, Span } from './ast.ts'
import { type Cursor, eat, refuse, say, skipSpace, take, textBetween } from './cursor.ts'
import { isLiteral, NAME, readPath, refuseNoPath, refuseUnexpected } from './path.ts'

export interface Opening {
  readonly keyword: Keyword
  readonly subject: Path
  readonly includeZero: boolean
  readonly params: readonly string[]
}

/** An opening tag that was refused still opens, so that its closing tag is not refused as well. */
export interface Open {
  readonly name: string
  readonly opening: Opening | null
}

export type Tag =
  | { readonly type: 'comment' | 'refused' }
  | { readonly type: 'output'; readonly path: Path }
  | { readonly type: 'open'; readonly open: Open }
  | { readonly type: 'else'; readonly chain: Open | null }
  | { readonly type: 'close'; readonly name: string }

export interface PlacedTag extends Span {
  readonly tag: Tag
  /** `{{~` and `~}}`: which side swallows the white space next to it. */
  readonly trimBefore: boolean
  readonly trimAfter: boolean
}

const KEYWORDS: ReadonlySet<string> = new Set<Keyword>(['if', 'unless', 'each', 'with'])
/** Reserved by Handlebars: as a bare `{{name}}` it never means a variable. */
export const RESERVED: ReadonlySet<string> = new Set([...KEYWORDS, 'lookup', 'log', 'else', 'this', 'helperMissing', 'blockHelperMissing'])
const MAX_PARAMS: Readonly<Record<Keyword, number>> = { each: 2, with: 1, if: 0, unless: 0 }

// Handlebars reads as many braces as it can: `}}}` never means `}}` and then a brace. `~}}}` does.
const CLOSE = /\s*(?:~\}\}|\}\}(?!\}))/y
// `{{else}}` and `{{^}}` are read in one go, so there a brace may follow.
const CLOSE_ELSE = /\s*~?\}\}/y
const CLOSE_TRIPLE = /\s*\}(?:~\}\}|\}\}(?!\}))/y
const COMMENT = /!(?:(?=--)[\s\S]*?--~?\}\}|(?!--)[\s\S]*?\}\})/y
const ELSE = /\s*else\b/y
const PARAMS = /as\s+\|/y
const INCLUDE_ZERO = /includeZero\s*=\s*(true|false)(?=[~}\s])/y

const isKeyword = (name: string): name is Keyword => KEYWORDS.has(name)
const isCondition = (keyword: Keyword) => keyword === 'if' || keyword === 'unless'

/** Starts with the cursor at `{{`, and leaves it behind the tag. */
export function readTag(cursor: Cursor): PlacedTag {
  const start = cursor.at
  cursor.at += 2
  const trimBefore = eat(cursor, '~')
  const tag = readInside(cursor, start)
  return { tag, trimBefore, trimAfter: cursor.source[cursor.at - 3] === '~', start, end: cursor.at }
}

function readInside(cursor: Cursor, start: number): Tag {
  if (cursor.source.startsWith('{{{{', start)) return refuse(cursor, 'unsupported-syntax', 'Raw blocks {{{{…}}}} are not supported', start)
  if (cursor.source[cursor.at] === '!') {
    if (take(cursor, COMMENT) !== null) return { type: 'comment' }
    cursor.at = cursor.source.length
    return refuse(cursor, 'template-syntax', 'This comment is never closed', start)
  }
  if (eat(cursor, '#')) return readOpen(cursor, start)
  if (eat(cursor, '/')) return readClose(cursor, start)
  if (eat(cursor, '^')) return readCaret(cursor, start)
  if (eat(cursor, '>')) return refuse(cursor, 'unsupported-syntax', 'Partials {{> …}} are not supported', start)
  if (eat(cursor, '*')) return refuse(cursor, 'unsupported-syntax', 'Decorators are not supported', start)
  if (take(cursor, ELSE) !== null) {
    if (take(cursor, CLOSE_ELSE) !== null) return { type: 'else', chain: null }
    return { type: 'else', chain: readOpening(cursor, start) }
  }
  if (eat(cursor, '{')) return readOutput(cursor, start, CLOSE_TRIPLE)
  eat(cursor, '&')
  return readOutput(cursor, start, CLOSE)
}

function readOutput(cursor: Cursor, start: number, close: RegExp): Tag {
  const path = readPath(cursor)
  if (path === null) return refuseNoPath(cursor, start)
  if (take(cursor, close) === null) {
    if (!isArgument(cursor)) return refuseEnd(cursor, start)
    const name = textBetween(cursor, path.at)
    return refuse(cursor, 'unsupported-syntax', `Helpers are not supported: "${name}" cannot take arguments`, path.at.start)
  }
  const name = path.parts[0]
  if (!path.loop && !path.scoped && path.parts.length === 1 && RESERVED.has(name!))
    say(
      cursor,
      'unsupported-syntax',
      `"${name}" is a reserved word: write {{this.${name}}} if a variable is meant`,
      path.at.start,
      path.at.end,
    )
  return { type: 'output', path }
}

/** Whether something more is passed here, and not just a tag ended badly. */
function isArgument(cursor: Cursor): boolean {
  skipSpace(cursor)
  const { source, at } = cursor
  return /\s/.test(source[at - 1]!) && /[^}~|\]]/.test(source[at] ?? '}')
}

/** Reports the problem with the end of a tag that is valid up to here. */
function refuseEnd(cursor: Cursor, start: number): { readonly type: 'refused' } {
  skipSpace(cursor)
  if (!cursor.source.startsWith('}}', cursor.at)) return refuseUnexpected(cursor, start)
  if (cursor.source[cursor.at + 2] !== '}') return refuse(cursor, 'template-syntax', 'A tag that begins with {{{ ends with }}}', start)
  cursor.at++
  return refuse(cursor, 'template-syntax', 'One } too many: to put a brace right behind a tag, end the tag with ~}}', start)
}

function readOpen(cursor: Cursor, start: number): Tag {
  const odd = cursor.source[cursor.at]
  if (odd !== '>' && odd !== '*') return { type: 'open', open: readOpening(cursor, start) }
  cursor.at++
  const name = readPath(cursor)
  refuse(cursor, 'unsupported-syntax', odd === '>' ? 'Partial blocks {{#> …}} are not supported' : 'Decorators are not supported', start)
  return { type: 'open', open: { name: odd === '*' ? 'inline' : name === null ? '' : textBetween(cursor, name.at), opening: null } }
}

function readClose(cursor: Cursor, start: number): Tag {
  const path = readPath(cursor)
  if (path === null) return refuseNoPath(cursor, start)
  if (take(cursor, CLOSE) === null) refuseEnd(cursor, start)
  return { type: 'close', name: textBetween(cursor, path.at) }
}

function readCaret(cursor: Cursor, start: number): Tag {
  if (take(cursor, CLOSE_ELSE) !== null) return { type: 'else', chain: null }
  const name = readPath(cursor)
  refuse(cursor, 'unsupported-syntax', 'Inverted sections {{^…}} are not supported: use #unless', start)
  return { type: 'open', open: { name: name === null ? '' : textBetween(cursor, name.at), opening: null } }
}

/** Reads the rest of `{{#` or `{{else`: a keyword, its subject, options, block parameters. */
function readOpening(cursor: Cursor, start: number): Open {
  const path = readPath(cursor)
  if (path === null) {
    refuseNoPath(cursor, start)
    return { name: '', opening: null }
  }
  const name = textBetween(cursor, path.at)
  const refused = { name, opening: null }
  if (!isKeyword(name)) {
    refuse(cursor, 'unsupported-syntax', `The block "${name}" is not supported: there are #if, #unless, #each and #with`, path.at.start)
    return refused
  }
  if (take(cursor, CLOSE) !== null) {
    say(cursor, 'template-syntax', `#${name} needs a variable: {{#${name} variable}}`, start, cursor.at)
    return refused
  }
  skipSpace(cursor)
  if (cursor.source[cursor.at] === '(') {
    refuse(cursor, 'unsupported-syntax', 'Subexpressions (…) are not supported', cursor.at)
    return refused
  }
  const subject = readPath(cursor)
  if (subject === null) {
    refuseNoPath(cursor, start)
    return refused
  }
  const rest = readOptions(cursor, start, name)
  return rest === null ? refused : { name, opening: { keyword: name, subject, ...rest } }
}

function readOptions(cursor: Cursor, start: number, keyword: Keyword): { includeZero: boolean; params: readonly string[] } | null {
  let includeZero = false
  skipSpace(cursor)
  if (isCondition(keyword)) {
    const option = take(cursor, INCLUDE_ZERO)
    if (option !== null) includeZero = option[1] === 'true'
    skipSpace(cursor)
  }
  const params = readParams(cursor, start, keyword)
  if (params === null) return null
  if (take(cursor, CLOSE) !== null) return { includeZero, params }
  if (!isArgument(cursor)) refuseEnd(cursor, start)
  else
    refuse(
      cursor,
      'unsupported-syntax',
      `#${keyword} takes one variable${isCondition(keyword) ? ' and includeZero=true' : ''}, no more`,
      cursor.at,
    )
  return null
}

function readParams(cursor: Cursor, start: number, keyword: Keyword): readonly string[] | null {
  const from = cursor.at
  const params: string[] = []
  if (take(cursor, PARAMS) === null) return params
  for (skipSpace(cursor); !eat(cursor, '|'); skipSpace(cursor)) {
    const at = cursor.at
    const param = isLiteral(cursor) ? null : take(cursor, NAME)
    if (param === null) {
      refuseUnexpected(cursor, start)
      return null
    }
    if (RESERVED.has(param[0]))
      say(cursor, 'unsupported-syntax', `"${param[0]}" is a reserved word: it cannot name a block parameter`, at, cursor.at)
    params.push(param[0])
  }
  const most = MAX_PARAMS[keyword]
  if (params.length > most || params.length === 0) {
    const gives = most === 0 ? 'gives no block parameters' : `gives one ${most === 2 ? 'or two block parameters' : 'block parameter'}`
    say(cursor, 'unsupported-syntax', `#${keyword} ${gives}`, from, cursor.at)
  }
  return params
}
