import { describe, expect, it } from 'vitest'
import { goodPack } from '../../testing/rules/test-rule.ts'
import type { Json } from '../digest/digest.ts'
import type { Pack, Variable } from './pack.ts'
import { bindValues, hasType } from './values.ts'

const bind = (variables: readonly Variable[], given: Record<string, Json>, lenient = false) => {
  const bound = bindValues({ ...(goodPack as unknown as Pack), variables }, given, { lenient })
  if (!bound.ok) return bound.problems.map(({ code, variable, message }) => `${code} ${variable}: ${message}`)
  const { constraints: _, refusalRules: __, ...values } = bound.values
  return values
}
const a: Variable = { name: 'a', type: 'string' }

describe('bindValues', () => {
  it.each<[string, Variable, Record<string, Json>, Json | string[]]>([
    ['given', a, { a: 'x' }, { a: 'x' }],
    ['given over default', { ...a, default: 'd' }, { a: 'x' }, { a: 'x' }],
    ['default', { ...a, default: 'd' }, {}, { a: 'd' }],
    ['default for null', { ...a, default: 'd' }, { a: null }, { a: 'd' }],
    ['default although required', { ...a, required: true, default: 'd' }, {}, { a: 'd' }],
    ['optional and missing', a, {}, { a: null }],
    ['empty text is a value', { ...a, required: true, default: 'd' }, { a: '' }, { a: '' }],
    ['false and 0 are values', { name: 'a', type: 'boolean', default: true }, { a: false }, { a: false }],
    ['a text is never expanded', a, { a: '{{b}}' }, { a: '{{b}}' }],
    ['required and missing', { ...a, required: true }, {}, ['value-missing a: "a" is required and has no value']],
    ['required and null', { ...a, required: true }, { a: null }, ['value-missing a: "a" is required and has no value']],
    ['another type', a, { a: 1 }, ['value-mistyped a: "a" must be a string, not a number']],
    ['a list for an object', { ...a, type: 'object' }, { a: [] }, ['value-mistyped a: "a" must be an object, not an array']],
    ['no conversion', { ...a, type: 'number' }, { a: '1' }, ['value-mistyped a: "a" must be a number, not a string']],
    ['a name nobody declares', a, { b: 1 }, ['value-undeclared b: "b" is not a variable of prompt-writer-v1.0.0']],
    [
      'a name every object has by birth',
      { ...a, name: 'constructor', required: true },
      {},
      ['value-missing constructor: "constructor" is required and has no value'],
    ],
  ])('%s', (_, variable, given, expected) => expect(bind([variable], given)).toEqual(expected))

  it('renders what is missing as empty when it is lenient', () => expect(bind([{ ...a, required: true }], {}, true)).toEqual({ a: null }))
  it('does not forgive a wrong type even then', () => expect(bind([a], { a: 1 }, true)).toHaveLength(1))
  it('adds the built-in lists', () => {
    const bound = bindValues({ ...(goodPack as unknown as Pack), constraints: ['c'] }, {})
    expect(bound).toEqual({ ok: true, values: { constraints: ['c'], refusalRules: [] } })
  })
  it('does not let anybody give the built-in lists', () => expect(bind([], { constraints: ['x'] })).toHaveLength(1))
  it('says everything that is wrong', () =>
    expect(
      bind(
        [
          { ...a, required: true },
          { ...a, name: 'b' },
        ],
        { b: 1, c: 2 },
      ),
    ).toHaveLength(3))
})

it('knows types', () => {
  const values: [Json, string][] = [
    ['', 'string'],
    [0, 'number'],
    [1.5, 'number'],
    [true, 'boolean'],
    [[], 'array'],
    [{}, 'object'],
  ]
  for (const [value, type] of values)
    for (const other of ['string', 'number', 'boolean', 'array', 'object'] as const) expect(hasType(value, other)).toBe(other === type)
  expect([Number.NaN, Number.POSITIVE_INFINITY].map(value => hasType(value, 'number'))).toEqual([false, false])
  expect(hasType(null, 'object')).toBe(false)
})
