// Tests the head of a role file: its content, its end, and the place of each mistake.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { positionText } from '../pack/place.ts'
import { type Head, readHead } from './head.ts'
import type { HeadValue } from './head-value.ts'

type Plain = string | boolean | readonly string[]

const plainOf = (value: HeadValue): Plain =>
  value.kind === 'text' ? value.text : value.kind === 'flag' ? value.flag : value.items.map(({ text }) => text)
const plain = ({ entries }: Head) => entries.map(({ table, key, value }) => [table, key, plainOf(value)])
const said = (text: string) =>
  readHead(text).problems.map(({ severity, message, at }) => `${severity} at ${positionText(text, at)}: ${message}`)

describe('a value', () => {
  const values: readonly [written: string, value: Plain][] = [
    ['""', ''],
    ['"a b"', 'a b'],
    ["'a \\n b'", 'a \\n b'],
    ['"\\t\\n\\"\\\\\\u00e9\\U0001F600"', '\t\n"\\é😀'],
    ['"# no comment"', '# no comment'],
    ['true', true],
    ['false # yet', false],
    ['[]', []],
    ['["a", \'b\',]', ['a', 'b']],
    ['[ # first\n  "a", # one\n\n  "b"\n]', ['a', 'b']],
    ['["]", ","]\r', [']', ',']],
  ]
  it.each(values)('%j is read', (written, value) => {
    const head = readHead(`[template]\nkey = ${written}\n\ntext`)
    expect(plain(head)).toEqual([['template', 'key', value]])
    expect(head.problems).toEqual([])
  })

  const refused: readonly [written: string, at: string, message: string][] = [
    ['1', 'line 2, column 7', 'A value is text in quotes, true, false, or a list of texts in brackets'],
    ['', 'line 2, column 7', 'A value is text in quotes, true, false, or a list of texts in brackets'],
    ['truely', 'line 2, column 7', 'A value is text in quotes, true, false, or a list of texts in brackets'],
    ['{ a = "b" }', 'line 2, column 7', 'A value is text in quotes, true, false, or a list of texts in brackets'],
    ['"""a"""', 'line 2, column 7', 'Text over several lines is not read here'],
    ['"open', 'line 2, column 7', 'The text is not closed on its line'],
    ['"\\x"', 'line 2, column 8', 'There is no such escape'],
    ['"\\ud800"', 'line 2, column 8', 'There is no such escape'],
    ['"\\U00110000"', 'line 2, column 8', 'There is no such escape'],
    ['"a\u0000"', 'line 2, column 9', 'A control character cannot stand in a text'],
    ['"a" "b"', 'line 2, column 11', 'Only a comment may stand behind a value'],
    ['["a" "b"]', 'line 2, column 11', 'Here the list needs a comma, or ] to end it'],
    ['["a" "b",\n  "c"]', 'line 2, column 11', 'Here the list needs a comma, or ] to end it'],
    ['["a",\n  1]', 'line 3, column 3', 'A list holds texts in quotes, and ends with ]'],
    ['[["a"]]', 'line 2, column 8', 'A list holds texts in quotes, and ends with ]'],
    ['[,]', 'line 2, column 8', 'A list holds texts in quotes, and ends with ]'],
    ['["a"\n\n## Identity\n\nYou are.', 'line 2, column 11', 'Here the list needs a comma, or ] to end it'],
  ]
  it.each(refused)('%j is refused once, at its place', (written, at, message) => {
    expect(said(`[template]\nkey = ${written}\n\ntext`)).toEqual([`error at ${at}: ${message}`])
  })
})

describe('a head', () => {
  const ends: readonly [what: string, text: string, body: string][] = [
    ['at a blank line', '[template]\nname = "a"\n\nkey = "text"\n', 'key = "text"\n'],
    ['behind several blank lines, not touching the first line of text', '[template]\n\n \n    code\n', '    code\n'],
    ['with the file', '[template]', ''],
    ['at a line of blanks', '[template]\nname = "a"\n \t\r\ntext', 'text'],
    ['behind a byte order mark, blank lines and CRLF', '\uFEFF\r\n [ template ] # head\r\nname = "a"\r\n\r\ntext\r\n', 'text\r\n'],
    ['never, where there is none', 'Name: a\n', 'Name: a\n'],
    ['at once, where blank lines open the text', '\uFEFF\n\ntext', '\n\ntext'],
  ]
  it.each(ends)('ends %s', (_, text, body) => {
    const head = readHead(text)
    expect(text.slice(head.end)).toBe(body)
    expect(head.problems).toEqual([])
  })

  it('ends before a line that cannot belong to it, and says so', () => {
    const text = '[template]\nname = "a"\n  You are a planner.\n'
    expect(text.slice(readHead(text).end)).toBe('  You are a planner.\n')
    expect(said(text)).toEqual(['warning at line 3, column 1: This line is not part of the head, so the text of the role begins here'])
  })

  it.each(['[Template]\nname = "a"\n', '[template\nname = "a"\n', '\n---\nname: a\n---\n', '[template] name = "a"\n'])(
    'that was meant and is none is text for the model, and says so: %j',
    text => {
      expect([readHead(text).end, plain(readHead(text))]).toEqual([0, []])
      expect(said(text)[0]).toMatch(/^warning at line [12], column 1: This is not a valid head/)
    },
  )

  it('keeps tables apart', () => {
    const head = readHead('[template]\nname = "a"\n[template.more]\nname = "b"\n')
    expect(plain(head)).toEqual([
      ['template', 'name', 'a'],
      ['template.more', 'name', 'b'],
    ])
  })

  it('says what is there twice, and keeps the first', () => {
    const text = '[template]\nname = "a"\nname = "b"\n[template]\n'
    expect(plain(readHead(text))).toEqual([['template', 'name', 'a']])
    expect(said(text)).toEqual([
      'error at line 3, column 1: "name" is there twice',
      'error at line 4, column 1: The table [template] is there twice',
    ])
  })

  it('goes on behind a mistake', () => {
    expect(said('[template]\na = 1\n"b" = "c"\nd = \'e\nf = "g"\n')).toEqual([
      'error at line 2, column 5: A value is text in quotes, true, false, or a list of texts in brackets',
      'error at line 3, column 1: A key is letters, digits, underscores and hyphens',
      'error at line 4, column 5: The text is not closed on its line',
    ])
  })

  it('takes a name of the language for a key like any other', () => {
    expect(plain(readHead('[template]\n__proto__ = "a"\nconstructor = "b"\n'))).toEqual([
      ['template', '__proto__', 'a'],
      ['template', 'constructor', 'b'],
    ])
  })
})

const anyText = fc.string({ unit: 'grapheme', maxLength: 20 })
const anyKey = fc.stringMatching(/^[\w-]{1,12}$/)
const anyValue: fc.Arbitrary<Plain> = fc.oneof(anyText, fc.boolean(), fc.array(anyText, { maxLength: 4 }))
const anyTables = fc
  .tuple(
    fc.dictionary(anyKey, anyValue, { maxKeys: 5 }),
    fc.dictionary(
      anyKey.filter(name => name !== 'template'),
      fc.dictionary(anyKey, anyValue, { maxKeys: 3 }),
      { maxKeys: 2 },
    ),
  )
  .map(([template, others]) => [['template', template], ...Object.entries(others)] as const)
const anyHabit = fc.record({
  newline: fc.constantFrom('\n', '\r\n'),
  spread: fc.boolean(),
  remark: fc.constantFrom('', ' # so', '\t#"'),
  literal: fc.boolean(),
})
type Habit = typeof anyHabit extends fc.Arbitrary<infer T> ? T : never

const printText = (text: string, { literal }: Habit): string => {
  if (literal && !/['\p{Cc}]/u.test(text)) return `'${text}'`
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `"${escaped}"`
}
function printValue(value: Plain, habit: Habit): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return printText(value, habit)
  const gap = habit.spread ? `${habit.remark}${habit.newline}${habit.newline}  ` : ' '
  return `[${value.map(one => `${gap}${printText(one, habit)},`).join('')}${gap}]`
}
const print = (tables: readonly (readonly [string, Readonly<Record<string, Plain>>])[], habit: Habit): string =>
  tables
    .flatMap(([table, fields]) => [`[${table}]`, ...Object.entries(fields).map(([key, value]) => `${key} = ${printValue(value, habit)}`)])
    .map(line => `${line}${habit.remark}${habit.newline}`)
    .join('')

it('whatever is printed is read back, in any habit of writing', () => {
  fc.assert(
    fc.property(anyTables, anyHabit, (tables, habit) => {
      const text = print(tables, habit)
      const head = readHead(`${text}${habit.newline}text`)
      expect(head.problems).toEqual([])
      expect(plain(head)).toEqual(tables.flatMap(([table, fields]) => Object.entries(fields).map(([key, value]) => [table, key, value])))
      expect(head.end).toBe(text.length + habit.newline.length)
    }),
  )
})
