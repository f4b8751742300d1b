// The mode of a run: changed by an event alone, asked for by an agent, decided by a person.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import type { Digest } from '../../../core/digest/digest.ts'
import type { Store } from '../../../ports.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import { type TestRuns, testRuns, workflowOf } from '../../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../../record/projections.ts'
import { loadRun } from '../load.ts'

const place = { tenant: 'acme', runId: 'r1', actor: 'ada' }
const SCRIPT = `replies:
  - match: { last: Plan the change }
    toolCalls: [{ toolName: request_implementation, arguments: { reason: The parser has to change. } }]
  - match: { last: asked }
    text: I wait for your answer.
  - match: { last: approved }
    text: Now I implement.
  - match: { last: denied }
    text: Then I only plan.
`

let store: Store
let runs: TestRuns
beforeEach(async () => {
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  runs = testRuns(store, SCRIPT)
  const workflow = workflowOf({
    id: 'planning',
    mode: 'planning',
    orchestration: 'interactive',
    objective: 'Plan the change.',
    nodes: [{ id: 'planner', role: 'planner' }],
  })
  await runs.create(place, { workflow })
  await runs.quiet('acme', 'r1')
})
afterEach(async () => {
  await runs.close()
  await store.close()
  expect(runs.problems).toEqual([])
})

async function modesSaid(): Promise<string[]> {
  const modes: string[] = []
  for await (const { event } of store.read('acme', 'run/r1', -1)) {
    if (event.type !== 'step.started') continue
    const { blocks } = (event.payload as unknown as { prompt: { blocks: { mode: Digest } } }).prompt
    modes.push(new TextDecoder().decode(await store.object('acme', blocks.mode)).split('\n')[0]!)
  }
  return modes
}

it.each([
  ['approved', 'implementation', 'Mode: IMPLEMENTATION'],
  ['denied', 'planning', 'Mode: PLANNING'],
] as const)('a planning agent may ask for implementation, and is told when it was %s', async (decision, mode, said) => {
  const { state } = await loadRun(store, 'acme', 'r1')
  expect(state.nodes.planner!.status).toBe('waiting')
  const [open] = state.approvals
  expect(open).toMatchObject({ nodeId: 'planner', wants: { kind: 'mode', mode: 'implementation', reason: 'The parser has to change.' } })
  await runs.submit(place, { type: 'resolveMode', approval: open!.approval, decision, by: 'ada', note: null })
  await runs.quiet('acme', 'r1')
  const after = (await loadRun(store, 'acme', 'r1')).state
  expect([after.mode, after.approvals, after.nodes.planner!.steps]).toEqual([mode, [], 3])
  expect(await modesSaid()).toEqual(['Mode: PLANNING', 'Mode: PLANNING', said])
})

it('an answer to nobody is refused', async () => {
  const { refusal } = await runs.submit(place, {
    type: 'resolveMode',
    approval: 'approval_made-up',
    decision: 'approved',
    by: 'ada',
    note: null,
  })
  expect(refusal).toMatchObject({ code: 'approval_missing' })
  expect((await loadRun(store, 'acme', 'r1')).state.mode).toBe('planning')
})
