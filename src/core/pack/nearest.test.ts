import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearest } from './nearest.ts'

describe('nearest', () => {
  it.each([
    ['hwo', ['who'], 'who'],
    ['Topic', ['topic'], 'topic'],
    ['audiance', ['tone', 'audience'], 'audience'],
    ['abcdefgh', ['abcdefxy', 'abcdefgx'], 'abcdefgx'],
    ['abcd', ['abcx', 'abcy'], 'abcx'],
    ['ab', ['cd'], null],
    ['tone', ['audience'], null],
    ['a', [], null],
  ])('of %j and %j is %j', (name, known, meant) => expect(nearest(name, known)).toBe(meant))

  it('does not guess at long names', () => expect(nearest('a'.repeat(61), ['a'.repeat(60)])).toBeNull())
  it('passes over any number of names of another length', () =>
    expect(nearest('topik', [...Array.from({ length: 1000 }, (_, index) => `a-longer-name-${index}`), 'topic'])).toBe('topic'))
  it('looks at two hundred of about the same length, and no further', () =>
    expect(nearest('topik', [...Array.from({ length: 200 }, (_, index) => `x${1000 + index}`), 'topic'])).toBeNull())

  it('finds what a full comparison finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 14 })
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (name, known) => {
        const limit = Math.max(1, Math.floor(name.length / 4))
        const near = known.map(one => ({ one, steps: stepsBetween(name, one) })).filter(({ steps }) => steps <= limit)
        const best = near.toSorted((a, b) => a.steps - b.steps)[0]?.one ?? null
        expect(nearest(name, known)).toBe(best)
      }),
      { numRuns: 2000 },
    )
  })
})

/** As the textbook has it: every cell of the table. */
function stepsBetween(a: string, b: string): number {
  const cells = new Map<string, number>()
  const at = (row: number, column: number): number => cells.get(`${row},${column}`)!
  const isSwap = (row: number, column: number) => row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
  const steps = (row: number, column: number): number => {
    if (row === 0 || column === 0) return row + column
    const other = a[row - 1] === b[column - 1] ? 0 : 1
    const swap = isSwap(row, column) ? [at(row - 2, column - 2) + 1] : []
    return Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + other, ...swap)
  }
  for (let row = 0; row <= a.length; row++)
    for (let column = 0; column <= b.length; column++) cells.set(`${row},${column}`, steps(row, column))
  return at(a.length, b.length)
}
