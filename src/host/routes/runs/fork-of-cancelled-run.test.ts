// Tests over real HTTP that branches from the middle of a cancellation end, and count as ended.
import { expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import { endedRun, pollRun, startRun } from '../../../testing/hosts/host-runs.ts'
import { startHost } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { freshPath } from '../../../testing/stores/sqlite-place.ts'

const STUCK = 'replies:\n  - match: {}\n    ticks: 1000000000\n    text: Never.\n'

it('a branch of a run that was being cancelled does not stay in the count of open runs', async () => {
  let moment = Date.now()
  // Every commit has its own time, so that a fork can begin between any two.
  const store = sqliteStore(freshPath(), () => new Date(moment++).toISOString(), PRODUCT_PROJECTIONS)
  const sessions = testSessions(store, STUCK, { mostOpenRuns: 1 })
  const host = await startHost({}, { store, sessions })
  try {
    await host.ask('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes: [{ id: 'writer' }] } })
    const runId = await startRun(host.ask, { workflowId: 'one' })
    const isAsked = async () => (await pollRun(host.ask, runId)).events.some(({ type }) => type === 'onbook.step.started')
    await expect.poll(isAsked, { timeout: 20_000 }).toBe(true)
    await host.ask('POST', `/v1/runs/${runId}/cancel`)
    const events = await endedRun(host.ask, runId)
    const { sequence } = events.find(({ type }) => type === 'onbook.run.cancelling')!
    const { status, body } = await host.ask('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'branch', fromSeq: sequence + 1 } })
    expect(status).toBe(201)
    expect((await endedRun(host.ask, body.runId)).at(-1)!.type).toBe('run.cancelled')
    expect((await host.ask('POST', '/v1/runs', { body: { workflowId: 'one' } })).status).toBe(201)
  } finally {
    await host.close()
  }
})
