// A replayed run equals its record, and every change to the record is found and named. Real store, real runs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { withHistory, withoutObject } from '../../testing/mutations/changed-store.ts'
import { findsMutations } from '../../testing/mutations/find-mutations.ts'
import { readStory, recordedStory, type Story } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { replayRun } from './replay.ts'

let house: RunHouse
let story: Story
beforeAll(async () => {
  house = await recordedStory()
  story = await readStory(house)
})
afterAll(async () => {
  await house.close()
  await house.store.close()
})

describe('a run that nobody touched', () => {
  it('is identical: every prompt composed, every call judged again', async () => {
    const prompts: string[] = []
    const replayed = await replayRun(house.store, TENANT, 'r1', {
      onPrompt: ({ nodeId, visit, step, recorded, found }) => prompts.push(`${nodeId} ${visit} ${step} ${recorded === found}`),
    })
    expect(replayed).toMatchObject({
      identical: true,
      divergences: [],
      rotations: [],
      phase: 'completed',
      prompts: 4,
      verdicts: 2,
    })
    expect(prompts).toEqual(['writer 1 1 true', 'writer 1 2 true', 'writer 1 3 true', 'reader 1 1 true'])
    expect(replayed.events).toBe(story.events.length)
  })

  it('folds to the same state at either level', async () => {
    const [one, two] = [await replayRun(house.store, TENANT, 'r1', { level: 1 }), await replayRun(house.store, TENANT, 'r1')]
    expect([one.stateHash, one.events, one.prompts, one.identical]).toEqual([two.stateHash, two.events, 0, true])
  })
})

it('what the host is set to since is a rotation, and no divergence', async () => {
  const replayed = await replayRun(house.store, TENANT, 'r1', { hostDefaults: { system: 'prompt:desk@1.0.0', user: 'prompt:task@1.0.0' } })
  expect(replayed).toMatchObject({
    identical: true,
    rotations: [
      { kind: 'system', expected: 'prompt:house@1.0.0', found: 'prompt:desk@1.0.0' },
      { kind: 'user', expected: null, found: 'prompt:task@1.0.0' },
    ],
  })
})

it('a template that is gone is named, and the prompts that need it are not guessed', async () => {
  const composed = story.events.find(({ type }) => type === 'prompt.composed')!
  const { template } = composed.payload as { template: Digest }
  const prompts: (string | null)[] = []
  const store = withoutObject(house.store, template, null)
  const { divergences, identical } = await replayRun(store, TENANT, 'r1', { onPrompt: ({ found }) => prompts.push(found) })
  expect(identical).toBe(false)
  expect(divergences).toEqual([
    { sequence: composed.seq, point: 'object', nodeId: 'writer', field: 'object_missing', expected: template, found: null },
  ])
  expect(prompts.slice(0, 3)).toEqual([null, null, null])
})

it('a run that is not there is a fault', async () => {
  await expect(replayRun(house.store, TENANT, 'nothing')).rejects.toMatchObject({ code: 'run_missing' })
})

const changed = (type: string, change: object) => {
  const event = story.events.find(one => one.type === type)!
  const store = withHistory(house.store, ['run/r1'], one =>
    one.seq === event.seq ? { ...one, payload: { ...(one.payload as object), ...change } as Json } : one,
  )
  return { store, sequence: event.seq }
}

it.each([
  ['run.created', 'workflowId', 'other'],
  ['run.created', 'version', '9.9.9'],
  ['run.created', 'stallAfter', 99],
  ['node.started', 'visit', 2],
  ['node.started', 'typeId', 'other'],
  ['node.started', 'session', 'other'],
  ['call.judged', 'tool', 'other'],
  ['call.settled', 'tool', 'other'],
  ['node.completed', 'edges', []],
])('what follows from the graph and from how far it was walked is known: %s, %s', async (type, field, value) => {
  const { store, sequence } = changed(type, { [field]: value })
  const { divergences } = await replayRun(store, TENANT, 'r1')
  expect(divergences).toContainEqual(expect.objectContaining({ sequence, point: type, field, expected: value }))
})

it('an event that does not say what its type says is named, and passed over', async () => {
  const asked = changed('calls.asked', { calls: 7 })
  expect((await replayRun(asked.store, TENANT, 'r1', { level: 1 })).divergences).toContainEqual({
    sequence: asked.sequence,
    point: 'event',
    field: 'event_malformed',
    expected: 'calls.asked',
    found: null,
  })
  const step = changed('step.started', { prompt: 7 })
  const { divergences, phase } = await replayRun(step.store, TENANT, 'r1', { level: 1 })
  expect([divergences.map(({ sequence, field }) => [sequence, field]), phase]).toEqual([[[step.sequence, 'event_malformed']], 'completed'])
})

it('45 changes, each of one thing: all are found, and named where they are', async () => {
  expect(await findsMutations(story, 45, 1)).toEqual([])
})
