import { expect, it } from 'vitest'
import { killRuns } from '../../testing/kills/kill-runs.ts'

it('a run of twenty nodes ends as it would have, however its host is killed', async () => {
  expect((await killRuns(3)).kills).toBe(3)
}, 300_000)
