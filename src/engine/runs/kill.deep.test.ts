import { expect, it } from 'vitest'
import { killRuns } from '../../testing/kills/kill-runs.ts'

it('a run of twenty nodes ends as it would have, in a hundred and twenty kills of its host', async () => {
  const killed = await killRuns(120)
  expect(killed.kills).toBe(120)
  console.log(JSON.stringify(killed))
})
