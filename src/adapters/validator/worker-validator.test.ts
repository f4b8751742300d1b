import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { collectSchemas } from '../../core/schema/schemas.ts'
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

  describe('with questions that hang', () => {
    const PATIENCE = 300
    const HANGS = `${'a'.repeat(40)}!`
    const evil = (name: string) => ({ $id: uri(name), type: 'string', pattern: '^(a+)+$' })
    const good = { $id: uri('good'), type: 'string' }

    it('gives each its patience and no more, however often the worker starts anew', async () => {
      const own = workerValidator({ patienceMs: PATIENCE })
      const names = ['e1', 'e2', 'e3', 'e4', 'e5']
      const began = performance.now()
      const verdicts = await own.ask(schemasOf(...names.map(evil), good), [
        ...names.map(name => ({ schema: uri(name), instance: HANGS })),
        { schema: uri('good'), instance: 'fine' },
      ])
      expect(performance.now() - began).toBeLessThan(names.length * PATIENCE * 5)
      for (const verdict of verdicts.slice(0, -1))
        expect(verdict).toMatchObject({ outcome: 'unusable', message: expect.stringContaining('backtrack') })
      expect(verdicts.at(-1)).toEqual({ outcome: 'valid' })
      await own.close()
    })

    it('does not try a schema again that was stopped twice', async () => {
      const own = workerValidator({ patienceMs: PATIENCE })
      const schemas = schemasOf(evil('evil'), good)
      const hanging = { schema: uri('evil'), instance: HANGS }
      const verdicts = await own.ask(schemas, [hanging, hanging, hanging, { schema: uri('good'), instance: 'fine' }, hanging])
      const stopped = { outcome: 'unusable', message: expect.stringContaining('was stopped twice already') }
      expect(verdicts.slice(2)).toEqual([stopped, { outcome: 'valid' }, stopped])
      expect(await own.ask(schemas, [hanging])).toEqual([stopped])
      // The same schema in another set is the same; another schema under its name, or the same of another tenant, is not.
      expect(await own.ask(schemasOf(evil('evil')), [hanging])).toEqual([stopped])
      const other = schemasOf({ ...evil('evil'), description: 'Another.' })
      expect(await own.ask(other, [{ schema: uri('evil'), instance: 'aaa' }])).toEqual([{ outcome: 'valid' }])
      expect(await own.forTenant!('umbrella').ask(schemas, [{ schema: uri('evil'), instance: 'aaa' }])).toEqual([{ outcome: 'valid' }])
      await own.close()
    })

    it('leaves nobody waiting when it is closed', async () => {
      const own = workerValidator()
      const schemas = schemasOf(evil('evil'), good)
      const waiting = own.ask(schemas, [
        { schema: uri('evil'), instance: HANGS },
        { schema: uri('good'), instance: 'fine' },
      ])
      await own.close()
      const closed = { outcome: 'unusable', message: 'the validator was closed' }
      expect(await waiting).toEqual([closed, closed])
      expect(await own.ask(schemas, [{ schema: uri('good'), instance: 'fine' }])).toEqual([closed])
    })

    it('does not take its own thread being busy for a question that hangs', async () => {
      const own = workerValidator({ patienceMs: PATIENCE })
      const schemas = schemasOf(good)
      await own.ask(schemas, [{ schema: uri('good') }])
      await new Promise(resume => setImmediate(resume)) // from here, timers are looked at before messages
      const waiting = own.ask(schemas, [{ schema: uri('good'), instance: 'fine' }])
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE * 2)
      expect(await waiting).toEqual([{ outcome: 'valid' }])
      await own.close()
    })
  })

  it('says so when an instance cannot be handed to the worker, and answers the others', async () => {
    let deep: Json = []
    for (let depth = 0; depth < 200_000; depth++) deep = [deep]
    const schemas = schemasOf({ $id: uri('any') }, { $id: uri('text'), type: 'string' })
    const verdicts = await validator.ask(schemas, [
      { schema: uri('text'), instance: 'fine' },
      { schema: uri('any'), instance: deep },
      { schema: uri('any'), instance: (() => 1) as unknown as Json },
      { schema: uri('text'), instance: 1 },
    ])
    expect(verdicts).toMatchObject([
      { outcome: 'valid' },
      { outcome: 'unusable', message: 'it is nested too deep to be checked' },
      { outcome: 'unusable', message: expect.stringContaining('could not be cloned') },
      { outcome: 'invalid' },
    ])
  })
})
