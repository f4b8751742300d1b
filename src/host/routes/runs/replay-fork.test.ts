// Tests replay forks over real HTTP, as OpenWOP's suite and a client compare them: equal payloads, and the true cause of a divergence.
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { digestText } from '../../../core/digest/digest.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import type { Binding } from '../../../ports.ts'
import { endedRun, startRun } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { change } from '../../../testing/mutations/forge.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import type { RunEventDoc } from '../../../wire/openwop/run-event.ts'

const SCRIPT = `replies:
  - match: { step: 1 }
    toolCalls: [{ toolName: pay, callId: tool-1, arguments: { to: somebody } }]
  - match: {}
    text: Done.
`
const TEXT = 'Write calmly.'
const path = freshPath()
interface Diverged {
  readonly divergencePoint?: string
  readonly divergenceKind: string
  readonly divergences: readonly { readonly point: string; readonly expected: string | null; readonly found: string | null }[]
}

let host: TestHost
let ask: TestHost['ask']
let runId: string
beforeAll(async () => {
  const pay: Binding = {
    descriptor: { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } },
    run: async () => 'paid',
  }
  const store = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
  const sessions = testSessions(store, SCRIPT, {
    bindings: new Map([['pay', pay]]),
    grants: [{ tools: ['pay'], approval: true }],
    hostCatalog: [pay.descriptor],
  })
  host = await startHost({}, { store, sessions })
  ask = await checkedAsk(host)
  await ask('POST', '/v1/prompts', { body: { ...template('calm'), text: TEXT, variables: [] } })
  const nodes = [{ id: 'writer', systemPromptRef: 'prompt:calm@1.0.0' }, { id: 'reader' }]
  await ask('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes, edges: [{ from: 'writer', to: 'reader' }] } })
  runId = await startRun(ask, { workflowId: 'one' })
  for (const _ of nodes) {
    await vi.waitFor(async () => expect((await ask('GET', '/v1/approvals')).body.items).toHaveLength(1), { timeout: 20_000 })
    const [{ approval }] = (await ask('GET', '/v1/approvals')).body.items
    await ask('POST', `/v1/approvals/${approval}`, { body: { decision: 'approved' } })
  }
  await endedRun(ask, runId)
})
afterAll(() => host.close())

async function replayFork(): Promise<readonly RunEventDoc[]> {
  const { body } = await ask('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay' } })
  return endedRun(ask, body.runId)
}

it('openwop D18: two replay forks of one run have equal payloads, event for event', async () => {
  const [one, two] = [await replayFork(), await replayFork()]
  const compared = (events: readonly RunEventDoc[]) => events.map(({ type, nodeId, payload }) => ({ type, nodeId, payload }))
  expect(one.map(({ type }) => type)).toContain('onbook.approval.requested')
  expect(one.at(-1)!.type).toBe('run.completed')
  expect(compared(one)).toEqual(compared(two))
  // A real run still names the approval that a client has to answer.
  const waiting = (await endedRun(ask, runId)).find(({ type }) => type === 'onbook.approval.requested')
  expect(waiting?.payload.approval).toMatch(/^approval_/)
})

it('openwop D17: a replay fork over a changed template names the object and both digests first, and no inner event name', async () => {
  const source = await endedRun(ask, runId)
  const wild = (text: string) => text.replace('calmly', 'wildly')
  const [before, after] = change(dirname(path), database => {
    const rows = database.prepare('SELECT id, bytes FROM objects WHERE CAST(bytes AS TEXT) LIKE ?').all('{%"templateId":"calm"%')
    const [{ id, bytes }] = rows as unknown as [{ readonly id: number; readonly bytes: Uint8Array }]
    const text = new TextDecoder().decode(bytes)
    database.prepare('UPDATE objects SET bytes = ? WHERE id = ?').run(new TextEncoder().encode(wild(text)), id)
    return [digestText(text), digestText(wild(text))]
  })
  const events = await replayFork()
  const [first, ...others] = events.filter(({ type }) => type === 'replay.diverged')
  const started = source.find(({ type, nodeId }) => type === 'node.started' && nodeId === 'writer')!
  expect(first!.payload).toMatchObject({
    atSequence: started.sequence,
    originalEventId: started.eventId,
    divergencePoint: 'node.started',
    divergences: [{ point: 'object', field: 'object_corrupt', expected: before, found: after }],
  })
  expect(others.map(({ payload }) => payload.divergencePoint)).toContain('onbook.run.cancelling')
  const types = new Set([...source, ...events].map(({ type }) => type))
  for (const { payload } of others) {
    const { divergencePoint, divergences, divergenceKind } = payload as unknown as Diverged
    const sides = divergenceKind === 'output' ? [] : divergences.flatMap(({ expected, found }) => [expected ?? found])
    const points = divergences.map(({ point }) => point).filter(point => !['event', 'object'].includes(point))
    expect(types).toEqual(new Set([...types, ...points, ...sides, ...(divergencePoint === undefined ? [] : [divergencePoint])]))
  }
  expect(events.at(-1)).toMatchObject({ type: 'replay.diverged' })
  const { body } = await ask('GET', `/v1/runs/${events[0]!.runId}`)
  expect(body).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(before) } })
})
