// Tests the limit of open runs of a tenant.
import { afterEach, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import type { RunParts } from '../../engine/runs/work.ts'
import { endedRun, startRun } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { testSessions } from '../../testing/hosts/test-sessions.ts'
import { talkingChat } from '../../testing/models/talking-chat.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'

let host: TestHost
let other: TestHost['ask']
afterEach(() => host.close())

async function start(more: Partial<RunParts> = {}): Promise<void> {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  host = await startHost({}, { store, sessions: testSessions(store, undefined, more) })
  const { key } = await host.makeKey('umbrella')
  other = (method, path, more = {}) => host.ask(method, path, { ...more, key })
  for (const ask of [host.ask, other])
    await ask('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes: [{ id: 'n' }] } })
}

it('reliability D16: a run beyond the limit of open runs is refused with 429, until another has ended', async () => {
  let answer = (): void => {}
  const answered = new Promise<void>(resolve => {
    answer = resolve
  })
  const models = talkingChat(async () => {
    await answered
    return 'Noted.'
  })
  await start({ mostOpenRuns: 2, models })
  const create = (ask: TestHost['ask']) => ask('POST', '/v1/runs', { body: { workflowId: 'one' } })
  const open = [await startRun(host.ask, { workflowId: 'one' }), await startRun(host.ask, { workflowId: 'one' })]
  const refused = await create(host.ask)
  expect([refused.status, refused.headers.get('retry-after'), refused.body.error]).toEqual([429, '5', 'runs_busy'])
  const fork = await host.ask('POST', `/v1/runs/${open[0]}:fork`, { body: { mode: 'branch', fromSeq: 0 } })
  expect([fork.status, fork.body.error]).toEqual([429, 'runs_busy'])
  expect((await create(other)).status).toBe(201)
  answer()
  for (const runId of open) await endedRun(host.ask, runId)
  expect((await create(host.ask)).status).toBe(201)
})
