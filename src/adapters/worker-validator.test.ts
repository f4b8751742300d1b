import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../core/digest/digest.ts'
import { collectSchemas } from '../core/schema/schemas.ts'
import { workerValidator } from './worker-validator.ts'

const schemasOf = (...list: Json[]) => collectSchemas(list.map((schema, index) => ({ path: `schemas/${index}.json`, schema }))).schemas
const uri = (name: string) => `https://x.test/${name}.json`

describe('workerValidator', () => {
  const validator = workerValidator({ patienceMs: 400 })
  afterAll(() => validator.close())

  it('answers in order, with pointers to what is wrong', async () => {
    const schemas = schemasOf({
      $id: uri('a'),
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'number' } },
      additionalProperties: false,
    })
    const verdicts = await validator.ask(schemas, [
      { schema: uri('a'), instance: { n: 1 } },
      { schema: uri('a'), instance: { n: 'x', more: 1 } },
      { schema: uri('a') },
    ])
    expect(verdicts).toEqual([
      { outcome: 'valid' },
      {
        outcome: 'invalid',
        mismatches: [
          { pointer: [], message: 'must NOT have additional properties: "more"' },
          { pointer: ['n'], message: 'must be number' },
        ],
      },
      { outcome: 'valid' },
    ])
  })

  it('stops a pattern that backtracks for ever, and still answers the questions behind it', async () => {
    const schemas = schemasOf({ $id: uri('evil'), type: 'string', pattern: '^(a+)+$' }, { $id: uri('good'), type: 'string' })
    const [evil, good, again] = await validator.ask(schemas, [
      { schema: uri('evil'), instance: `${'a'.repeat(40)}!` },
      { schema: uri('good'), instance: 'fine' },
      { schema: uri('evil'), instance: 'aaa' },
    ])
    expect(evil).toMatchObject({ outcome: 'unusable', message: expect.stringContaining('backtrack') })
    expect([good, again]).toEqual([{ outcome: 'valid' }, { outcome: 'valid' }])
  })

  it('gives a hanging question no more time because others arrive', async () => {
    const schemas = schemasOf({ $id: uri('evil'), type: 'string', pattern: '^(a+)+$' }, { $id: uri('good'), type: 'string' })
    const hanging = validator.ask(schemas, [{ schema: uri('evil'), instance: `${'a'.repeat(40)}!` }])
    let settled = false
    void hanging.then(() => {
      settled = true
    })
    const others: Promise<unknown>[] = []
    for (let turn = 0; turn < 40 && !settled; turn++) {
      others.push(validator.ask(schemas, [{ schema: uri('good'), instance: turn === 0 ? 'x' : 'y' }]))
      await new Promise(resume => setTimeout(resume, 50))
    }
    expect(settled).toBe(true)
    await Promise.all(others)
  })

  it('says so when a schema refers to itself without end', async () => {
    const schemas = schemasOf(
      { $id: uri('loop'), $ref: uri('loop') },
      { $id: uri('ping'), $ref: uri('pong') },
      { $id: uri('pong'), $ref: uri('ping') },
    )
    const verdicts = await validator.ask(schemas, [
      { schema: uri('loop'), instance: 1 },
      { schema: uri('ping'), instance: 1 },
    ])
    for (const verdict of verdicts) expect(verdict).toEqual({ outcome: 'unusable', message: 'it refers to itself without end' })
  })

  it('lets a schema refer to itself where the data ends it', async () => {
    const schemas = schemasOf({
      $id: uri('tree'),
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
      required: ['children'],
    })
    const [good, bad] = await validator.ask(schemas, [
      { schema: uri('tree'), instance: { children: [{ children: [] }] } },
      { schema: uri('tree'), instance: { children: [{}] } },
    ])
    expect(good).toEqual({ outcome: 'valid' })
    expect(bad).toMatchObject({ outcome: 'invalid', mismatches: [{ pointer: ['children', 0] }] })
  })

  it.each([
    ['an unknown type', { $id: uri('a'), type: 'text' }, 'is not a valid JSON Schema'],
    [
      'another draft',
      { $id: uri('a'), $schema: 'http://json-schema.org/draft-07/schema#' },
      '/$schema must be https://json-schema.org/draft/2020-12/schema',
    ],
    ['a broken pattern', { $id: uri('a'), pattern: '(' }, '/pattern must be a regular expression'],
  ])('refuses a schema with %s', async (_, schema, message) => {
    const [verdict] = await validator.ask(schemasOf(schema as Json), [{ schema: uri('a') }])
    expect(verdict).toMatchObject({ outcome: 'unusable', message: expect.stringContaining(message) })
  })

  it('finds an invalid schema that is only reached by reference', async () => {
    const schemas = schemasOf({ $id: uri('a'), properties: { b: { $ref: 'b.json' } } }, { $id: uri('b'), type: 12 })
    const [verdict] = await validator.ask(schemas, [{ schema: uri('a'), instance: {} }])
    expect(verdict).toMatchObject({ outcome: 'unusable', message: expect.stringContaining('schemas/1.json is not a valid JSON Schema') })
  })

  it('survives a validation that eats all memory', async () => {
    const small = workerValidator({ patienceMs: 10_000, maxMemoryMb: 32 })
    const schemas = schemasOf({ $id: uri('all'), type: 'array', items: { type: 'number' } }, { $id: uri('good'), type: 'string' })
    const [, good] = await small.ask(schemas, [
      { schema: uri('all'), instance: Array.from({ length: 2_000_000 }, () => 'not a number') },
      { schema: uri('good'), instance: 'fine' },
    ])
    expect(good).toEqual({ outcome: 'valid' })
    await small.close()
  })
})
