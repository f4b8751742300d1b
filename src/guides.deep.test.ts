// Every command that the guides show is run here, in order, as a reader would.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { follow, readersFolder, shownIn } from './testing/stories/follow-story.ts'

describe('guides', () => {
  const guides = readdirSync('docs/guide').filter(name => shownIn(join('docs/guide', name)).length > 0)

  it.each(guides)('%s can be followed to its end', name => {
    const { status, output } = follow(shownIn(join('docs/guide', name)), readersFolder())
    expect(status, output).toBe(0)
  })
})
