import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { goodPack, packText } from '../../testing/rules/test-rule.ts'
import { runs } from '../../testing/runs.ts'
import { builtInValues, type Pack, readPack, semanticDigest } from './pack.ts'

describe('readPack', () => {
  it('reads a whole pack', () => {
    const { pack, errors, document } = readPack(packText({}))
    expect(pack).toEqual(goodPack)
    expect([errors, document.problems]).toEqual([[], []])
  })

  it('has no pack when a field breaks the format', () => expect(readPack(packText({ version: '1' })).pack).toBeNull())
  it('has no pack when the YAML has a problem', () => expect(readPack(`${packText({})}extra: !x 1\n`).pack).toBeNull())
  it('has nothing to say about an empty file', () =>
    expect(readPack('')).toMatchObject({ pack: null, errors: [], draft: { variables: [], examples: [] } }))
  it('has nothing to say about a list', () => expect(readPack('- 1').draft).toMatchObject({ variables: [], examples: [] }))
})

describe('the draft', () => {
  const draft = (overlay: object) => readPack(packText({ ...overlay })).draft

  it('leaves out what breaks the format and keeps the rest', () => {
    const { version, agentId, meta, inputSchema } = draft({ version: 1, meta: { name: 7 } })
    expect([version, meta]).toEqual([undefined, undefined])
    expect([agentId, inputSchema]).toEqual(['writer', 'https://example.com/schemas/question.json'])
  })

  it('keeps sound items of a list at their index', () => {
    const { variables } = draft({ variables: [{ name: 'a', type: 'string' }, { name: 'b' }, 7, { name: 'c', type: 'array' }] })
    expect(variables).toEqual([
      { name: 'a', type: 'string', index: 0 },
      { name: 'c', type: 'array', index: 3 },
    ])
  })

  it('has no items of what is no list', () =>
    expect(draft({ variables: { a: 1 }, examples: 'x' })).toMatchObject({ variables: [], examples: [] }))
  it('knows the names of broken variables', () =>
    expect(draft({ variables: [{ name: 'b' }, 7, null, { name: 3 }] }).declared).toEqual(new Set(['b'])))
  it('does not know what is declared when variables are no list', () => expect(draft({ variables: {} }).declared).toBeNull())
  it('leaves out a list of texts with one that is none', () => expect(draft({ constraints: ['a', 1] }).constraints).toBeUndefined())
  it('gives constraints and refusal rules as built-in values', () =>
    expect(builtInValues({ constraints: ['a'] })).toEqual({ constraints: ['a'], refusalRules: [] }))
})

describe('semanticDigest', () => {
  const digest = (text: string) => {
    const { pack, errors, document } = readPack(text)
    if (pack === null) throw new Error(JSON.stringify([errors, document.problems]))
    return semanticDigest(pack)
  }
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(one => one.isWellFormed())
  const anyPack: fc.Arbitrary<Pack> = fc
    .record(
      {
        meta: fc.record({ name: text, description: text, lastUpdated: fc.constant('2026-01-31T09:00:00Z') }, { requiredKeys: [] }),
        variables: fc.array(
          fc.record({
            name: fc.constantFrom('a', 'b', 'c'),
            type: fc.constant('string' as const),
            default: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<string>,
          }),
        ),
        examples: fc.array(fc.record({ name: text.map(one => `x${one}`), input: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<string> })),
        constraints: fc.array(text),
        refusalRules: fc.array(text),
      },
      { requiredKeys: [] },
    )
    .map(some => ({ ...(goodPack as unknown as Pack), ...some }))

  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, one]) => [key, shuffled(one)]),
    )
  }

  it('is the same whatever the order of keys, the quotes, the layout, the comments and the date', () => {
    fc.assert(
      fc.property(anyPack, fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL'), fc.boolean(), (pack, style, flow) => {
        const { lastUpdated: _, ...meta } = pack.meta ?? {}
        const other = { ...pack, meta: { ...meta, lastUpdated: '2020-02-02T20:20:00Z' } }
        const options = {
          defaultStringType: style as 'PLAIN',
          collectionStyle: flow ? ('flow' as const) : ('block' as const),
          aliasDuplicateObjects: false,
          defaultKeyType: 'QUOTE_DOUBLE' as const,
        }
        const written = stringify(shuffled(other), options)
        // The library does not read back every text that it writes as a block.
        fc.pre(isDeepStrictEqual(parse(written), other))
        expect(digest(`# a comment\n${written}`)).toBe(digest(stringify(pack, { defaultKeyType: 'QUOTE_DOUBLE' })))
      }),
      { numRuns: runs(100) },
    )
  })

  it.each([
    ['id', { id: 'prompt-writer-v1' }],
    ['version', { version: '1.0.1' }],
    ['$schema', { $schema: 'x' }],
    ['the prompt', { systemPrompt: `${goodPack.systemPrompt} ` }],
    ['meta', { meta: { name: 'x' } }],
    ['a variable', { variables: [{ name: 'a', type: 'string' }] }],
    ['an example', { examples: [{ name: 'a', input: 1 }] }],
    ['a schema', { inputSchema: 'a:b' }],
    ['a constraint', { constraints: ['x'] }],
    ['a refusal rule', { refusalRules: ['x'] }],
    ['a key nobody knows', { extra: 1 }],
  ])('changes with %s', (_, overlay) => expect(digest(packText(overlay))).not.toBe(digest(packText({}))))

  it('changes with any value inside', () => {
    fc.assert(
      fc.property(anyPack, anyPack, (one, other) => {
        const { lastUpdated: _, ...a } = one.meta ?? {}
        const { lastUpdated: __, ...b } = other.meta ?? {}
        const same = JSON.stringify({ ...one, meta: a }) === JSON.stringify({ ...other, meta: b })
        if (!same)
          expect(digest(stringify(one, { aliasDuplicateObjects: false, defaultKeyType: 'QUOTE_DOUBLE' }))).not.toBe(
            digest(stringify(other, { aliasDuplicateObjects: false, defaultKeyType: 'QUOTE_DOUBLE' })),
          )
      }),
    )
  })
})
