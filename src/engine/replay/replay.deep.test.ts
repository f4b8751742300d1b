// Many changes to a recorded run, one at a time: a replay finds each of them, and names its place.
import { expect, it } from 'vitest'
import { findsMutations } from '../../testing/mutations/find-mutations.ts'
import { readStory, recordedStory } from '../../testing/stories/recorded-story.ts'

it('840 changes, sixty of each kind', { timeout: 300_000 }, async () => {
  const house = await recordedStory()
  try {
    expect(await findsMutations(await readStory(house), 840, 2026)).toEqual([])
  } finally {
    await house.close()
    await house.store.close()
  }
})
