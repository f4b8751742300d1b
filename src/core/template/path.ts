// Reads `a.b`, `a.[0]`, `../x`, `this`, `@index` exactly like Handlebars' lexer, its oddities included.
import type { Path } from './ast.ts'
import { type Cursor, eat, refuse, say, skipSpace, take } from './cursor.ts'

export const NAME = /[^\s!"#%-,./;->@[-^`{-~]+(?=[=~}\s/.)|])/y
// At most 200 characters, so that a missing `]` or quote does not cause a search through the rest of the template.
const BRACKETED = /\[((?:\\\]|\\(?!\])|[^\]\\\n\r\u2028\u2029]){1,200})\]/y
// A dot before one of these is a name, as in `./x`; any other dot is a separator.
const DOT = /\.(?=[=~}\s/.)|])/y
const SEPARATOR = /\/|\.(?![=~}\s/.)|])/y
const LITERAL = /(?:true|false|undefined|null|-?\d+(?:\.\d+)?)(?=[~}\s)])/y
const STRING = /"(?:\\"|[^"]){0,200}"|'(?:\\'|[^']){0,200}'/y
const LOOP_DATA: ReadonlySet<string> = new Set(['index', 'key', 'first', 'last', 'root'])

export function isLiteral(cursor: Cursor): boolean {
  LITERAL.lastIndex = cursor.at
  return LITERAL.test(cursor.source)
}

type Segment = { readonly step: 'up' | 'here' } | { readonly step: 'into'; readonly part: string }

function readSegment(cursor: Cursor): Segment | null {
  const bracketed = take(cursor, BRACKETED)
  if (bracketed !== null) return { step: 'into', part: bracketed[1]!.replace(/\\([\\\]])/g, '$1') }
  if (eat(cursor, '..')) return { step: 'up' }
  if (take(cursor, DOT) !== null) return { step: 'here' }
  if (isLiteral(cursor)) return null
  const name = take(cursor, NAME)
  if (name === null) return null
  return name[0] === 'this' ? { step: 'here' } : { step: 'into', part: name[0] }
}

/** Null without a valid path; the cursor is then at the unexpected text. */
export function readPath(cursor: Cursor): Path | null {
  skipSpace(cursor)
  const start = cursor.at
  const loop = eat(cursor, '@')
  let up = 0
  let scoped = false
  const parts: string[] = []
  do {
    const before = cursor.at
    const segment = readSegment(cursor)
    if (segment === null) return null
    if (segment.step === 'into') parts.push(segment.part)
    else if (parts.length > 0) {
      cursor.at = before
      return null
    } else {
      scoped = true
      if (segment.step === 'up') up++
    }
  } while (take(cursor, SEPARATOR) !== null)
  const path: Path = { up, loop, scoped, parts, at: { start, end: cursor.at } }
  if (loop && !LOOP_DATA.has(parts[0] ?? ''))
    say(
      cursor,
      'unsupported-syntax',
      `@${parts[0] ?? ''} does not exist: there are @index, @key, @first, @last and @root`,
      start,
      cursor.at,
    )
  if (loop && parts[0] !== 'root' && parts.length > 1)
    say(cursor, 'unsupported-syntax', `@${parts[0]} is a plain value: nothing can be looked up inside it`, start, cursor.at)
  return path
}

const INDEXED = /\w+(?=\[)/y
const END = /\}?~?\}\}/y

/** Reports why `readPath` found no path, in terms the author can act on. */
export function refuseNoPath(cursor: Cursor, tagStart: number): { readonly type: 'refused' } {
  const start = cursor.at
  if (take(cursor, END) !== null) {
    say(cursor, 'template-syntax', 'A variable name is missing in this tag', tagStart, cursor.at)
    return { type: 'refused' }
  }
  const indexed = take(cursor, INDEXED)?.[0]
  if (indexed !== undefined) return refuse(cursor, 'template-syntax', `A dot is missing before the bracket: write ${indexed}.[…]`, start)
  const literal = (take(cursor, STRING) ?? take(cursor, LITERAL))?.[0]
  if (literal === undefined) return refuseUnexpected(cursor, tagStart)
  if (/[./]/.test(cursor.source[start - 1] ?? ''))
    return refuse(cursor, 'template-syntax', `A path may not end in the literal ${literal}: write .[${literal}]`, start)
  return refuse(cursor, 'unsupported-syntax', `Literal values such as ${literal} are not supported: name a variable`, start)
}

export function refuseUnexpected(cursor: Cursor, tagStart: number): { readonly type: 'refused' } {
  const { source, at } = cursor
  if (source.indexOf('}}', at) === -1) return refuse(cursor, 'template-syntax', 'This tag is never closed: write }}', tagStart)
  return refuse(cursor, 'template-syntax', `Unexpected ${JSON.stringify(String.fromCodePoint(source.codePointAt(at)!))} in this tag`, at)
}
