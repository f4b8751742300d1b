import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './digest.ts'
import { hasDuplicateKeys } from './duplicate-keys.ts'

const isTwice = (text: string): boolean => hasDuplicateKeys(text, JSON.parse(text) as Json)

describe('a key that stands twice', () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '{"x":{"a":1,"a":2}}',
    '[[{"a":1},{"a":1,"a":1}]]',
    '{"a":1,"\\u0061":2}',
    '{"a" \n:1,"a"\t:2}',
    '{"":1,"":2}',
    '{"a\\"":1,"a\\"":2}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"a":{"b":1,"c":[{"d":1}]},"a":{}}',
    '{"__proto__":1,"__proto__":2}',
    '{"1":0,"1":0}',
  ])('is found in %s', text => expect(isTwice(text)).toBe(true))

  it.each([
    'null',
    '""',
    '"a"',
    '{}',
    '{"a":"b:c","b":"a"}',
    '{"a":"\\":","b":"\\\\"}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":"a"}}}',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"__proto__":1,"constructor":2}',
  ])('is not seen in %s', text => expect(isTwice(text)).toBe(false))
})

describe('any JSON', () => {
  const anySpace = fc.constantFrom(0, 1, '\t', '\n')

  it('has none as it is printed, however it is laid out', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), anySpace, (value, space) => {
        expect(isTwice(JSON.stringify(value, null, space))).toBe(false)
      }),
    )
  })

  it('has one when an entry is put in again', () => {
    const anyObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { minKeys: 1 })
    fc.assert(
      fc.property(anyObject, anySpace, (object, space) => {
        const text = JSON.stringify(object, null, space)
        const [key] = Object.keys(object)
        const again = `{${JSON.stringify(key)}:[{"x":0}],${text.slice(1)}`
        expect(isTwice(again)).toBe(true)
        expect(isTwice(`[0,{"\\"":${again}}]`)).toBe(true)
      }),
    )
  })

  it('takes one walk over it, also where it is all backslashes', () => {
    const text = JSON.stringify({ a: '\\'.repeat(250_000), b: '"'.repeat(250_000) })
    expect(isTwice(text)).toBe(false)
  })
  it('may be deeper than any stack', () => {
    const deep = `${'[{"a":'.repeat(100_000)}0${'}]'.repeat(100_000)}`
    expect(isTwice(deep)).toBe(false)
    expect(isTwice(`{"a":1,"a":${deep}}`)).toBe(true)
  })
})
