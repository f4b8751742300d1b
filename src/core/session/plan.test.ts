// What events call for, in the order in which an engine is told.
import { expect, it } from 'vitest'
import { must, named, runStory, type Story, selection, settleStory, startStory, tell } from '../../testing/session-story.ts'
import { decide } from './decide.ts'

/** The names of what was called for since the last time. */
const called = (story: Story) => story.effects.splice(0).map(({ type }) => type)

it('a run with tools: each thing once, and never before what it needs', () => {
  const story = startStory()
  must(story, { type: 'requestRun', input: named('Write.') })
  expect(called(story)).toEqual(['run.start'])
  must(story, { type: 'startRun', run: 1 })
  expect(called(story)).toEqual(['step.prepare'])
  must(story, { type: 'startStep' })
  expect(called(story)).toEqual(['model.call'])
  must(story, { type: 'retryStep', code: 'adapter_timeout', detail: '' })
  expect(story.effects).toMatchObject([{ type: 'model.call', step: 1, attempt: 2, epoch: 0, stepEpoch: 1 }])
  called(story)
  settleStory(story)
  expect(called(story)).toEqual(['reply.read'])
  must(story, { type: 'startBatch', calls: ['a', 'b'].map(id => ({ id, name: 'look', arguments: named('{}') })) })
  expect(called(story)).toEqual(['tool.call'])
  const settle = (call: string) =>
    must(story, { type: 'settleCall', run: 1, batch: 1, call, outcome: { status: 'succeeded' }, result: null, epoch: 0, stepEpoch: 1 })
  settle('a')
  expect(story.effects).toMatchObject([{ type: 'tool.call', call: { id: 'b' } }])
  called(story)
  settle('b')
  expect(called(story)).toEqual(['step.prepare'])
  must(story, { type: 'startStep' })
  settleStory(story)
  expect(called(story)).toEqual(['model.call', 'reply.read'])
  must(story, { type: 'awaitInput' })
  expect(called(story)).toEqual([])
  must(story, { type: 'provideInput', message: named('More.') })
  expect(called(story)).toEqual(['step.prepare'])
  must(story, { type: 'completeRun' })
  expect(called(story)).toEqual([])
})

it('a paused run calls for nothing, and goes on from where it stood', () => {
  const story = startStory()
  runStory(story)
  tell(story, { type: 'receive', command: { kind: 'pause', id: 'p' } })
  called(story)
  tell(story, { type: 'receive', command: { kind: 'resume', id: 'r' } })
  expect(called(story)).toEqual([])
  settleStory(story)
  expect(called(story)).toEqual(['reply.read'])
})

it('a cancelled run calls for nothing, whatever comes back', () => {
  const story = startStory()
  runStory(story)
  tell(story, { type: 'receive', command: { kind: 'cancel', id: 'c', reason: null } })
  called(story)
  settleStory(story)
  expect(called(story)).toEqual([])
})

it('what is refused calls for nothing', () => {
  const story = startStory()
  const decided = decide(story.state, { type: 'requestApply' })
  expect(decided.ok).toBe(false)
  tell(story, { type: 'requestApply' })
  tell(story, { type: 'requestSync', selection: selection({ name: '..' }) })
  expect(story.effects).toEqual([])
})
