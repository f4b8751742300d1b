// What whoever comes next has to do, at every place where a host can be gone.
import { describe, expect, it } from 'vitest'
import { must, named, type Story, selection, settleStory, startStory, tell } from '../../testing/session-story.ts'
import type { Verdict } from '../gate/authorize.ts'
import type { SessionCommand } from './commands.ts'
import { unfinished } from './unfinished.ts'

const verdict = (decision: Verdict['decision']): Verdict => ({ decision, conditions: [] })
const left = (story: Story, repeatable = false) => unfinished(story.state, () => repeatable)
const cancel: SessionCommand = { type: 'receive', command: { kind: 'cancel', id: 'c', reason: null } }

function running(): Story {
  const story = startStory()
  must(story, { type: 'requestRun', input: named('Write.') })
  must(story, { type: 'startRun', run: 1 })
  must(story, { type: 'startStep' })
  return story
}

function withCalls(): Story {
  const story = running()
  settleStory(story)
  must(story, { type: 'startBatch', calls: ['a', 'b'].map(id => ({ id, name: 'pay', arguments: named('{}') })) })
  return story
}

describe('a session whose host is gone', () => {
  it('has nothing to do when it is idle, or waits for a person', () => {
    expect(left(startStory())).toEqual({ commands: [], effects: [], interrupted: null })
    const story = running()
    settleStory(story)
    must(story, { type: 'awaitInput' })
    expect(left(story)).toEqual({ commands: [], effects: [], interrupted: null })
  })

  it('syncs what was asked for', () => {
    const story = startStory()
    must(story, { type: 'requestSync', selection: selection() })
    expect(left(story).effects).toMatchObject([{ type: 'workspace.sync', for: { sync: 1 } }])
  })

  it('starts the run that was requested', () => {
    const story = startStory()
    must(story, { type: 'requestRun' })
    expect(left(story).effects).toEqual([{ type: 'run.start', run: 1 }])
  })

  it.each(['running', 'paused'])('asks the model again, as a new attempt, when the run is %s', phase => {
    const story = running()
    if (phase === 'paused') tell(story, { type: 'receive', command: { kind: 'pause', id: 'p' } })
    const { commands } = left(story)
    expect(commands).toMatchObject([{ type: 'retryStep', code: 'interrupted' }])
    must(story, commands[0]!)
    expect(story.effects.at(-1)).toMatchObject({ type: 'model.call', step: 1, attempt: 2 })
  })

  it('ends a run that was being cancelled', () => {
    const story = running()
    tell(story, cancel)
    for (const command of left(story).commands) must(story, command)
    expect(story.state.ended).toBe('cancelled')
  })

  it('goes on from a reply that was not read', () => {
    const story = running()
    settleStory(story)
    expect(left(story).effects).toMatchObject([{ type: 'reply.read', step: 1 }])
  })

  it('asks for the follow-up that waited for the run to end', () => {
    const story = running()
    settleStory(story)
    must(story, { type: 'receive', command: { kind: 'follow-up', id: 'f', message: named('And?') } })
    must(story, { type: 'completeRun' })
    expect(left(story).effects).toEqual([{ type: 'run.request' }])
  })
})

describe('tool calls whose host is gone', () => {
  it('that were never started are made, the first of them first', () => {
    expect(left(withCalls())).toMatchObject({ effects: [{ call: { id: 'a' }, again: false }], interrupted: null })
  })

  it('that were started are interrupted, unless doing them twice is doing them once', () => {
    const story = withCalls()
    must(story, { type: 'judgeCall', run: 1, batch: 1, call: 'a', verdict: verdict('allowed') })
    expect(left(story)).toMatchObject({ effects: [], interrupted: { id: 'a' } })
    expect(left(story, true)).toMatchObject({ effects: [{ call: { id: 'a' }, again: true }], interrupted: null })
  })

  it('that were refused are told to the model', () => {
    const story = withCalls()
    must(story, { type: 'judgeCall', run: 1, batch: 1, call: 'a', verdict: verdict('refused') })
    expect(left(story).interrupted).toBeNull()
  })

  it('of a cancelled run are not made again', () => {
    const story = withCalls()
    must(story, { type: 'judgeCall', run: 1, batch: 1, call: 'a', verdict: verdict('allowed') })
    tell(story, cancel)
    expect(left(story, true)).toMatchObject({ effects: [], interrupted: { id: 'a' } })
  })
})

describe('a judged call', () => {
  it('is judged once, and never after its run was cancelled', () => {
    const story = withCalls()
    const judge = (call: string) => tell(story, { type: 'judgeCall', run: 1, batch: 1, call, verdict: verdict('allowed') })
    expect(judge('a').ok).toBe(true)
    expect(judge('a').ok).toBe(false)
    expect(judge('nobody').ok).toBe(false)
    tell(story, cancel)
    expect(judge('b').ok).toBe(false)
    expect(story.state.run!.batch!.calls.map(({ started }) => started)).toEqual([true, false])
  })
})
