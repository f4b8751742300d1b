import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, digestBytes, digestJson, digestText, isDigest, type Json, tryCanonicalJson } from './digest.ts'
import { sha256Hex as inBrowser } from './sha256-browser.ts'
import { sha256Hex as onNode } from './sha256-node.ts'

/** RFC 8785, appendix B: the bits of a double, and how it is spelled. */
const NUMBERS: readonly [string, string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]
const doubleOf = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE()

/** §3.2.2, and its bytes from §3.2.4. */
const SAMPLE = String.raw`{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`
const SAMPLE_BYTES = `
  7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72 73 22 3a
  5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32 2c 31 65 2d 32 37
  5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22 7d`

/** §3.2.3: names in the order of their UTF-16 units, where an emoji comes before a Hebrew letter. */
const SORTING = String.raw`{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}`
const SORTED = ['Carriage Return', 'One', 'Control', 'Latin Small Letter O', 'Euro Sign', 'Emoji', 'Hebrew']

describe('canonical JSON, as RFC 8785 has it', () => {
  it.each(NUMBERS)('spells the double %s as %s', (bits, text) => expect(canonicalJson(doubleOf(bits))).toBe(text))

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])('has no spelling for %s, which is no number', bits => {
    expect(() => canonicalJson([doubleOf(bits)])).toThrow()
  })

  it('spells the sample of the specification byte for byte', () => {
    const bytes = Buffer.from(canonicalJson(JSON.parse(SAMPLE)), 'utf8')
    expect(bytes.toString('hex')).toBe(SAMPLE_BYTES.replace(/\s/g, ''))
  })

  it('sorts names by their UTF-16 units', () => {
    const text = canonicalJson(JSON.parse(SORTING))
    const places = SORTED.map(name => text.indexOf(name))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  it.each(['\ud800', '\udc00a'])('refuses half a surrogate pair: %j', text => {
    expect(() => canonicalJson({ text })).toThrow()
    expect(() => canonicalJson({ [text]: 1 })).toThrow()
  })
})

const anyJson = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }) as fc.Arbitrary<Json>
// Few letters, and those of JSON itself among them: values that are nearly the same are what could be mistaken for one another.
const alikeJson = fc.jsonValue({ maxDepth: 2, depthSize: 'small', stringUnit: fc.constantFrom('a', '"', ',', '\\') }) as fc.Arbitrary<Json>

describe('canonical JSON', () => {
  it.each([anyJson, alikeJson])('is spelled as another implementation of RFC 8785 spells it', values => {
    fc.assert(
      fc.property(values, value => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 500 },
    )
  })

  it('has its fields in order, few or many', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 3 }), fc.constant(1), { maxKeys: 40, size: 'max' }), value => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
    )
  })

  it('takes a field without a value for none, and refuses a list with an empty place', () => {
    expect(canonicalJson({ b: undefined, a: 1 } as unknown as Json)).toBe('{"a":1}')
    expect(() => canonicalJson([1, undefined] as unknown as Json)).toThrow()
    expect(() => canonicalJson(undefined as unknown as Json)).toThrow()
  })
})

describe('canonical JSON of what is nested', () => {
  const nested = (depth: number): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

  it('ends at a thousand levels, whatever the stack would bear', () => {
    expect(canonicalJson(nested(1000))).toBe('['.repeat(1000) + ']'.repeat(1000))
    expect(() => canonicalJson(nested(1001))).toThrow('deeper')
    const own: unknown[] = []
    own.push(own)
    expect(() => canonicalJson(own as Json)).toThrow('deeper')
  })

  it('ends where the caller says, without a throw', () => {
    expect(tryCanonicalJson(nested(3), 3)).toBe('[[[]]]')
    expect(tryCanonicalJson(nested(4), 3)).toBeNull()
    expect(tryCanonicalJson(['\ud800'], 3)).toBeNull()
    expect(tryCanonicalJson([Number.NaN], 3)).toBeNull()
  })
})

describe('digests of JSON', () => {
  it('do not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(anyJson, fc.string(), (value, seed) => {
        expect(digestJson(shuffled(value, seed))).toBe(digestJson(value))
      }),
      { numRuns: 300 },
    )
  })

  it('lose nothing: the canonical text reads back as the value', () => {
    fc.assert(
      fc.property(anyJson, value => {
        expect(isDeepStrictEqual(JSON.parse(canonicalJson(value)), plain(value))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('are the same for the same value only', () => {
    fc.assert(
      fc.property(alikeJson, alikeJson, (a, b) => {
        expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(plain(a), plain(b)))
      }),
      { numRuns: 1000 },
    )
  })
})

/** JSON knows one zero. */
const plain = (value: Json): Json => JSON.parse(JSON.stringify(value))

function shuffled(value: Json, seed: string): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => shuffled(item, seed))
  const rank = ([key]: [string, Json]) => onNode(seed + key)
  const entries = Object.entries(value as Readonly<Record<string, Json>>).sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, shuffled(inner, seed)]))
}

describe('digests of bytes and text', () => {
  it('are what sha256sum prints', () => {
    // The lengths around a block of 64 bytes are where a padding goes wrong.
    const edges = [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128].map(length => new Uint8Array(length).fill(0xa5))
    const bytes = [...edges, ...fc.sample(fc.uint8Array({ maxLength: 5000, size: 'max' }), 200)]
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 500 }), 100)
    const printed = sha256sum([...bytes, ...texts.map(text => new TextEncoder().encode(text))])
    expect([...bytes.map(digestBytes), ...texts.map(digestText)]).toEqual(printed)
    expect(printed.every(isDigest)).toBe(true)
  })

  it('are the same on Node and in a browser', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary' }), fc.constant('\ud800')), content => {
        expect(inBrowser(content)).toBe(onNode(content))
      }),
      { numRuns: 500 },
    )
  })

  it.each(['sha256:', `sha256:${'A'.repeat(64)}`, `sha256:${'a'.repeat(63)}`, `md5:${'a'.repeat(64)}`, `sha256:${'a'.repeat(64)}\n`])(
    'are not spelled %j',
    text => expect(isDigest(text)).toBe(false),
  )
})

/** The digest of each content, with one process for all. */
function sha256sum(contents: readonly Uint8Array[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-digest-'))
  try {
    const names = contents.map((bytes, index) => {
      writeFileSync(join(folder, String(index)), bytes)
      return String(index)
    })
    const lines = execFileSync('sha256sum', ['--', ...names], { cwd: folder, encoding: 'utf8' })
      .trim()
      .split('\n')
    return lines.map(line => `sha256:${line.split(' ')[0]}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
