// Grants that can never decide; the cases are with the lint rule that reports them.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyGrants, anyQuestion } from '../../testing/arbitraries/any-grants.ts'
import { lackOf } from './grants.ts'
import { shadowedGrants } from './shadowed.ts'

it('whoever is shadowed decides nothing, whatever is asked', () => {
  let shadowed = 0
  fc.assert(
    fc.property(anyGrants, fc.array(anyQuestion, { minLength: 5, maxLength: 20 }), (grants, questions) => {
      for (const { grant, by } of shadowedGrants(grants)) {
        shadowed++
        for (const question of questions) if (lackOf(grants[grant]!, question) === null) expect(lackOf(grants[by]!, question)).toBeNull()
      }
    }),
    { numRuns: 1_000 },
  )
  expect(shadowed).toBeGreaterThan(30)
})
