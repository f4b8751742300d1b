// A run's prompts, made again: from the record they come out as they were, and what no longer does is named.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../testing/run-house.ts'
import { recomputePrompts } from './recompute.ts'

const WORKFLOW = {
  id: 'two',
  objective: 'Write.',
  nodes: [{ id: 'writer', systemPrompt: 'You write.' }, { id: 'reader' }],
  edges: [{ from: 'writer', to: 'reader' }],
}

let house: RunHouse
beforeAll(async () => {
  let steps = 0
  house = runHouse(async () => {
    steps += 1
    // What is said between two steps is part of the second.
    if (steps === 1) await house.runs.submit(placeOf('r1'), { type: 'setMode', mode: 'planning' })
    return steps === 1 ? { tools: [{ toolName: 'probe', arguments: {} }] } : { text: `Said in step ${steps}.` }
  })
  expect((await house.go(WORKFLOW)).phase).toBe('completed')
})
afterAll(async () => {
  await house.close()
  await house.store.close()
})

/** As if somebody had put other bytes under a name. */
const changed = (store: Store, digest: Digest, text: (before: string) => string): Store => ({
  ...store,
  async object(tenant, name) {
    const bytes = await store.object(tenant, name)
    return name === digest ? new TextEncoder().encode(text(new TextDecoder().decode(bytes))) : bytes
  },
})

it('every prompt comes out as it was sent, each from what had happened until then', async () => {
  const { identical, prompts, events, state } = await recomputePrompts(house.store, TENANT, 'r1')
  expect([identical, events, state]).toEqual([true, (await house.events()).length, await house.state()])
  expect(prompts.map(({ nodeId, visit, step, block }) => [nodeId, visit, step, block])).toEqual([
    ['writer', 1, 1, null],
    ['writer', 1, 2, null],
    ['reader', 1, 1, null],
  ])
  expect(new Set(prompts.map(({ recorded }) => recorded)).size).toBe(3)
})

it('a prompt that comes out otherwise is named, with the first block that differs', async () => {
  const started = (await house.events()).flatMap(event => (event.type === 'node.started' && event.nodeId === 'reader' ? [event] : []))
  const store = changed(house.store, started[0]!.handoffs!, text => text.replace('Said in', 'Never said in'))
  const { identical, prompts } = await recomputePrompts(store, TENANT, 'r1')
  expect(identical).toBe(false)
  expect(prompts.map(({ recorded, found, block }) => [recorded === found, block])).toEqual([
    [true, null],
    [true, null],
    [false, 'task'],
  ])
})

it('a run that is not there is a fault', async () => {
  await expect(recomputePrompts(house.store, TENANT, 'nothing')).rejects.toMatchObject({ code: 'run_missing' })
})
