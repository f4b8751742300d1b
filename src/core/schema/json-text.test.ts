import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from './json-text.ts'

describe('readJson', () => {
  it.each([
    ['{"a": ,}', 6, 'unexpected ","'],
    ['{"a": 1,}', 8, 'unexpected "}"'],
    ['[1 2]', 3, 'unexpected "2"'],
    ['{"a" 1}', 5, 'unexpected "1"'],
    ['{\n  a: 1}', 4, 'unexpected "a"'],
    ["{'a': 1}", 1, 'unexpected "\'"'],
    ['[tru]', 4, 'unexpected "]"'],
    ['[-]', 2, 'unexpected "]"'],
    ['"a\nb"', 2, 'unexpected "\\n"'],
    ['"\\x"', 2, 'unexpected "x"'],
    ['{} {}', 3, 'unexpected "{"'],
    ['[1, 2', 5, 'it ends too early'],
    ['"abc', 4, 'it ends too early'],
    ['', 0, 'it ends too early'],
  ])('%j breaks at %i', (text, offset, message) => {
    expect(readJson(text)).toEqual({ ok: false, offset, message })
  })

  it('finds a forbidden character wherever it is put', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), fc.nat(), (text, at) => {
        const place = at % (text.length + 1)
        const broken = `${text.slice(0, place)}\u0001${text.slice(place)}`
        const read = readJson(broken)
        expect(read).toMatchObject({ ok: false })
        if (!read.ok) expect(read.offset).toBeLessThanOrEqual(place)
        if (!read.ok && read.offset < place) expect(/[-0-9a-z\\]/.test(text[place - 1]!)).toBe(true)
      }),
    )
  })

  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
      }),
    )
  })
})
