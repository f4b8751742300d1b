import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { positionOf } from './place.ts'
import { readYaml } from './yaml.ts'

describe('positionOf', () => {
  it.each([
    ['', 0, 1, 1],
    ['ab', 2, 1, 3],
    ['a\nb', 1, 1, 2],
    ['a\nb', 2, 2, 1],
    ['a\r\nb', 3, 2, 1],
    ['\n\nx', 2, 3, 1],
    ['é😀x', 3, 1, 4],
  ])('%j at %i is %i:%i', (text, offset, line, column) => expect(positionOf(text, offset)).toEqual({ line, column }))
})

/** The source text at the place of a field. */
const said = (text: string, ...pointer: (string | number)[]) => slice(text, readYaml(text).locate({ pointer }))
const slice = (text: string, { start, end }: { start: number; end: number }) => text.slice(start, end)

describe('locate', () => {
  const text = '# pack\nid: x\nmeta:\n  name: "A b"\nlist: [one, {two: 2}]\nnothing:\nagain: &a [1]\nalias: *a\n'
  const document = readYaml(text)

  it.each([
    [['id'], 'x'],
    [['meta', 'name'], '"A b"'],
    [['list', 0], 'one'],
    [['list', 1, 'two'], '2'],
    [['list'], '[one, {two: 2}]'],
  ])('finds the value at %j', (pointer, expected) => expect(said(text, ...pointer)).toBe(expected))

  it('finds the key when asked for it', () => expect(slice(text, document.locate({ pointer: ['meta', 'name'], key: true }))).toBe('name'))
  it('names the parent of a field that is not there', () => expect(said(text, 'meta', 'author')).toBe('meta'))
  it('names the key of a field without a value', () => expect(said(text, 'nothing')).toBe('nothing'))
  it('names the key of an alias when asked for something inside it', () => expect(said(text, 'alias', 0)).toBe('alias'))
  it('finds no key of an item, so its value', () => expect(slice(text, document.locate({ pointer: ['list', 0], key: true }))).toBe('one'))
  it('starts at the first key for a missing field of the whole', () => expect(document.locate({ pointer: ['version'] }).start).toBe(7))
  it('finds something in a file without content', () => expect(readYaml('').locate({ pointer: ['id'] })).toEqual({ start: 0, end: 1 }))
  it('takes a range of the file as it is', () =>
    expect(document.locate({ pointer: ['id'], source: { start: 3, end: 9 } })).toEqual({ start: 3, end: 9 }))
  it('finds the last of duplicate keys, whose value counts', () =>
    expect(readYaml('a: 1\na: 22').locate({ pointer: ['a'] })).toEqual({ start: 8, end: 10 }))
})

describe('locate within a text', () => {
  // Every ordinary character occurs once, so finding it proves its place.
  const words = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 })
  const lines = fc.array(words, { minLength: 1, maxLength: 5 }).map(sizes => {
    let code = 0x4e00
    return sizes.map(line => line.map(size => Array.from({ length: size }, () => String.fromCharCode(code++)).join('')))
  })
  const gap = fc.constantFrom(' ', '  ', ' \t ')
  const breaks = fc.constantFrom('\n', '\n\n', '\n\n\n')
  const eol = fc.constantFrom('\n', '\r\n')
  const indent = fc.integer({ min: 1, max: 5 })

  const check = (yaml: string) => {
    const document = readYaml(yaml)
    expect(document.problems).toEqual([])
    const { systemPrompt: value } = document.value as { systemPrompt: string }
    for (let offset = 0; offset < value.length; offset++) {
      const { start } = document.locate({ pointer: ['systemPrompt'], within: { start: offset, end: offset + 1 } })
      if (/[一-鿿]/.test(value[offset]!)) expect([offset, yaml[start]]).toEqual([offset, value[offset]])
      if (value[offset] === '{') expect(yaml.slice(start)).toMatch(/^(?:\{|\\x7b|\\u007B|\\U0000007b)/)
      expect(start).toBeLessThanOrEqual(yaml.length)
    }
    return value
  }
  const wrap = (body: string, end: string) => `# first\nid: x\nsystemPrompt: ${body}\nversion: "1"\n`.replaceAll('\n', end)

  it.each(['|', '>'])('follows %s blocks with every header, indent and kind of line', style => {
    const anyLine = fc.record({ extra: fc.constantFrom('', '', '', '  ', '\t'), blank: fc.constantFrom(0, 0, 0, 1, 2) })
    const all = fc.tuple(
      lines,
      fc.array(anyLine, { minLength: 5, maxLength: 5 }),
      gap,
      eol,
      indent,
      fc.constantFrom('', '-', '+'),
      fc.boolean(),
      fc.nat(2),
    )
    fc.assert(
      fc.property(all, ([text, shape, space, end, depth, chomp, named, before]) => {
        const pad = ' '.repeat(depth)
        const first = named ? shape[0]!.extra : ''
        const body = text.map((line, index) => {
          const { extra, blank } = shape[index]!
          return `${pad}${index === 0 ? first : extra}${line.join(space)}${'\n'.repeat(blank)}`
        })
        const header = `${style}${named ? depth : ''}${chomp}${depth === 3 ? ' # a comment' : ''}`
        check(wrap(`${header}\n${'\n'.repeat(before)}${body.join('\n')}`, end))
      }),
    )
  })

  it.each([
    ['plain', '', '', ''],
    ['single-quoted', "'", "''", ''],
    ['double-quoted', '"', '\\"', '\\u007B'],
  ])('follows %s text over lines', (_, quote, inner, spelled) => {
    const extras = fc.constantFrom('', '{', inner, spelled)
    fc.assert(
      fc.property(
        lines,
        fc.array(extras, { minLength: 5, maxLength: 5 }),
        gap,
        breaks,
        eol,
        indent,
        (text, extra, space, between, end, depth) => {
          const rows = text.map((line, index) => `${line.join(space)}${extra[index]}`)
          check(wrap(`${quote}${rows.join(`${depth > 3 ? '  ' : ''}${between}${' '.repeat(depth)}`)}${quote}`, end))
        },
      ),
    )
  })

  it('follows escapes and joined lines in double quotes', () => {
    const piece = fc.constantFrom(
      '\\n',
      '\\t',
      '\\x7b',
      '\\u007B',
      '\\U0000007b',
      '\\U0001F600',
      '\\"',
      '\\\\',
      '😀',
      '\\\n   ',
      '\\\n\n  ',
      '\n \\ ',
      '{',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), eol, (pieces, end) => {
        let code = 0x4e00
        const body = pieces.map(text => `${String.fromCharCode(code++)}${text}`).join('')
        check(wrap(`"${body}${String.fromCharCode(code)}"`, end))
      }),
    )
  })

  it.each([
    ['plain', 'a', 'b'],
    ['single-quoted', "'a", "b'"],
    ['double-quoted', '"a', 'b"'],
    ['double-quoted, behind an escaped space,', '"a\\ ', 'b"'],
  ])('counts a run of spaces in %s text one by one', (_, before, after) => {
    const text = `systemPrompt: ${before}    ${after}\n`
    const document = readYaml(text)
    const { systemPrompt: value } = document.value as { systemPrompt: string }
    const at = (offset: number) => document.locate({ pointer: ['systemPrompt'], within: { start: offset, end: offset + 1 } }).start
    const end = text.indexOf('b')
    const spaces = value.length - 2
    expect([4, 3, 2, 1, 0].map(back => at(spaces + 1 - back))).toEqual([4, 3, 2, 1, 0].map(back => end - back))
  })

  it('finds what stands behind an escaped space and a fold', () => {
    const text = 'systemPrompt: "a\\   \n  b"\n'
    const document = readYaml(text)
    expect(document.value).toEqual({ systemPrompt: 'a  b' })
    expect(document.locate({ pointer: ['systemPrompt'], within: { start: 3, end: 4 } }).start).toBe(text.indexOf('b'))
  })

  it('covers what it is asked for, and at least one character', () => {
    const text = 'systemPrompt: |\n  Hi {{hwo}}\n'
    const { locate } = readYaml(text)
    expect(slice(text, locate({ pointer: ['systemPrompt'], within: { start: 3, end: 10 } }))).toBe('{{hwo}}')
    expect(slice(text, locate({ pointer: ['systemPrompt'], within: { start: 3, end: 3 } }))).toBe('{')
  })

  it('finds a text that another field shares by alias at that field', () => {
    const text = 'a: &a hello there\nsystemPrompt: *a\n'
    expect(slice(text, readYaml(text).locate({ pointer: ['systemPrompt'], within: { start: 2, end: 3 } }))).toBe('*a')
  })
})
