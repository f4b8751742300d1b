// Tests the comparison of facts when one side is erased or has no value.
import { describe, expect, it } from 'vitest'
import { digestText } from '../digest/digest.ts'
import { bounded } from './difference.ts'
import { compareFacts, erasedFact, type Fact } from './facts.ts'

describe('what was erased', () => {
  const [one, other] = [digestText('one'), digestText('other')]
  const inputs: readonly Fact[] = ['x', 'y'].map(name => ({ what: 'input', name, value: 1, from: one }))
  const told = (a: readonly Fact[], b: readonly Fact[]) => compareFacts(a, b).map(({ a, b }) => [a, b])

  it('is compared by its name alone', () => {
    expect(told(inputs, [erasedFact({ what: 'input' }, one)])).toEqual([])
    expect(told([erasedFact({ what: 'input' }, one)], [erasedFact({ what: 'input' }, one)])).toEqual([])
    expect(compareFacts(inputs, [erasedFact({ what: 'input' }, other)])).toEqual([{ what: 'input', a: 'not compared', b: 'erased' }])
  })

  it('hides nothing else', () => {
    const mode = (value: string): Fact => ({ what: 'mode', value })
    expect(told([mode('planning'), ...inputs], [mode('implementation'), erasedFact({ what: 'input' }, one)])).toEqual([
      ['planning', 'implementation'],
    ])
    expect(told([], [erasedFact({ what: 'input' }, one)])).toEqual([[null, 'erased']])
  })
})

it('what is null is not what is left out', () => {
  const variable = (value: Fact['value']): Fact => ({ what: 'variable', variable: 'x', value })
  expect(compareFacts([variable({ default: null })], [variable({})])).toMatchObject([{ a: { default: null }, b: {} }])
})

it('of texts so much is told in all, and each that does not fit says so', () => {
  const lines = [`+${'x'.repeat(1_500_000)}`]
  const text = { a: null, b: null, hunks: [{ aStart: 0, aLines: 0, bStart: 1, bLines: 1, lines }] }
  const { texts, left } = bounded([], [text, text, text, { ...text, hunks: [] }])
  expect(texts.map(({ hunks, why }) => [hunks === null, why])).toEqual([
    [false, undefined],
    [false, undefined],
    [true, 'too_long'],
    [false, undefined],
  ])
  expect(left).toBe(0)
})
