// A provider that keeps conversations gets only new messages; the record always has the whole prompt, and the part that was sent. Bug 5 of the list.
import { afterEach, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Receipt } from '../../core/messages/receipt.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import type { CallOptions, ChatModel, Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { type TestRuns, testRuns, workflowOf } from '../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { loadRun } from './load.ts'

let store: Store
let runs: TestRuns
afterEach(async () => {
  await runs.close()
  await store.close()
  expect(runs.problems).toEqual([])
})

const answered = {
  status: 'ok',
  toolCalls: [],
  finishReason: { reason: 'stop' },
  usage: null,
  warnings: [],
  providerId: 'test',
  conversation: 'c1',
} as const
const asks: Receipt = { ...answered, toolCalls: [{ callId: '1', toolName: 'nothing', arguments: {} }] }
const done: Receipt = { ...answered, text: 'Done.' }
const lost: Receipt = { status: 'error', code: 'conversation_lost', message: 'it knows no c1' }

async function run(receipts: readonly Receipt[]) {
  const calls: { call: ModelCall; options: CallOptions }[] = []
  const models: ChatModel = {
    resumes: () => true,
    async call(call, options) {
      calls.push({ call, options })
      return receipts[calls.length - 1]!
    },
  }
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  runs = testRuns(store, undefined, { models })
  await runs.create(
    { tenant: 'acme', runId: 'r1', actor: 'ada' },
    { workflow: workflowOf({ id: 'one', compose: 'graph', objective: 'Go.', nodes: [{ id: 'n' }] }) },
  )
  await runs.quiet('acme', 'r1')
  const prompts: PromptRecord[] = []
  for await (const { event } of store.read('acme', 'run/r1', -1))
    if (event.type === 'step.started') prompts.push((event.payload as unknown as { prompt: PromptRecord }).prompt)
  const sentTo = calls.map(({ call, options }) => ({
    resume: options.resume ?? null,
    roles: call.messages.slice(options.resume?.after ?? 0).map(({ role }) => role),
  }))
  return { sentTo, prompts, phase: (await loadRun(store, 'acme', 'r1')).state.phase }
}

it('the first step is sent whole, later ones only what was said since', async () => {
  const { sentTo, prompts, phase } = await run([asks, done])
  expect(phase).toBe('completed')
  expect(sentTo).toEqual([
    { resume: null, roles: ['system', 'user'] },
    { resume: { conversation: 'c1', after: 3 }, roles: ['tool'] },
  ])
  expect(prompts.map(({ sent }) => [sent.kind, sent.reason])).toEqual([
    ['full', 'cannot_resume'],
    ['delta', 'header_unchanged'],
  ])
  expect(prompts[1]!.full).toBe(prompts[0]!.full)
})

it('a provider that has forgotten is told everything again', async () => {
  const { sentTo, prompts, phase } = await run([asks, lost, done])
  expect(phase).toBe('completed')
  expect(sentTo.map(({ roles }) => roles)).toEqual([['system', 'user'], ['tool'], ['system', 'user', 'assistant', 'tool']])
  expect(prompts.map(({ sent }) => sent.kind)).toEqual(['full', 'delta', 'full'])
})
