// Every command that the guides show is run here, in order, as a reader would.
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { follow, ROOT, shownIn } from './testing/stories/follow-story.ts'

describe('guides', () => {
  const guides = readdirSync('docs/guide').filter(name => shownIn(join('docs/guide', name)).length > 0)

  it.each(guides)('%s can be followed to its end', name => {
    const folder = mkdtempSync(join(tmpdir(), 'onbook-guide-'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules', 'onbook'))
    const { status, output } = follow(shownIn(join('docs/guide', name)), folder)
    expect(status, output).toBe(0)
  })
})
