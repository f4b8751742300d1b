// Graphs of agents, run to their end: real store, real sessions, a model that says what a script says.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { type TestRuns, testRuns, workflowOf } from '../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { loadRun } from './load.ts'

let store: Store
let runs: TestRuns
beforeEach(() => {
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  runs = testRuns(store)
})
afterEach(async () => {
  await runs.close()
  await store.close()
  expect(runs.problems).toEqual([])
})

const place = (runId: string) => ({ tenant: 'acme', runId, actor: 'test' })

async function run(document: Json, runId = 'r1') {
  await runs.create(place(runId), { workflow: workflowOf(document) })
  await runs.quiet('acme', runId)
  return loadRun(store, 'acme', runId)
}

async function typesOf(runId = 'r1'): Promise<string[]> {
  const types: string[] = []
  for await (const { event } of store.read('acme', `run/${runId}`, -1)) {
    const { nodeId } = event.payload as { nodeId?: string }
    types.push(nodeId === undefined || nodeId === null ? event.type : `${event.type} ${nodeId}`)
  }
  return types
}

describe('a run', () => {
  it('of one node goes to its end', async () => {
    const { state } = await run({ id: 'one', objective: 'Say something.', nodes: [{ id: 'writer' }] })
    expect(await typesOf()).toEqual([
      'run.created',
      'node.started writer',
      ...['system', 'few-shot', 'user', 'schema-hint'].map(() => 'prompt.traced writer'),
      'step.started writer',
      'step.settled writer',
      'node.completed writer',
      'run.completed',
    ])
    expect(state.phase).toBe('completed')
  })

  it('knows at once when it was created and by whom, as the record says it', async () => {
    const workflow = workflowOf({ id: 'one', objective: 'Say something.', nodes: [{ id: 'writer' }] })
    const { run } = await runs.create(place('r1'), { workflow })
    await runs.quiet('acme', 'r1')
    for await (const { event } of store.read('acme', 'run/r1', -1))
      if (event.type === 'run.created') expect([run.createdAt, run.createdBy]).toEqual([event.at, event.actor])
    expect(run.createdBy).toBe('test')
  })

  it('is not created twice under one id', async () => {
    await run({ id: 'one', objective: 'Say something.', nodes: [{ id: 'writer' }] })
    const types = await typesOf()
    await expect(run({ id: 'two', objective: 'Say more.', nodes: [{ id: 'writer' }] })).rejects.toMatchObject({ code: 'run_exists' })
    expect(await typesOf()).toEqual(types)
  })
})

it.each([
  ['inputs', { inputs: { topic: 'a\ud800' } }],
  ['text', { override: 'a\ud800' }],
  ['metadata', { metadata: { a: Number.NaN } }],
])('%s that no record could keep are refused, and nothing is written', async (what, request) => {
  const workflow = workflowOf({ id: 'one', objective: 'Say something.', nodes: [{ id: 'writer' }] })
  await expect(runs.create(place('r1'), { workflow, ...request })).rejects.toThrow(`${what} is not plain JSON`)
  expect(await typesOf()).toEqual([])
})
