// Every way out of a repo, to every target, with named descriptors and as on a system without them.
import { describe, expect, it } from 'vitest'
import { escapeAttempts } from '../../testing/repos/escape-attempts.ts'
import { ESCAPE_PATHS, PATH_CALLS } from '../../testing/repos/escape-corpus.ts'

describe.each(['linux', 'darwin'] as const)('held as on %s', platform => {
  it.each(PATH_CALLS)(`%s leads nowhere by any of ${ESCAPE_PATHS.length} paths`, async (tool, args) => {
    const attempt = await escapeAttempts(platform)
    for (const path of ESCAPE_PATHS) await attempt(tool, args(path))
    expect(ESCAPE_PATHS.length).toBeGreaterThan(400)
  })
})
