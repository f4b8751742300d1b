// Compares our histogram with one of prom-client that gets the same values.
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { durationsOf } from './durations.ts'

const BOUNDS = [0.001, 0.5, 10]

it('prints what prom-client prints, line for line', async () => {
  const observed = fc.record({
    status: fc.constantFrom('200', '404'),
    seconds: fc.oneof(fc.constantFrom(...BOUNDS), fc.double({ min: 0, max: 20, noNaN: true })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(observed), async all => {
      const registry = new Registry()
      const theirs = new Histogram({
        name: 'some_seconds',
        help: 'Some.',
        labelNames: ['status'] as const,
        buckets: BOUNDS,
        registers: [registry],
      })
      const ours = durationsOf('some_seconds', 'Some.', BOUNDS)
      for (const { status, seconds } of all) {
        theirs.observe({ status }, seconds)
        ours.add(`status="${status}"`, seconds)
      }
      expect(ours.print()).toBe(await registry.metrics())
    }),
  )
})
