import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyGarbageCase, anyTemplateCase, FEATURES, type TemplateCase } from '../../testing/arbitraries/any-template.ts'
import { judge } from '../../testing/oracles/handlebars-oracle.ts'

const numRuns = 10_000

/** Statistics: shares of all runs, and how many compared templates show each feature. */
function tally(cases: fc.Arbitrary<TemplateCase>) {
  const seen = { refused: 0, blank: 0, untagged: 0, compared: 0, characters: 0 }
  const features = Object.fromEntries(Object.keys(FEATURES).map(feature => [feature, 0]))
  fc.assert(
    fc.property(cases, example => {
      const text = judge(example)
      if (text === null) seen.refused++
      else if (!example.source.includes('{{')) seen.untagged++
      else if (text.trim() === '') seen.blank++
      else {
        seen.compared++
        seen.characters += text.length
        for (const [feature, pattern] of Object.entries(FEATURES)) if (pattern.test(example.source)) features[feature]!++
      }
    }),
    { numRuns },
  )
  process.stdout.write(`${JSON.stringify({ seen, features }, null, 2)}\n`)
  return { seen, fewest: Math.min(...Object.values(features)) }
}

it('renders thousands of templates as Handlebars does', () => {
  const { seen, fewest } = tally(anyTemplateCase)
  expect(seen.compared).toBeGreaterThan(numRuns * 0.6)
  expect(seen.characters / seen.compared).toBeGreaterThan(20)
  expect(fewest).toBeGreaterThan(numRuns * 0.01)
})

it('refuses what Handlebars refuses among thousands of damaged texts, and renders the rest as it does', () => {
  const { seen, fewest } = tally(anyGarbageCase)
  expect(seen.refused).toBeGreaterThan(numRuns * 0.3)
  expect(seen.compared).toBeGreaterThan(numRuns * 0.1)
  expect(fewest).toBeGreaterThan(numRuns * 0.001)
})
