// The tests that AgentOS has for its sessions (sections A, E and I of what we know of them), as ours. Where we decided otherwise:
//
// | there                                                        | here                                                          | because            |
// |--------------------------------------------------------------|---------------------------------------------------------------|--------------------|
// | a run takes an approved snapshot when it is requested        | when it is started: a requested run can still be refused      | decisions 4, 7     |
// | a requested sync overwrites the session's defaults           | what was asked for stays with the snapshot until it is applied | decision 4         |
// | an invalid snapshot is an error and fails again in replay    | `workspace.syncFailed` with stage and code; nothing moves     | decision 10        |
// | apply may be asked for before anything is there              | refused: nothing is pending                                   | decision 7         |
// | apply when idle, asked for during a run, may never happen    | deferred: the next run                                        | decision 7         |
// | apply at a step that never comes waits for a second step     | the next run takes it                                         | decision 7         |
// | unchanged compares versions and moves the version it has     | compares content; a snapshot is frozen                        | decision 9, HOUSE  |
// | a run starts with its first step; a boundary is an event     | a step is started like every other, and names what it sends   | DESIGN §3          |
// | a command for another epoch is ignored without a word        | refused, and recorded as such                                 | HOUSE §7           |
// | a run that waits for input cannot be paused or cancelled     | it can                                                        | fact sheet §7, WF  |
// | keys of a batch are sorted; results come in one object       | calls keep the order of the model, and so do their results    | DESIGN §3          |
import { describe, expect, it } from 'vitest'
import { Fault, type FaultCode } from '../../errors.ts'
import {
  config,
  must,
  named,
  runStory,
  type Story,
  selection,
  settleStory,
  startStory,
  syncStory,
  tell,
} from '../../testing/session-story.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import { offerTo } from './apply.ts'
import { decide } from './decide.ts'
import type { SessionRefusal } from './draft.ts'
import type { HostCommand, SessionEvent } from './events.ts'
import { foldSession } from './reduce.ts'
import { lifecycleOf } from './state.ts'

const types = (events: readonly SessionEvent[]) => events.map(({ type }) => type)
const bytes = (story: Story) => canonicalJson(story.state as unknown as Json)
const receive = (story: Story, command: HostCommand) => tell(story, { type: 'receive', command })

/** The code of a refusal, after seeing that it changed nothing. */
function refused(story: Story, command: Parameters<typeof tell>[1]): string {
  const before = bytes(story)
  const decided = tell(story, command)
  expect(bytes(story)).toBe(before)
  return decided.ok ? 'not refused' : decided.code
}

describe('a run', () => {
  it('keeps the config it was requested with, whatever the session is set to since', () => {
    const story = startStory()
    must(story, { type: 'requestRun', overrides: config({ provider: 'other', model: 'large' }) })
    must(story, { type: 'configure', config: config({ provider: 'third' }) })
    must(story, { type: 'startRun', run: 1 })
    must(story, { type: 'startStep', user: named('Write.') })
    expect(story.state.run).toMatchObject({ run: 1, phase: 'running', steps: 1, config: { provider: 'other', model: 'large' } })
    expect(story.events.at(-2)).toMatchObject({ type: 'step.started', request: { parameters: { provider: 'other', model: 'large' } } })
  })

  it('takes the digests the session is set to', () => {
    const promptDigests = [named('a'), named('b')]
    const story = startStory({ promptDigests })
    runStory(story)
    expect(story.state.run).toMatchObject({ config: { promptDigests }, source: 'direct' })
  })

  it('is replaced as a whole by what it was requested with, not field by field', () => {
    const story = startStory({ promptDigests: [named('a')], toolDigests: [named('t')] })
    must(story, { type: 'requestRun', input: named('Write.'), overrides: config() })
    must(story, { type: 'startRun', run: 1 })
    expect(story.state.run).toMatchObject({ config: { promptDigests: null, toolDigests: null }, source: 'none' })
  })

  it.each([
    ['provider_unset', { provider: ' ' }],
    ['model_unset', { model: '\t' }],
  ])('is refused with %s', (code, fields) => {
    const story = startStory(fields)
    expect(refused(story, { type: 'requestRun' })).toBe(code)
    expect(story.events.at(-1)).toMatchObject({ type: 'session.refused', command: 'requestRun', code })
    expect([story.state.run, story.state.runs]).toEqual([null, 0])
  })

  it('is refused when the host does not know its provider or model; an empty list checks nothing', () => {
    const story = startStory()
    const request = (providers: string[], models: string[]) =>
      ({ type: 'requestRun', known: { providers, models }, input: named('x') }) as const
    expect(refused(story, request(['other'], []))).toBe('provider_not_offered')
    expect(refused(story, request([' scripted '], ['large']))).toBe('model_not_offered')
    must(story, request([], ['small ']))
  })

  it('is one at a time, and none without being requested', () => {
    const story = startStory()
    expect(refused(story, { type: 'startRun', run: 1 })).toBe('run_missing')
    must(story, { type: 'requestRun' })
    expect(refused(story, { type: 'requestRun' })).toBe('run_already_active')
    expect(lifecycleOf(story.state)).toBe('idle')
  })

  it('fails by itself at the step beyond its limit', () => {
    const story = startStory({ limits: { maxSteps: 2, maxCalls: null } })
    runStory(story)
    settleStory(story)
    must(story, { type: 'startStep' })
    settleStory(story)
    expect(must(story, { type: 'startStep' })).toMatchObject([{ type: 'run.failed', code: 'step_limit' }])
    expect([lifecycleOf(story.state), story.state.run]).toEqual(['failed', null])
  })

  it.each([null, 0])('has no limit of steps with %s', maxSteps => {
    const story = startStory({ limits: { maxSteps, maxCalls: maxSteps } })
    runStory(story)
    for (let step = 1; step < 40; step++) {
      settleStory(story)
      must(story, { type: 'startStep' })
    }
    expect(story.state.run!.steps).toBe(40)
  })
})

describe('what people leave while it works', () => {
  it('steers the next step, one word at a time', () => {
    const story = startStory()
    runStory(story)
    receive(story, { kind: 'steer', id: 's1', message: named('Shorter.') })
    receive(story, { kind: 'steer', id: 's2', message: named('Kinder.') })
    settleStory(story)
    const { count } = story.state.history
    const reply = 'message.appended'
    expect(types(must(story, { type: 'startStep' }))).toEqual([reply, 'command.applied', 'message.appended', 'step.started'])
    expect(story.state).toMatchObject({ steers: [{ id: 's2' }], stepEpoch: 2, run: { steps: 2 }, history: { count: count + 2 } })
  })

  it('follows up only when the run wants input', () => {
    const story = startStory()
    runStory(story)
    receive(story, { kind: 'follow-up', id: 'f1', message: named('And then?') })
    settleStory(story)
    must(story, { type: 'startStep' })
    expect(story.state.followUps).toHaveLength(1)
    settleStory(story)
    const reply = 'message.appended'
    const fed = ['run.waiting', 'command.applied', 'message.appended', 'run.resumed']
    expect(types(must(story, { type: 'awaitInput' }))).toEqual([reply, ...fed])
    expect([story.state.followUps, lifecycleOf(story.state)]).toEqual([[], 'running'])
  })

  it('follows up at once when the run waits, and begins the next run when there is none', () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    must(story, { type: 'awaitInput' })
    receive(story, { kind: 'follow-up', id: 'f1', message: named('Go on.') })
    expect([story.state.followUps, lifecycleOf(story.state)]).toEqual([[], 'running'])
    receive(story, { kind: 'follow-up', id: 'f2', message: named('Next.') })
    must(story, { type: 'completeRun' })
    expect(story.effects.at(-1)).toEqual({ type: 'run.request' })
    must(story, { type: 'requestRun' })
    const { count } = story.state.history
    must(story, { type: 'startRun', run: 2 })
    expect([story.state.followUps, story.state.history.count]).toEqual([[], count + 1])
  })

  it('is refused when it is meant for another run or another epoch', () => {
    const story = startStory()
    runStory(story)
    const command = { kind: 'pause', id: 'p' } as const
    expect(refused(story, { type: 'receive', command, run: 7 })).toBe('command_stale')
    expect(refused(story, { type: 'receive', command, epoch: 7 })).toBe('command_stale')
    must(story, { type: 'receive', command, run: 1, epoch: 0 })
    expect(lifecycleOf(story.state)).toBe('paused')
  })

  it('is taken once: what waits already is refused, whatever it asks', () => {
    const story = startStory()
    runStory(story)
    receive(story, { kind: 'steer', id: 's1', message: named('Shorter.') })
    expect(refused(story, { type: 'receive', command: { kind: 'steer', id: 's1', message: named('Shorter.') } })).toBe('command_duplicate')
    expect(refused(story, { type: 'receive', command: { kind: 'pause', id: 's1' } })).toBe('command_duplicate')
  })

  it('pauses without losing what is on its way', () => {
    const story = startStory()
    runStory(story)
    receive(story, { kind: 'pause', id: 'p' })
    settleStory(story)
    expect(story.effects.at(-1)).toMatchObject({ type: 'model.call' })
    receive(story, { kind: 'resume', id: 'r' })
    expect(story.effects.at(-1)).toEqual({ type: 'reply.read', run: 1, step: 1, reply: named('Done.') })
  })

  it('pauses a run that waits: it waits again, and the model is asked nothing', () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    must(story, { type: 'awaitInput' })
    const { length } = story.effects
    receive(story, { kind: 'pause', id: 'p' })
    receive(story, { kind: 'resume', id: 'r' })
    expect([lifecycleOf(story.state), story.effects.length]).toEqual(['waiting', length])
    receive(story, { kind: 'pause', id: 'p' })
    receive(story, { kind: 'follow-up', id: 'f', message: named('Go on.') })
    receive(story, { kind: 'resume', id: 'r' })
    expect([lifecycleOf(story.state), story.state.followUps]).toEqual(['running', []])
    expect(story.effects.slice(length)).toEqual([{ type: 'step.prepare', run: 1, step: 2 }])
  })

  it('goes on after a pause with the input that came before it', () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    must(story, { type: 'awaitInput' })
    must(story, { type: 'provideInput', message: named('Go on.') })
    receive(story, { kind: 'pause', id: 'p' })
    receive(story, { kind: 'resume', id: 'r' })
    expect(lifecycleOf(story.state)).toBe('running')
  })
})

describe('a reply', () => {
  it('is said once, when the run goes on from it', () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    expect(story.state.history.open).not.toContain(named('Done.'))
    must(story, { type: 'awaitInput' })
    must(story, { type: 'provideInput', message: named('Go on.') })
    must(story, { type: 'startStep' })
    expect(story.state.history.open).toEqual(['Write.', 'Done.', 'Go on.'].map(named))
  })

  it.each(['cancelled', 'failed'])('that nobody goes on from stays out when the run is %s: its calls would have no results', end => {
    const story = startStory()
    runStory(story)
    receive(story, { kind: 'pause', id: 'p' })
    settleStory(story)
    if (end === 'failed') receive(story, { kind: 'resume', id: 'r' })
    if (end === 'failed') must(story, { type: 'failRun', code: 'tool_calls_too_many', detail: '' })
    else receive(story, { kind: 'cancel', id: 'c', reason: null })
    expect([lifecycleOf(story.state), story.state.history.open]).toEqual([end, [named('Write.')]])
  })

  it('that was said when it came, as an older record has it, is not said again', () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    const older = foldSession([...story.events, { type: 'message.appended', message: named('Done.') }])
    const asked = decide(older, { type: 'completeRun' })
    expect(types(asked.events)).toEqual(['run.completed'])
  })
})

describe('tools', () => {
  const calls = ['b', 'a', 'c'].map(id => ({ id, name: 'look', arguments: named(`{"at":"${id}"}`) }))
  const settle = (story: Story, call: string, more: { readonly epoch?: number; readonly batch?: number } = {}) => {
    const { run, batch } = story.state.run!
    const { epoch, stepEpoch } = batch!
    const outcome = { status: 'succeeded' } as const
    return { type: 'settleCall', run, batch: batch!.batch, call, outcome, result: named(call), epoch, stepEpoch, ...more } as const
  }
  const withBatch = () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    must(story, { type: 'startBatch', calls })
    return story
  }

  it('hold the next step back until all have come back, and keep the order of the calls', () => {
    const story = withBatch()
    const called = () => story.effects.flatMap(effect => (effect.type === 'tool.call' ? [effect.call.id] : []))
    expect(called()).toEqual(['b'])
    must(story, settle(story, 'c'))
    expect(called()).toEqual(['b'])
    must(story, settle(story, 'b'))
    expect(called()).toEqual(['b', 'a'])
    expect(refused(story, { type: 'startStep' })).toBe('tool_batch_unsettled')
    expect(refused(story, { type: 'startBatch', calls: [] })).toBe('tool_batch_active')
    const { history } = story.state
    must(story, settle(story, 'a'))
    expect(story.state.history.open.slice(history.open.length)).toEqual(['b', 'a', 'c'].map(named))
    must(story, { type: 'startStep' })
    expect(story.state.run!.batch).toBeNull()
  })

  it('are at most so many in one reply, whether or not the session says how many', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ id: String(n), name: 'look', arguments: named('{}') }))
    const story = startStory()
    runStory(story)
    settleStory(story)
    expect(refused(story, { type: 'startBatch', calls: many(257) })).toBe('tool_calls_too_many')
    must(story, { type: 'startBatch', calls: many(256) })
  })

  it('are settled once: a duplicate is no news, a stranger is refused', () => {
    const story = withBatch()
    must(story, settle(story, 'a'))
    expect(must(story, settle(story, 'a'))).toEqual([])
    expect(refused(story, settle(story, 'z'))).toBe('tool_call_unknown')
    expect(refused(story, settle(story, 'a', { batch: 9 }))).toBe('tool_batch_missing')
    expect(refused(story, { type: 'startBatch', calls })).toBe('tool_batch_active')
  })

  it('that come back after a cancel are stale, and the last of them ends the run', () => {
    const story = withBatch()
    receive(story, { kind: 'cancel', id: 'x', reason: 'enough' })
    expect([lifecycleOf(story.state), story.state.epoch]).toEqual(['cancelling', 1])
    for (const id of ['a', 'b']) must(story, settle(story, id))
    expect(story.events.at(-1)).toMatchObject({ type: 'tool.callSettled', call: 'b', status: 'stale' })
    expect(types(must(story, settle(story, 'c'))).at(-1)).toBe('run.cancelled')
    expect([lifecycleOf(story.state), story.state.run]).toEqual(['cancelled', null])
  })

  it('are refused when two have one id, or when they are too many', () => {
    const story = startStory({ limits: { maxSteps: null, maxCalls: 2 } })
    runStory(story)
    settleStory(story)
    expect(refused(story, { type: 'startBatch', calls })).toBe('tool_calls_too_many')
    expect(refused(story, { type: 'startBatch', calls: [calls[0]!, calls[0]!] })).toBe('tool_call_duplicate')
  })

  it('that call themselves __proto__ are calls like any other', () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    must(story, { type: 'startBatch', calls: [{ id: '__proto__', name: 'constructor', arguments: named('{}') }] })
    must(story, settle(story, '__proto__'))
    expect(JSON.parse(bytes(story)).run.batch.calls).toMatchObject([{ id: '__proto__', settled: { status: 'succeeded' } }])
  })

  it('answered for a run that is over, or for a step of another run, are refused', () => {
    const story = startStory()
    runStory(story)
    must(story, { type: 'failRun', code: 'model_failed', detail: 'no reply' })
    expect(refused(story, { type: 'settleStep', run: 1, step: 1, reply: named('late') })).toBe('run_missing')
    runStory(story)
    expect(refused(story, { type: 'settleStep', run: 1, step: 1, reply: named('late') })).toBe('run_missing')
  })
})

describe('a lease', () => {
  it('cancels a run that nobody keeps alive, counting from when it was issued', () => {
    const story = startStory()
    runStory(story)
    settleStory(story)
    must(story, { type: 'issueLease', lease: { id: 'l1', issuedAt: 1000, timeout: 50 } })
    expect(must(story, { type: 'checkLease', at: 1050 })).toEqual([])
    must(story, { type: 'renewLease', id: 'l1', at: 1040 })
    expect(must(story, { type: 'checkLease', at: 1090 })).toEqual([])
    expect(refused(story, { type: 'renewLease', id: 'l0', at: 1090 })).toBe('lease_missing')
    expect(types(must(story, { type: 'checkLease', at: 1091 }))).toEqual(['lease.expired', 'run.cancelling', 'run.cancelled'])
  })
})

describe('eight runs in one log', () => {
  it('fold again to the same bytes', () => {
    const story = startStory({ promptDigests: [named('prompt')], limits: { maxSteps: 3, maxCalls: null } })
    const ends: ((story: Story) => void)[] = [
      story => must(story, { type: 'completeRun' }),
      story => receive(story, { kind: 'cancel', id: 'x', reason: null }),
      story => must(story, { type: 'failRun', code: 'broken', detail: '' }),
      story => {
        must(story, { type: 'issueLease', lease: { id: 'l', issuedAt: 0, timeout: 1 } })
        must(story, { type: 'checkLease', at: 9 })
      },
    ]
    for (const end of [...ends, ...ends]) {
      const { run } = story.state
      expect(run).toBeNull()
      runStory(story)
      receive(story, { kind: 'steer', id: `s${story.state.runs}`, message: named('Shorter.') })
      settleStory(story)
      must(story, { type: 'startStep' })
      const frozen = story.state.run!.config
      must(story, { type: 'configure', config: config({ model: `model-${story.state.runs}`, promptDigests: [named('prompt')] }) })
      expect(story.state.run!.config).toBe(frozen)
      settleStory(story)
      end(story)
    }
    expect([story.state.runs, story.state.epoch, lifecycleOf(story.state)]).toEqual([8, 4, 'cancelled'])
    expect(canonicalJson(foldSession(story.events) as unknown as Json)).toBe(bytes(story))
  })
})

describe('a session', () => {
  it('is made once and before anything else', () => {
    const story = startStory()
    expect(refused(story, { type: 'create', session: 'writer', config: config() })).toBe('session_exists')
    const none: Story = { ...startStory(), state: foldSession([]), events: [] }
    expect(refused(none, { type: 'requestRun' })).toBe('session_missing')
    expect(none.events).toEqual([])
  })

  it('leaves events it does not know alone', () => {
    const story = startStory()
    const unknown = { type: 'weather.changed', to: 'rain' } as unknown as SessionEvent
    expect(foldSession([unknown], story.state)).toBe(story.state)
  })
})

describe('home and children', () => {
  const files = (text: string) => ({ 'prompts/packs/default.json': JSON.stringify([{ role: 'system', content: text }]) })
  const wanted = selection({ prelude: 'default' })

  it('a child begins with the config and snapshot of its home, and takes what home applies at its next step only', () => {
    const workspace = { name: 'writer', versions: [files('one')] }
    const home = startStory()
    syncStory(home, workspace, wanted)
    must(home, { type: 'requestApply' })
    must(home, { type: 'attachRun', runId: 'r1', nodeId: 'n1', session: 'child-1' })
    expect(home.events.slice(-2).map(({ type }) => type)).toEqual(['workspace.applied', 'run.attached'])
    const { config: usual, workspace: adopted } = home.state
    const child: Story = { ...startStory(), state: foldSession([]), events: [], effects: [] }
    const homeOfChild = { session: 'writer', runId: 'r1', nodeId: 'n1' }
    must(child, { type: 'create', session: 'child-1', config: usual, home: homeOfChild, snapshot: adopted.active })
    expect(child.state).toMatchObject({ home: { session: 'writer' }, workspace: { active: { version: 1 } }, history: { count: 0 } })
    expect(refused(child, { type: 'requestRun' })).toBe('session_is_child')
    runStory(child, 'Write.', { runId: 'r1', nodeId: 'n1' })
    expect(child.events.find(({ type }) => type === 'step.started')).toMatchObject({ source: 'workspace', snapshot: { version: 1 } })
    expect(refused(child, { type: 'requestSync', selection: wanted })).toBe('session_is_child')
    expect(refused(child, { type: 'requestApply' })).toBe('session_is_child')

    workspace.versions.push(files('two'))
    syncStory(home, workspace, wanted)
    must(home, { type: 'requestApply', when: 'next_step_boundary' })
    const offer = offerTo(home.state, child.state)!
    expect(home.state.offered?.sessions).toEqual(['child-1'])
    must(child, { type: 'offerSnapshot', snapshot: offer.snapshot, selection: offer.selection })
    settleStory(child)
    expect(child.state.run!.snapshot!.version).toBe(1)
    must(child, { type: 'startStep' })
    expect(child.state.run!.snapshot!.version).toBe(2)
  })

  it.each(['next_run', 'immediate_if_idle'] as const)('%s never reaches an open child', when => {
    const home = startStory()
    must(home, { type: 'attachRun', runId: 'r1', nodeId: 'n1', session: 'child-1' })
    syncStory(home, { name: 'writer', versions: [files('one')] }, wanted)
    must(home, { type: 'requestApply', when })
    expect(home.state.offered).toBeNull()
  })

  it('a place in a graph has one session', () => {
    const home = startStory()
    const place = { runId: 'r1', nodeId: 'n1' }
    must(home, { type: 'attachRun', ...place, session: 'child-1' })
    expect(refused(home, { type: 'attachRun', ...place, session: 'child-2' })).toBe('run_attached')
    must(home, { type: 'detachRun', ...place })
    expect(refused(home, { type: 'detachRun', ...place })).toBe('run_not_attached')
    expect(refused(home, { type: 'offerSnapshot', snapshot: null as never, selection: wanted })).toBe('session_not_child')
  })
})

it('every refusal has a code that a host can answer with', () => {
  const answer = (code: SessionRefusal): FaultCode => code
  expect(new Fault(answer('nothing_pending') as 'nothing_pending', { problem: 'nothing is pending: sync first' })).toMatchObject({
    status: 409,
  })
})
