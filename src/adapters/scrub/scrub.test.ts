import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { scrubber } from './scrub.ts'

const of = (...values: string[]) => scrubber(new Map(values.map(value => [value, '#'])))
const streamed = (pieces: readonly string[], ...values: string[]): string[] => {
  const stream = of(...values).stream()
  return [...pieces.map(piece => stream.push(piece)), stream.end()]
}

const inAscii = (secret: string): string =>
  JSON.stringify({ secret }).replace(/[\u0080-\uffff]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('scrubber', () => {
  it('finds a value as it is, in JSON and in an address', () => {
    const { text } = of('pa"ss wörd')
    expect(text('pa"ss wörd')).toBe('#')
    expect(text(JSON.stringify({ said: 'pa"ss wörd' }))).toBe('{"said":"#"}')
    expect(text(JSON.stringify(JSON.stringify({ said: 'pa"ss wörd' })))).toBe('"{\\"said\\":\\"#\\"}"')
    expect(text(`http://a/?k=${encodeURIComponent('pa"ss wörd')}`)).toBe('http://a/?k=#')
  })

  it.each([
    ['a form', 'tr0ub4dor & (3)', (secret: string) => new URLSearchParams({ key: secret }).toString(), 'key=#'],
    ['a path', 'tr0ub4dor/3 x', (secret: string) => new URL(`http://host/${secret}`).href, 'http://host/#'],
    ['a query', "it's {3}", (secret: string) => new URL(`http://host/?k=${secret}`).href, 'http://host/?k=#'],
    ['JSON that is all ASCII', 'trüb4dör', inAscii, '{"secret":"#"}'],
  ])('finds a value in %s', (_, secret, quoted, found) => expect(of(secret).text(quoted(secret))).toBe(found))

  it('takes no word out for what an address makes of dots', () => expect(of('../../word').text('a word')).toBe('a word'))

  it('finds a value where every byte was read as a character', () => {
    expect(of('pässwörd').text(Buffer.from('+pässwörd\n').toString('latin1'))).toBe('+#\n')
  })

  it('finds every line of a value that has several, but for short ones', () => {
    const { text } = of('{\r\n  "key": "abc",\n  "b": 1\n}')
    expect(text('+{\n+\t"key": "abc",\n+  "b": 1\n+}')).toBe('+{\n+\t#\n+  "b": 1\n+}')
    expect(of('a line of its own').text('a line')).toBe('a line')
  })

  it('finds a value without the line break that it ends in, however short', () => {
    expect(of('hunter2\n').text('the password is hunter2')).toBe('the password is #')
  })

  it('takes the longest of those that begin at one place, and reads no value as a pattern', () => {
    expect(of('abcd', 'abcdef').text('abcdef abcdx')).toBe('# #x')
    expect(of('a.*d', '$&$&').text('abcd a.*d $&$&')).toBe('abcd # #')
  })

  it('looks at nothing shorter than four characters', () => expect(of('abc', '').text('abc')).toBe('abc'))

  it('goes through keys and values of JSON, and mends what could not be stored', () => {
    expect(of('secret').json({ secret: ['a secret', 1, null], b: 'x\ud800' })).toEqual({ '#': ['a #', 1, null], b: 'x\ufffd' })
  })
})

describe('a scrubbed stream', () => {
  it('finds a value that comes in pieces, and shows the rest as soon as it can', () => {
    expect(streamed(['it is se', 'cr', 'et!', ' done'], 'secret')).toEqual(['it is ', '', '#!', ' done', ''])
    expect(streamed(['se', 'ven'], 'secret')).toEqual(['', 'seven', ''])
  })

  it('shows the beginning of a value when nothing follows', () => expect(streamed(['a sec'], 'secret')).toEqual(['a ', 'sec']))

  it('waits when one value may become a longer one', () => {
    expect(streamed(['abcd', 'ef'], 'abcd', 'abcdef')).toEqual(['', '#', ''])
    expect(streamed(['abcd', 'xx'], 'abcd', 'abcdef')).toEqual(['', '#xx', ''])
  })

  it('gives out no half of a surrogate pair', () => expect(streamed(['a\ud83d', '\ude00'], 'secret')).toEqual(['a', '\u{1F600}', '']))

  it('says in pieces what it says at once, wherever it is cut and however values overlap', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 })
    const values = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 7 }), { maxLength: 4 })
    fc.assert(
      fc.property(letters, values, fc.array(fc.nat(40)), (text, secrets, cuts) => {
        const places = [0, ...cuts.filter(cut => cut < text.length).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
        const given = streamed(pieces, ...secrets).join('')
        expect(given).toBe(of(...secrets).text(text))
      }),
      { numRuns: runs(5000) },
    )
  })
})
