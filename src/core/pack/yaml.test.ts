import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runs } from '../../testing/runs.ts'
import type { Json } from '../digest/digest.ts'
import { positionOf } from './place.ts'
import { readYaml } from './yaml.ts'

const problems = (text: string) =>
  readYaml(text).problems.map(({ start, message }) => `${Object.values(positionOf(text, start)).join(':')} ${message}`)
const value = (text: string) => readYaml(text).value

describe('what YAML can do beyond JSON', () => {
  it.each([
    ['duplicate keys', 'a: 1\nb: 2\na: 3', ['3:1 The key "a" occurs here a second time']],
    ['duplicate keys in a flow map', '{a: 1, "a": 2}', ['1:8 The key "a" occurs here a second time']],
    ['a key a third time', 'a: 1\na: 2\na: 3', ['2:1 The key "a" occurs here a second time', '3:1 The key "a" occurs here a second time']],
    ['a custom tag', 'a: !foo bar', ['1:4 Tags are not supported: remove !foo']],
    ['a tag by URI', 'a: !<tag:example.com,2000:x> b', ['1:4 Tags are not supported: remove !<tag:example.com,2000:x>']],
    ['the tag that means nothing', 'a: ! b', ['1:4 Tags are not supported: remove !']],
    ['!!set', 'a: !!set {x, y}', ['1:4 Tags are not supported: remove !!set']],
    ['!!binary', 'a: !!binary aGk=', ['1:4 Tags are not supported: remove !!binary']],
    ['!!timestamp', 'a: !!timestamp 2001-01-01', ['1:4 Tags are not supported: remove !!timestamp']],
    ['!!str on a key', '!!str a: 1', ['1:1 Tags are not supported: remove !!str']],
    ['a tag on a block scalar', 'a: !!str |\n  !not a tag', ['1:4 Tags are not supported: remove !!str']],
    ['a merge key', 'a: &a {x: 1}\nb:\n  <<: *a', ['3:3 Merge keys << are not supported']],
    ['several documents', 'a: 1\n---\nb: 2\n---\nc: 3', ['3:1 A second YAML document begins here: keep one']],
    ['several documents, the first ended', 'a: 1\n...\nb: 2', ['3:1 A second YAML document begins here: keep one']],
    ['.nan', 'a: .nan', ['1:4 .nan is not a JSON number']],
    ['.inf', 'a: [-.inf]', ['1:5 -.inf is not a JSON number']],
    ['1e999', 'a: 1e999', ['1:4 1e999 is not a JSON number']],
    ['half a surrogate pair', 'a: "x\\ud800"', ['1:4 Half a surrogate pair: not valid Unicode']],
    ['half a surrogate pair in a key', '"\\udc00": 1', ['1:1 Half a surrogate pair: not valid Unicode']],
    ['a list as key', '? [a]\n: 1', ['1:3 Keys must be text: put this one in quotes']],
    ['an alias as key', '&a a: 1\n*a : 2', ['2:1 Keys must be text: put this one in quotes']],
    ['an alias to nothing', 'a: *b', ['1:4 The alias *b names no anchor before it']],
    ['an alias to what comes later', 'a: *b\nb: &b 1', ['1:4 The alias *b names no anchor before it']],
    ['an alias that contains itself', 'a: &a [*a]', ['1:8 The alias *a is inside its own anchor']],
    ['an alias that contains itself deeper', 'a: &a\n  b:\n    - c: *a', ['3:10 The alias *a is inside its own anchor']],
    ['an empty file', '', ['1:1 The file is empty']],
    ['nothing but comments', '# hi\n', ['1:1 The file is empty']],
    ['a tab as indentation', 'a:\n\tb: 1', ['2:1 Tabs are not allowed as indentation']],
    ['an unclosed quote', 'a: "b', ['1:6 Missing closing "quote']],
    ['an unclosed list', 'a: [1', ['1:6 Flow sequence in block collection must be sufficiently indented and end with a ]']],
  ])('%s is a problem', (_, text, expected) => expect(problems(text)).toEqual(expected))

  it.each([
    ['timestamps', 'a: 2024-01-01T00:00:00Z', { a: '2024-01-01T00:00:00Z' }],
    ['versions of three numbers', 'a: 1.0.0', { a: '1.0.0' }],
    ['old booleans', 'a: [yes, No, on, OFF]', { a: ['yes', 'No', 'on', 'OFF'] }],
    ['times', 'a: 12:30:45', { a: '12:30:45' }],
    ['a merge key in quotes', '"<<": b', { '<<': 'b' }],
    ['keys that look like numbers', '1: a\ntrue: b\n~: c', { '1': 'a', true: 'b', '~': 'c' }],
    ['the same under another YAML version', '%YAML 1.1\n---\na: [yes, 010, 12:30]', { a: ['yes', 10, '12:30'] }],
  ])('keeps %s as text', (_, text, expected) => {
    expect(value(text)).toEqual(expected)
    expect(problems(text)).toEqual([])
  })

  it('reads 1.0 as the number it is', () => expect(value('a: 1.0')).toEqual({ a: 1 }))
  it('reads an empty value as null', () => expect(value('a:\nb: ~')).toEqual({ a: null, b: null }))
  it('takes the last of duplicate keys', () => expect(value('a: 1\na: 2')).toEqual({ a: 2 }))

  it('says where text would be something else to other readers', () => {
    expect(readYaml('a: 2024-01-01\nb: [x, yes]\nc: "no"').ambiguous).toEqual([
      { pointer: ['a'], value: '2024-01-01', readAs: 'date' },
      { pointer: ['b', 1], value: 'yes', readAs: 'boolean' },
    ])
  })

  it('keeps keys such as __proto__ as plain keys', () => {
    const read = value('__proto__: {polluted: true}\nconstructor: 1') as Record<string, Json>
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('resolves aliases, each to the last anchor before it', () => {
    expect(value('a: &x 1\nb: &y [*x, *x]\nc: &x 2\nd: [*x, *y]')).toEqual({ a: 1, b: [1, 1], c: 2, d: [2, [1, 1]] })
  })

  it('reads a BOM and CRLF, and counts them', () => {
    expect(value('\ufeffa: 1\r\nb: |\r\n  x\r\n  y\r\nc: >-\r\n  x\r\n  y\r\n')).toEqual({ a: 1, b: 'x\ny\n', c: 'x y' })
    expect(problems('\ufeffa: 1\r\na: 2\r\n')).toEqual(['2:1 The key "a" occurs here a second time'])
  })
})

describe('attacks', () => {
  const bomb = (levels: number) =>
    Array.from(
      { length: levels },
      (_, level) => `a${level}: &a${level} [${level === 0 ? 'x,'.repeat(10) : `*a${level - 1},`.repeat(10)}]`,
    ).join('\n')

  it('stops an alias bomb', () => {
    expect(problems(bomb(3))).toEqual([])
    expect(problems(bomb(12))).toEqual(['4:38 Aliases stand for more than 10000 values'])
    expect(JSON.stringify(value(bomb(12))).length).toBeLessThan(100_000)
  })

  it('stops aliases to one big thing', () => {
    expect(problems(`a: &a [${'1,'.repeat(6000)}]\nb: *a\nc: *a\nd: *a\n`)).toEqual(['3:4 Aliases stand for more than 10000 values'])
  })

  it.each([
    ['lists', '['.repeat(500_000), '1:102'],
    ['closed lists', '['.repeat(5000) + ']'.repeat(5000), '1:102'],
    ['maps', '{a: '.repeat(100_000), '1:'],
    ['block maps', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), '10'],
    ['block lists', `${'- '.repeat(100_000)}a`, '1:'],
  ])('stops deep %s', (_, text, place) => {
    const [problem, ...more] = problems(text)
    expect(more).toEqual([])
    expect(problem).toMatch(/^\S+ Nested more than 100 deep$/)
    expect(problem!.startsWith(place)).toBe(true)
    expect(value(text)).toBeUndefined()
  })

  it('reads what is 90 deep', () => expect(problems('['.repeat(90) + ']'.repeat(90))).toEqual([]))

  it('stops aliases that make a deep thing out of shallow ones', () => {
    const nested = (inner: string) => '['.repeat(60) + inner + ']'.repeat(60)
    expect(problems(`a: &a ${nested('1')}\nb: ${nested('*a')}\n`)).toEqual(['2:64 Nested more than 100 deep'])
  })

  it('reads thirty thousand keys in reasonable time', () => {
    expect(Object.keys(value(Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`).join('\n')) as object)).toHaveLength(30_000)
  }, 20_000)

  it('never throws, whatever it is given', () => {
    const pieces = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a ',
      '*a',
      '!t ',
      '|',
      '>',
      '"',
      "'",
      '#',
      '---\n',
      '...\n',
      '%YAML 1.3\n',
      '? ',
      '\t',
      '\\',
      ',',
      '<<',
      '\r',
      '\u0000',
      '\ufeff',
      '@',
      '`',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), list => {
        const document = readYaml(list.join(''))
        for (const { start, end } of document.problems) expect(start < end && start >= 0).toBe(true)
        expect(document.problems.length > 0 || document.value !== undefined).toBe(true)
        document.locate({ pointer: ['a', 0, 'a'], within: { start: 1, end: 2 } })
        document.commentStarts()
      }),
      { numRuns: runs(2000) },
    )
  })

  it('reads any JSON as itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), json => {
        expect(value(JSON.stringify(json))).toEqual(parse(JSON.stringify(json)))
      }),
    )
  })
})

describe('commentStarts', () => {
  it('finds comments and nothing else', () => {
    const text = '# one\na: "# no" # two\nb: x#no\nc: | # three\n  # no\nd: [1, # four\n 2]\n'
    const said = [...readYaml(text).commentStarts()].map(at => text.slice(at).split('\n')[0])
    expect(said).toEqual(['# one', '# two', '# three', '# four'])
  })
})
