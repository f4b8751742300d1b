import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { editScalars, nextId, nextVersion } from './edit.ts'
import { readYaml } from './yaml.ts'

const edit = (text: string, ...edits: [(string | number)[], string][]) =>
  editScalars(
    readYaml(text),
    edits.map(([pointer, value]) => ({ pointer, value })),
  )

describe('editScalars', () => {
  it('changes the scalar and nothing else', () => {
    const text = '# head\nid: x   # why\n\nversion:  "1.0.0"\nmeta: { name: \'n\', lastUpdated: 2020 } # end\n'
    const edited = edit(text, [['version'], '1.1.0'], [['id'], 'y'], [['meta', 'lastUpdated'], '2026'])
    expect(edited).toBe('# head\nid: "y"   # why\n\nversion:  "1.1.0"\nmeta: { name: \'n\', lastUpdated: "2026" } # end\n')
  })

  it.each([
    ['a block literal', 'a: |\n  old\n  text\n\nb: 1\n', 'a: "new"\n\nb: 1\n'],
    ['a folded block with a header', 'a: >2-\n    old\n# c\nb: 1\n', 'a: "new"\n# c\nb: 1\n'],
    ['a block at the end', 'b: 1\na: |+\n  old\n\n', 'b: 1\na: "new"\n\n'],
    ['text over lines', 'a: old\n  text\nb: 1\n', 'a: "new"\nb: 1\n'],
    ['an anchored scalar', 'a: &x old\nb: 1\n', 'a: &x "new"\nb: 1\n'],
    ['CRLF', 'a: old\r\nb: 1\r\n', 'a: "new"\r\nb: 1\r\n'],
    ['a key without a value', 'a:\nb: 1\n', 'a: "new"\nb: 1\n'],
  ])('replaces %s', (_, text, expected) => {
    expect(edit(text, [['a'], 'new'])).toBe(expected)
    expect(parse(edit(text, [['a'], 'new']))).toEqual({ a: 'new', b: 1 })
  })

  it('leaves out what is not there, or no scalar', () => {
    const text = 'a: [1]\nb: &x y\nc: *x\n'
    expect(edit(text, [['z'], 'n'], [['a'], 'n'], [['a', 0, 'q'], 'n'], [['c'], 'n'])).toBe(text)
  })

  it('does the first of two for the same scalar', () => expect(edit('a: 1\n', [['a'], 'x'], [['a'], 'y'])).toBe('a: "x"\n'))

  it('writes any text so that it is read back', () => {
    const unit = fc.string({ unit: 'binary', maxLength: 30 }).filter(text => text.isWellFormed())
    fc.assert(
      fc.property(
        unit,
        fc.constantFrom('a: x\nb: 1\n', 'a: |\n  x\nb: 1\n', '{a: "x", b: 1}', 'a: >-\r\n  x\r\nb: 1\r\n'),
        (value, text) => {
          expect(readYaml(edit(text, [['a'], value])).value).toEqual({ a: value, b: 1 })
        },
      ),
    )
  })
})

describe('the next version', () => {
  it.each([
    ['1.2.3', 'patch', '1.2.4'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'major', '2.0.0'],
    ['1.0.0-alpha', 'patch', '1.0.0'],
    ['1.0.0+build', 'patch', '1.0.1'],
    ['999999999999999.0.0', 'major', '1000000000000000.0.0'],
  ] as const)('of %s by %s is %s', (version, bump, expected) => expect(nextVersion(version, bump)).toBe(expected))

  it.each([
    ['prompt-a-v1', '1.2.0', 'prompt-a-v1'],
    ['prompt-a-v1', '2.0.0', 'prompt-a-v2'],
    ['prompt-a-v1.0.0', '1.2.0', 'prompt-a-v1.2.0'],
  ])('of the id %s at %s is %s', (id, to, expected) => expect(nextId(id, 'a', '1.0.0', to)).toBe(expected))
})
