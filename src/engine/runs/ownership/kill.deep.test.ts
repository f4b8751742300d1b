import { expect, it } from 'vitest'
import { killRuns } from '../../../testing/kills/kill-runs.ts'

it('runs of twenty nodes end as they would have, in a hundred kills of their hosts', async () => {
  const killed = await killRuns(100)
  process.stdout.write(`${JSON.stringify(killed)}\n`)
  expect(killed.kills).toBe(100)
})
