import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuTimeOf } from '../../testing/cpu-time.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import { isTemplateId, isVersion, type PromptRef, pinnedText, readPromptRef, refText } from './prompt-ref.ts'

// The published schema of a ref, as the OpenWOP fact sheet §3 gives it. The judge of every value below.
const ID = '^[a-z0-9][a-z0-9._-]{0,127}$'
const VERSION = '^\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$'
const isRef = new Ajv2020({ strict: true }).compile({
  oneOf: [
    {
      type: 'string',
      pattern: '^prompt:[a-z0-9][a-z0-9._-]{0,127}(@\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?)?$',
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['templateId'],
      properties: {
        templateId: { type: 'string', pattern: ID },
        libraryId: { type: 'string', pattern: ID },
        version: { type: 'string', pattern: VERSION },
        variableOverrides: { type: 'object' },
      },
    },
  ],
})

const id = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,127}$/)
const version = fc.stringMatching(/^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}(-[0-9A-Za-z.-]{1,20})?(\+[0-9A-Za-z.-]{1,20})?$/)
const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,63}$/)
const plain = (templateId: string, version: string | null): PromptRef => ({
  templateId,
  version,
  libraryId: null,
  label: null,
  variableOverrides: null,
})

/** Near the grammar, so that both verdicts are frequent. */
const pieces = [
  'prompt:',
  'prompt',
  ':',
  '@',
  'a',
  'writer',
  'A',
  '-',
  '.',
  '_',
  '/',
  '1.0.0',
  '01.2.3',
  '1.0',
  '-rc.1',
  '+b',
  ' ',
  '\n',
  'é',
  '１',
  '\0',
]
const nearText = fc.array(fc.constantFrom(...pieces), { maxLength: 7 }).map(parts => parts.join(''))
const startsRight = nearText.map(text => `prompt:${text}`)
const field = fc.oneof(id, version, nearText, fc.constantFrom<Json>(null, 1, [], {}, ''))
const nearObject = fc
  .dictionary(
    fc.constantFrom('templateId', 'templateId', 'version', 'libraryId', 'variableOverrides', 'label', 'digest', '__proto__', 'constructor'),
    field,
  )
  // Own fields, also where the name is that of a prototype: as JSON.parse makes them.
  .map(fields => JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(fields)))) as Json)
const anyValue = fc.oneof(nearText, startsRight, nearObject, fc.jsonValue() as fc.Arbitrary<Json>)

describe('a ref', () => {
  it('is what the published schema says it is, and nothing else', () => {
    fc.assert(
      fc.property(anyValue, value => {
        expect(readPromptRef(value).ok).toBe(isRef(value))
      }),
      { numRuns: 3000 },
    )
  })

  it('reads back as it was printed', () => {
    fc.assert(
      fc.property(id, fc.option(version), (templateId, version) => {
        const ref = plain(templateId, version)
        expect(readPromptRef(refText(ref))).toEqual({ ok: true, ref })
        if (version !== null) expect(refText(ref)).toBe(pinnedText(templateId, version))
      }),
    )
  })

  it('prints as it was read', () => {
    fc.assert(
      fc.property(startsRight, text => {
        const read = readPromptRef(text, { labels: true })
        if (read.ok) expect(refText(read.ref)).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  it('means the same in both spellings', () => {
    fc.assert(
      fc.property(id, fc.option(version), (templateId, version) => {
        const object = version === null ? { templateId } : { templateId, version }
        expect(readPromptRef(object)).toEqual(readPromptRef(refText(plain(templateId, version))))
      }),
    )
  })

  it('keeps library and values, which only an object has', () => {
    const object = { templateId: 'writer', libraryId: 'house', version: '1.0.0', variableOverrides: { tone: 'dry', n: [1] } }
    expect(readPromptRef(object)).toEqual({ ok: true, ref: { ...object, label: null } })
  })
})

describe('a label', () => {
  it('is a ref where labels are allowed, and malformed on the wire', () => {
    fc.assert(
      fc.property(id, label, (templateId, label) => {
        const ref = { ...plain(templateId, null), label }
        expect(readPromptRef(refText(ref), { labels: true })).toEqual({ ok: true, ref })
        expect(readPromptRef(refText(ref)).ok).toBe(false)
      }),
    )
  })

  it('is never taken for a version, nor a version for a label', () => {
    fc.assert(
      fc.property(id, version, (templateId, version) => {
        expect(readPromptRef(pinnedText(templateId, version), { labels: true })).toEqual({ ok: true, ref: plain(templateId, version) })
      }),
    )
    fc.assert(
      fc.property(label, label => {
        expect(isVersion(label)).toBe(false)
      }),
    )
  })

  it.each(['prompt:a@', 'prompt:a@-x', 'prompt:a@Production', 'prompt:a@v1.0', `prompt:a@${'x'.repeat(65)}`, 'prompt:a@b@c'])(
    '%s is neither',
    text => {
      expect(readPromptRef(text, { labels: true }).ok).toBe(false)
    },
  )

  it('has no place in an object', () => {
    expect(readPromptRef({ templateId: 'a', label: 'production' }, { labels: true }).ok).toBe(false)
    expect(readPromptRef({ templateId: 'a', version: 'production' }, { labels: true }).ok).toBe(false)
  })
})

describe('hostile values', () => {
  const own = (text: string) => JSON.parse(text) as Json
  const refused: readonly (readonly [string, Json | undefined])[] = [
    ['nothing', undefined],
    ['a line after it', 'prompt:a@1.0.0\n'],
    ['two lines', 'x\nprompt:a@1.0.0'],
    ['digits of another script', 'prompt:a@１.0.0'],
    ['a letter that lower-cases to ASCII', 'prompt:\u212a'],
    ['a zero-width space', 'prompt:a\u200b'],
    ['an id that is one too long', `prompt:${'a'.repeat(129)}`],
    ['a digest', `sha256:${'0'.repeat(64)}`],
    ['a digest as a ref', `prompt:sha256:${'0'.repeat(64)}`],
    ['an own __proto__', own('{"templateId":"a","__proto__":{"version":"1.0.0"}}')],
    ['only an own __proto__', own('{"__proto__":{"templateId":"a"}}')],
    ['an own constructor', own('{"templateId":"a","constructor":"b"}')],
    ['an own toString', own('{"templateId":"a","toString":"b"}')],
    ['a list', ['prompt:a@1.0.0']],
    ['values that are a list', { templateId: 'a', variableOverrides: [] }],
    ['a version of null', { templateId: 'a', version: null }],
    ['a library of null', { templateId: 'a', libraryId: null }],
    ['values of null', { templateId: 'a', variableOverrides: null }],
    ['a library that is a path', { templateId: 'a', libraryId: '../b' }],
  ]
  it.each(refused)('%s is refused', (_, value) => {
    expect(readPromptRef(value, { labels: true }).ok).toBe(false)
  })

  it.each(['constructor', 'prototype', 'tostring', 'valueof', '0'])('%s is an id as any other', templateId => {
    expect(readPromptRef(`prompt:${templateId}`)).toEqual({ ok: true, ref: plain(templateId, null) })
  })

  it('keeps a value called __proto__ as a value', () => {
    const read = readPromptRef(own('{"templateId":"a","variableOverrides":{"__proto__":{"polluted":true}}}'))
    expect(read.ok && Object.keys(read.ref.variableOverrides ?? {})).toEqual(['__proto__'])
    expect('polluted' in {}).toBe(false)
  })

  it('says what is wrong in a few words that can be written down, whatever the text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.constantFrom('\ud800', `${'x'.repeat(199)}\u{1f600}`, 'x'.repeat(1e6)),
    )
    fc.assert(
      fc.property(texts, text => {
        for (const value of [text, { [text]: 1 }, { templateId: text }] as readonly Json[]) {
          const read = readPromptRef(value, { labels: true })
          if (read.ok) continue
          expect(read.problem.length).toBeLessThan(300)
          expect(() => canonicalJson(read.problem)).not.toThrow()
        }
      }),
    )
  })

  it('reads very long texts in no time', () => {
    const texts = [
      `prompt:${'a'.repeat(1e6)}`,
      `prompt:a@1.0.0-${'-.'.repeat(5e5)}!`,
      `prompt:a@${'1'.repeat(1e6)}.`,
      `prompt:a@1.0.0+${'+'.repeat(1e6)}`,
    ]
    const time = cpuTimeOf(() => {
      for (const text of texts) expect(readPromptRef(text, { labels: true }).ok).toBe(false)
    })
    expect(time).toBeLessThan(2000)
  })
})

it('ids and versions are texts', () => {
  for (const value of [null, undefined, 1, ['a'], { toString: () => 'a' }, new String('a')])
    expect(isTemplateId(value) || isVersion(value)).toBe(false)
})
