// The judge is ajv: the two must agree on what is valid, so that an editor and the command line say the same.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import type { Json } from '../digest/digest.ts'
import { interpretSchema } from './interpret.ts'
import { interpretQuestion } from './interpret-question.ts'
import { schemaFault } from './schema-fault.ts'
import { collectSchemas } from './schemas.ts'

type SchemaObject = { readonly [key: string]: Json }
/** Without the two options ajv finds 0.07 no multiple of 0.01, and `toString` in every object. */
const ajvOf = () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, multipleOfPrecision: 10, ownProperties: true })
  formats.default(ajv)
  return ajv
}

/** Schemas, each with instances that tell its keyword from its neighbours. */
const CORPUS = JSON.parse(readFileSync('fixtures/schemas/keywords.json', 'utf8')) as { schema: Json; instances: Json[] }[]

describe('agrees with ajv', () => {
  it.each(CORPUS)('on $schema', ({ schema, instances }) => {
    const judge = ajvOf().compile(schema as SchemaObject)
    const check = interpretSchema(schema)
    for (const instance of instances) expect([instance, check(instance).length === 0]).toEqual([instance, judge(instance)])
    // Validators disagree about e-mail addresses beyond the samples.
    if (typeof schema === 'object' && schema !== null && 'format' in schema) return
    const any = fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom<Json>(...instances) },
      { weight: 3, arbitrary: near(instances) },
      { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<Json> },
    )
    fc.assert(
      fc.property(any, made => {
        // ajv's comparison calls these two as methods, whatever they hold.
        fc.pre(!/"(?:toString|valueOf)":/.test(JSON.stringify(made)))
        // As from a file: plain objects only; and only numbers that ajv divides exactly.
        const instance = JSON.parse(JSON.stringify(made), (_, value) =>
          typeof value === 'number' ? Number((value % 1e6).toFixed(4)) : value,
        )
        expect(check(instance).length === 0).toBe(judge(instance))
      }),
      { numRuns: runs(60) },
    )
  })

  /** Made of the parts of the samples, so that keywords get something to judge. */
  function near(instances: readonly Json[]): fc.Arbitrary<Json> {
    const parts = fc.constantFrom<Json>(...instances, 0, 1, 2.5, 'a', 'ab', null, true)
    const keys = fc.constantFrom('a', 'b', 'c', 'ab', 'b1', 'x', 'next', 'value')
    return fc.oneof(parts, fc.array(parts, { maxLength: 4 }), fc.dictionary(keys, parts, { maxKeys: 4 })) as fc.Arbitrary<Json>
  }

  it('over several schemas', () => {
    const part = { $id: 'https://x/part.json', $defs: { n: { type: 'number' } } }
    const whole = { $id: 'https://x/whole.json', items: { $ref: 'part.json#/$defs/n' } }
    const judge = ajvOf().addSchema(part).compile(whole)
    const check = interpretSchema(whole, [part])
    for (const instance of [[1], ['x'], [], 1]) expect(check(instance).length === 0).toBe(judge(instance))
  })
})

describe('interpretSchema', () => {
  it('says what is wrong once, at its place', () => {
    const check = interpretSchema({
      properties: { a: { items: { allOf: [{ $ref: '#/$defs/n' }] } }, b: {} },
      additionalProperties: false,
      $defs: { n: { type: 'number' } },
    })
    expect(check({ a: [1, 'x'], c: 1 })).toEqual([
      { pointer: ['a', 1], keyword: 'type', message: 'type "string" is invalid. Expected "number"' },
      { pointer: [], keyword: 'additionalProperties', message: 'Property "c" does not match additional properties schema' },
    ])
  })
  it('says something about the schema false', () => expect(interpretSchema(false)(1)).toHaveLength(1))
  it('leaves its schema as it was', () => {
    const schema = Object.freeze({ $id: 'https://x/y', properties: Object.freeze({ a: Object.freeze({ $ref: '#' }) }) })
    interpretSchema(schema)({})
    expect(Reflect.ownKeys(schema)).toEqual(['$id', 'properties'])
  })
  it('judges twenty thousand mismatches in reasonable time', () => {
    expect(
      interpretSchema({ items: { properties: { a: { type: 'number' } } } })(Array.from({ length: 20_000 }, () => ({ a: 'x' }))),
    ).toHaveLength(20_000)
  })
})

describe('interpretQuestion', () => {
  const { schemas } = collectSchemas([
    { path: 'a', schema: { $id: 'https://x/a.json', $ref: 'b.json' } },
    { path: 'b', schema: { $id: 'https://x/b.json', type: 'number' } },
    { path: 'c', schema: { $id: 'https://x/c.json', $ref: '#' } },
    { path: 'd', schema: { $id: 'https://x/d.json', items: { type: 'nothing' } } },
  ])
  const ask = (name: string, ...instance: Json[]) =>
    interpretQuestion({ schema: `https://x/${name}.json`, ...(instance.length === 0 ? {} : { instance: instance[0]! }) }, schemas)

  it('answers', () =>
    expect([ask('a'), ask('a', 1), ask('a', 'x').outcome]).toEqual([{ outcome: 'valid' }, { outcome: 'valid' }, 'invalid']))
  it('judges null too', () => expect(ask('a', null).outcome).toBe('invalid'))
  it('gives up on a schema that is nothing but itself', () =>
    expect(ask('c', 1)).toEqual({ outcome: 'unusable', message: 'it refers to itself without end' }))
  it('refuses a schema that is not valid', () =>
    expect(ask('d', 1)).toMatchObject({ outcome: 'unusable', message: expect.stringContaining('/items/type must be one of') }))
  it('refuses a schema that is not there', () =>
    expect(ask('e', 1)).toEqual({ outcome: 'unusable', message: 'there is no schema https://x/e.json' }))
})

describe('schemaFault', () => {
  const BAD: readonly Json[] = [
    { type: 'strin' },
    { type: [] },
    { type: ['string', 'string'] },
    { type: 1 },
    { properties: [] },
    { properties: { a: 1 } },
    { patternProperties: { '(': {} } },
    { required: 'a' },
    { required: [1] },
    { required: ['a', 'a'] },
    { items: [] },
    { items: 1 },
    { allOf: [] },
    { anyOf: {} },
    { oneOf: [1] },
    { not: null },
    { minLength: -1 },
    { minLength: 1.5 },
    { maximum: '1' },
    { multipleOf: 0 },
    { uniqueItems: 1 },
    { pattern: '(' },
    { pattern: 1 },
    { enum: 1 },
    { $defs: { a: { type: 'x' } } },
    { $ref: 1 },
    { $anchor: '1a' },
    { dependentRequired: { a: 'b' } },
    { dependentSchemas: { a: 1 } },
    { title: 1 },
    { deprecated: 'x' },
    { examples: {} },
    { prefixItems: [] },
    { $id: 'https://x/y#z' },
    { contains: 1 },
    'x',
    null,
    [],
  ]
  it.each(BAD)('finds fault with %j, as ajv does', schema => {
    expect(schemaFault(schema)).toEqual(expect.any(String))
    // As a bad pattern, some are found out only when they are compiled.
    expect(() => ajvOf().compile(schema as SchemaObject)).toThrow()
  })
  it.each(CORPUS)('finds none with $schema', ({ schema }) => expect(schemaFault(schema)).toBeNull())
  it('says where', () =>
    expect(schemaFault({ $defs: { a: { allOf: [{}, { items: { type: 1 } }] } } })).toBe(
      '/$defs/a/allOf/1/items/type must be one of null, boolean, object, array, number, string, integer, or a list of these',
    ))
  it('reads drafts by name', () =>
    expect([
      schemaFault({ $schema: 'https://json-schema.org/draft/2020-12/schema' }),
      schemaFault({ $schema: 'http://json-schema.org/draft-07/schema#' }),
    ]).toEqual([null, '/$schema must be https://json-schema.org/draft/2020-12/schema']))
})
