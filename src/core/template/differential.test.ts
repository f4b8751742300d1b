import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyGarbageCase, anyTemplateCase, FEATURES } from '../../testing/arbitraries/any-template.ts'
import { judge } from '../../testing/oracles/handlebars-oracle.ts'

// Some five seconds; differential.deep.test.ts does the same a hundred thousand times.
const numRuns = 400

it('renders every template it accepts as Handlebars does', () => {
  const shown = new Set<string>()
  let compared = 0
  fc.assert(
    fc.property(anyTemplateCase, example => {
      const text = judge(example)
      if (text === null || text.trim() === '') return
      compared++
      for (const [feature, pattern] of Object.entries(FEATURES)) if (pattern.test(example.source)) shown.add(feature)
    }),
    { numRuns },
  )
  expect(compared).toBeGreaterThan(numRuns * 0.6)
  expect([...shown].sort()).toEqual(Object.keys(FEATURES).sort())
})

it('refuses what Handlebars refuses, and never throws, whatever the text', () => {
  let compared = 0
  fc.assert(
    fc.property(anyGarbageCase, example => {
      if (judge(example) !== null && example.source.includes('{{')) compared++
    }),
    { numRuns },
  )
  expect(compared).toBeGreaterThan(numRuns * 0.1)
})
