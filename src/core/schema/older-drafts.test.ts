// The judges are ajv's own readers of each draft: what is read as our draft must be judged as its own draft judges it.
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import { inOurDraft } from './older-drafts.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'

describe('inOurDraft', () => {
  it.each([DRAFT_07, 'https://json-schema.org/draft-07/schema', DRAFT_2019, `${DRAFT_2019}#`])('reads what names %s', $schema => {
    const schema = { type: 'object', properties: { items: { type: 'array', items: { $ref: '#/definitions/a' } } }, definitions: { a: {} } }
    expect(inOurDraft({ $schema, ...schema })).toEqual({ ok: true, schema })
  })

  it('leaves alone what names our draft, another, or none', () => {
    for (const schema of [
      { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{}] },
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      { $schema: 7 },
      { dependencies: {} },
    ])
      expect(inOurDraft(schema)).toEqual({ ok: true, schema })
  })

  it.each<[string, JsonObject, string]>([
    [DRAFT_07, { properties: { a: { items: [{ type: 'string' }] } } }, '/properties/a/items'],
    [DRAFT_07, { allOf: [{}, { dependencies: { a: ['b'] } }] }, '/allOf/1/dependencies'],
    [DRAFT_07, { properties: { a: { $ref: '#/definitions/b', minLength: 1 } }, definitions: { b: {} } }, '/properties/a/minLength'],
    [DRAFT_07, { unevaluatedProperties: false }, '/unevaluatedProperties'],
    [DRAFT_2019, { $recursiveAnchor: true }, '/$recursiveAnchor'],
    [DRAFT_2019, { items: [{}], additionalItems: false }, '/additionalItems'],
  ])('says where %s differs: %j', ($schema, schema, place) => {
    const read = inOurDraft({ $schema, ...schema })
    expect(read.ok ? null : read.message).toContain(`where ${place} means something else than in 2020-12`)
  })

  it('takes the names of properties for no keywords', () => {
    const schema = { properties: { dependencies: { type: 'string' }, $recursiveRef: {}, prefixItems: {} }, enum: [{ items: [] }] }
    expect(inOurDraft({ $schema: DRAFT_07, ...schema })).toEqual({ ok: true, schema })
  })

  const judges = {
    [DRAFT_07]: new Ajv({ strict: false, logger: false }),
    [DRAFT_2019]: new Ajv2019({ strict: false, logger: false }),
  }
  it.each(Object.entries(judges))('what it reads is judged as %s judges it', ($schema, judge) => {
    const small = fc.constantFrom<Json>(
      0,
      1,
      2,
      'a',
      'ab',
      null,
      true,
      [1],
      ['a', 1],
      [1, 1, 1],
      { a: 1 },
      { a: 'x', b: [] },
      { b: 2, a: [1] },
    )
    const leaf = fc.constantFrom<Json>(
      {},
      true,
      false,
      { type: 'string' },
      { type: 'number', minimum: 1 },
      { const: 1 },
      { $ref: '#/definitions/d' },
    )
    const schemas = fc.letrec<{ schema: Json }>(tie => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.record(
          {
            properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
            items: fc.oneof(tie('schema'), fc.array(tie('schema'), { minLength: 1, maxLength: 2 })),
            additionalItems: tie('schema'),
            contains: tie('schema'),
            minContains: fc.constantFrom(0, 2),
            not: tie('schema'),
            anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
            dependencies: fc.constant({ a: ['b'] }),
            dependentRequired: fc.constant({ a: ['b'] }),
            unevaluatedProperties: tie('schema'),
            $ref: fc.constant('#/definitions/d'),
            required: fc.constantFrom(['a'], []),
            description: fc.constant('x'),
          },
          { requiredKeys: [] },
        ),
      ),
    })).schema
    const current = new Ajv2020({ strict: false, logger: false })
    let read = 0
    fc.assert(
      fc.property(schemas, fc.array(small, { minLength: 5 }), (one, instances) => {
        const schema = { $schema, definitions: { d: { type: ['number', 'array'] } }, allOf: [one] }
        const ours = inOurDraft(schema)
        if (!ours.ok) return
        read++
        const own = judge.compile(schema)
        const here = current.compile(ours.schema)
        for (const instance of instances) expect([instance, here(instance)]).toEqual([instance, own(instance)])
      }),
      { numRuns: 300 },
    )
    expect(read).toBeGreaterThan(50)
  })
})
