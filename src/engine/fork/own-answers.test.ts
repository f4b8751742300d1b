// Approvals and provider conversations belong to one run: an answer for the source does not answer its fork, and a fork does not resume the source's conversation.
import { afterAll, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { runStream } from '../../core/run/events.ts'
import type { Binding, ChatModel, Store } from '../../ports.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { TENANT } from '../../testing/stories/run-house.ts'
import { testRuns, workflowOf } from '../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { openApprovals } from '../runs/calls/approvals.ts'
import { createFork } from './create.ts'
import { forkWork } from './forks.ts'
import { playFork } from './play.ts'

let tick = 0
const validator = sharedValidator()
afterAll(() => validator.close())
const fresh = () => memoryStore(() => new Date(Date.UTC(2026, 0, 1) + tick++).toISOString(), PRODUCT_PROJECTIONS)
const failed = (error: Error): never => {
  throw error
}

const SCRIPT = `replies:
  - match: { step: 1 }
    toolCalls:
      - { toolName: pay, callId: tool-1, arguments: { to: first } }
  - match: {}
    text: Done.
`
async function payHouse() {
  const store = fresh()
  const paid: Json[] = []
  const pay: Binding = {
    descriptor: { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } },
    async run({ arguments: given }) {
      paid.push(given)
      return 'paid'
    },
  }
  const runs = testRuns(store, SCRIPT, {
    bindings: new Map([['pay', pay]]),
    hostCatalog: [pay.descriptor],
    grants: [{ tools: ['pay'], approval: true }],
  })
  await runs.create(
    { tenant: TENANT, runId: 'r1', actor: 'ada' },
    { workflow: workflowOf({ id: 'w', objective: 'Pay.', nodes: [{ id: 'payer' }] }) },
  )
  await runs.quiet(TENANT, 'r1')
  const asked = async () => {
    const found = []
    for await (const one of openApprovals(store, TENANT)) found.push(one)
    return found
  }
  const [one] = await asked()
  const answer = (approval: string, runId: string, nodeId: string) =>
    runs.answer({ tenant: TENANT, runId, nodeId, actor: 'key:boss' }, { approval, decision: 'approved', note: null, arguments: null })
  const events = async (runId: string) => {
    const found: RecordedEvent[] = []
    for await (const { event } of store.read(TENANT, runStream(runId), -1)) found.push(event)
    return found
  }
  const forks = forkWork({ store, validator, runs, hostDefaults: {}, failed })
  return { store, runs, paid, one: one!, asked, answer, events, forks }
}

it('what a person approved for one run is not done again for its branch without asking', async () => {
  const { runs, paid, one, answer, events, forks, asked } = await payHouse()
  await answer(one.approval, one.runId, one.nodeId)
  await runs.quiet(TENANT, 'r1')
  expect(paid).toHaveLength(1)
  const types = (await events('r1')).map(({ type }) => type)
  const fromSeq = types.indexOf('approval.resolved') + 1
  await forks.fork({ tenant: TENANT, runId: 'b1', actor: 'mallory' }, 'r1', { mode: 'branch', fromSeq })
  await runs.quiet(TENANT, 'b1')
  expect([paid.length, (await asked()).length]).toEqual([1, 1])
  await runs.close()
})

it('what a person answers in a replay is refused, and does not reach its source', async () => {
  const { store, runs, paid, one, answer, asked } = await payHouse()
  let heard = 0
  for (let commits = 0; commits < 12; commits += 1) {
    const forkId = `f${commits}`
    let left = commits
    const gone: Store = { ...store, commit: async commit => (left-- > 0 ? store.commit(commit) : Promise.reject(new Error('gone'))) }
    await createFork(store, TENANT, { runId: 'r1', forkId, mode: 'replay', fromSeq: 0, actor: 'ada' })
    await playFork({ store: gone, tenant: TENANT, forkId }).catch(() => {})
    for (const each of (await asked()).filter(({ runId }) => runId === forkId)) {
      heard += 1
      expect(each.approval).not.toBe(one.approval)
      await expect(answer(each.approval, each.runId, each.nodeId)).rejects.toMatchObject({ code: 'run_is_replay' })
    }
  }
  expect([heard > 0, paid]).toEqual([true, []])
  await runs.close()
})

it('a branch does not go on in the conversation that its source has with a provider', async () => {
  const answered = { status: 'ok', toolCalls: [], finishReason: { reason: 'stop' }, usage: null, warnings: [], providerId: 'test' } as const
  const resumed: (string | null)[] = []
  const models: ChatModel = {
    resumes: () => true,
    async call(_, { resume }) {
      resumed.push(resume?.conversation ?? null)
      return resumed.length === 1
        ? { ...answered, conversation: 'c1', toolCalls: [{ callId: '1', toolName: 'nothing', arguments: {} }] }
        : { ...answered, conversation: 'c1', text: 'Done.' }
    },
  }
  const store = fresh()
  const runs = testRuns(store, undefined, { models })
  await runs.create(
    { tenant: TENANT, runId: 'r1', actor: 'ada' },
    { workflow: workflowOf({ id: 'w', objective: 'Go.', nodes: [{ id: 'n' }] }) },
  )
  await runs.quiet(TENANT, 'r1')
  let fromSeq = 0
  for await (const { event } of store.read(TENANT, runStream('r1'), -1)) if (event.type === 'step.started') fromSeq = event.seq
  const forks = forkWork({ store, validator, runs, hostDefaults: {}, failed })
  const before = resumed.length
  await forks.fork({ tenant: TENANT, runId: 'b1', actor: 'ada' }, 'r1', { mode: 'branch', fromSeq })
  await runs.quiet(TENANT, 'b1')
  // The source's replies after this event are in that conversation, and the branch's replies would join them.
  expect([resumed.slice(before).length > 0, resumed.slice(before).includes('c1')]).toEqual([true, false])
  await runs.close()
})
