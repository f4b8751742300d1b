import { expect, it } from 'vitest'
import { runIdOf } from './run-id.ts'

const chance = (number: number) => Array.from({ length: 20 }, () => number)

it('names are of one length and come in the order of time, whatever chance says', () => {
  const times = [0, 1, 31, 32, 1_000_000_000_000, 1_794_000_000_000, 1_794_000_000_001, 30_000_000_000_000]
  const names = times.map((now, index) => runIdOf(now, chance(index % 2 === 0 ? 255 : 0)))
  expect(names.toSorted()).toEqual(names)
  for (const name of names) expect(name).toMatch(/^run_[0-9a-hjkmnp-tv-z]{24}$/)
})

it('two of one moment differ by chance', () => expect(runIdOf(5, chance(1))).not.toBe(runIdOf(5, chance(2))))
