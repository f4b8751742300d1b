// Two processes walk one replay. Wherever the second joins and stops, no event is recorded twice and none is lost.
import { afterAll, beforeAll, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { recordedStory } from '../../testing/stories/recorded-story.ts'
import type { RunHouse } from '../../testing/stories/run-house.ts'
import { walkedByTwo } from '../../testing/stories/walked-by-two.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'

let house: RunHouse
let tick = 0
beforeAll(async () => {
  house = await recordedStory(memoryStore(() => new Date(Date.UTC(2026, 0, 1) + tick++).toISOString(), PRODUCT_PROJECTIONS))
})
afterAll(() => house.close())

it.each([1, 3, Number.POSITIVE_INFINITY])('a second one that comes %d commits further changes nothing', async steps => {
  await walkedByTwo(
    house,
    steps,
    Array.from({ length: 16 }, (_, before) => before),
  )
})
