// Sessions: config, runs that attach and detach, messages that are left, and the transcript. Cases of AgentOS (sections A, E and I), as ours.
// Steps, calls, approvals and interrupts are cases of core/turn. Where we decided otherwise:
//
// | AgentOS                                                     | here                                                            | because            |
// |-------------------------------------------------------------|-----------------------------------------------------------------|--------------------|
// | a run takes an approved snapshot when it is requested       | when it is attached, in the commit with its first step          | decisions 4, 7, 19 |
// | a requested sync overwrites the session's defaults          | the selection stays with the snapshot until it is applied       | decision 4         |
// | an invalid snapshot is an error and fails again in replay   | `workspace.syncFailed` with stage and code; nothing moves       | decision 10        |
// | apply may be requested before anything is there             | refused: nothing is pending                                     | decision 7         |
// | apply when idle, requested during a run, may never happen   | deferred: the next run                                          | decision 7         |
// | apply at a step that never comes waits for a second step    | the next run takes it                                           | decision 7         |
// | unchanged compares versions and moves the version it has    | compares content; a snapshot is frozen                          | decision 9, HOUSE  |
// | steps and calls are events of the session                   | events of the run; the session has the messages                 | decision 19        |
// | a run that waits for input cannot be paused or cancelled    | it can: its run is                                              | fact sheet §7, WF  |
import { describe, expect, it } from 'vitest'
import { Fault, type FaultCode } from '../../errors.ts'
import { endRun, nextStep, replyWithCall, startRun } from '../../testing/stories/session-run.ts'
import {
  blankStory,
  config,
  must,
  named,
  PLACE,
  type Story,
  selection,
  startStory,
  syncStory,
  tell,
} from '../../testing/stories/session-story.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import { adoptedAtStep } from './apply.ts'
import { comingConfig, comingSnapshot } from './coming-snapshot.ts'
import type { SessionCommand } from './commands.ts'
import type { SessionRefusal } from './draft.ts'
import type { LeftMessage, SessionEvent } from './events.ts'
import { historyHead, PIECE, readHistory } from './history.ts'
import { foldSession } from './reduce.ts'

const types = (events: readonly SessionEvent[]) => events.map(({ type }) => type)
const bytes = ({ state }: Story) => canonicalJson(state as unknown as Json)
const message = (kind: LeftMessage['kind'], id: string): LeftMessage => ({ kind, id, message: named(id) })
const ids = ({ state: { left } }: Story) => left.map(({ id }) => id)
const ATTACH: SessionCommand = { type: 'attachRun', ...PLACE }
const detach = (...left: readonly LeftMessage[]): SessionCommand => ({ type: 'detachRun', ...PLACE, left })

/** The code of a refusal, after a check that it changed nothing. */
function refused(story: Story, command: SessionCommand): string {
  const before = bytes(story)
  const decided = tell(story, command)
  expect(bytes(story)).toBe(before)
  return decided.ok ? 'not refused' : decided.code
}

/** All messages of the transcript, read from its head with the stored objects. */
function transcript({ state, objects }: Story): readonly string[] | null {
  const { stored, ...head } = historyHead(state.history)
  return readHistory(head, digest => (digest === stored?.digest ? stored.text : (objects.get(digest) ?? null)))
}

describe('a session', () => {
  it('is created once and before anything else', () => {
    const story = startStory()
    expect(refused(story, { type: 'create', session: 'writer', config: config() })).toBe('session_exists')
    const none = blankStory()
    const commands: readonly SessionCommand[] = [
      ATTACH,
      detach(),
      { type: 'configure', config: config() },
      { type: 'beginRun' },
      { type: 'reachStep', isOwn: true },
      { type: 'appendMessages', messages: [named('x')] },
      { type: 'leaveMessage', message: message('steer', 's') },
      { type: 'requestSync', selection: selection() },
      { type: 'requestApply' },
      { type: 'refuseRun', stage: 'resolve', code: 'x', detail: '' },
    ]
    for (const command of commands) expect([command.type, refused(none, command)]).toEqual([command.type, 'session_missing'])
    expect(refused(none, { type: 'create', session: '', config: config() })).toBe('name_invalid')
    expect(none.events).toEqual([])
  })

  it('names its agent, where it has one', () => {
    const story = blankStory()
    must(story, { type: 'create', session: 'writer', agentId: 'core.writer', config: config() })
    expect([story.state.agentId, startStory().state.agentId]).toEqual(['core.writer', null])
  })

  it('records a refusal, and a refused apply with its request', () => {
    const story = startStory()
    expect(refused(story, detach())).toBe('run_not_attached')
    expect(story.events.at(-1)).toMatchObject({ type: 'session.refused', command: 'detachRun', code: 'run_not_attached' })
    expect(refused(story, { type: 'requestApply', when: 'next_step_boundary' })).toBe('nothing_pending')
    expect(story.events.slice(-2)).toMatchObject([
      { type: 'workspace.applyRequested', when: 'next_step_boundary' },
      { type: 'workspace.refused', when: 'next_step_boundary', code: 'nothing_pending' },
    ])
  })

  it('leaves events of other kinds alone', () => {
    const story = startStory()
    for (const type of ['weather.changed', 'step.started', 'call.settled', 'run.completed'])
      expect(foldSession([{ type } as unknown as SessionEvent], story.state)).toBe(story.state)
  })
})

describe('a run in a session', () => {
  it('keeps the config that it started with, whatever the session is configured to since', () => {
    const story = startStory()
    const run = startRun(story)
    must(story, { type: 'configure', config: config({ provider: 'third' }) })
    replyWithCall(run)
    expect(nextStep(run).request.parameters).toMatchObject({ provider: 'scripted', model: 'small' })
    expect(story.state.config.provider).toBe('third')
    endRun(run)
    expect(startRun(story).turn.events[0]).toMatchObject({ type: 'step.started', request: { parameters: { provider: 'third' } } })
  })

  it('takes the digests that the session is configured with', () => {
    const promptDigests = [named('a'), named('b')]
    const story = startStory({ promptDigests })
    const { turn } = startRun(story)
    expect(turn.events[0]).toMatchObject({ source: 'direct', request: { prelude: promptDigests } })
  })

  it('takes its own config as a whole, not field by field', () => {
    const story = startStory({ promptDigests: [named('a')], toolDigests: [named('t')] })
    const { turn } = startRun(story, { config: config() })
    expect(turn.events[0]).toMatchObject({ source: 'none', request: { prelude: [], tools: null } })
  })

  it('is one at a time, and counts from 1', () => {
    const story = startStory()
    expect(must(story, ATTACH)).toEqual([{ type: 'run.attached', run: 1, ...PLACE }])
    expect(refused(story, ATTACH)).toBe('run_already_active')
    expect(refused(story, { ...PLACE, type: 'attachRun', runId: 'run-2' })).toBe('run_already_active')
    expect(must(story, detach())).toEqual([{ type: 'run.detached', run: 1, ...PLACE }])
    must(story, ATTACH)
    expect([story.state.runs, story.state.open]).toEqual([2, { run: 2, ...PLACE }])
  })

  it('is detached by its own node only, and once', () => {
    const story = startStory()
    must(story, ATTACH)
    expect(refused(story, { type: 'detachRun', ...PLACE, nodeId: 'critic', left: [] })).toBe('run_not_attached')
    expect(refused(story, { type: 'detachRun', ...PLACE, runId: 'run-2', left: [] })).toBe('run_not_attached')
    must(story, detach())
    expect(refused(story, detach())).toBe('run_not_attached')
  })

  it('that was refused is counted, and shown until another starts', () => {
    const story = startStory()
    must(story, { type: 'refuseRun', stage: 'prelude', code: 'file_missing', detail: 'writer has no x' })
    expect(story.state).toMatchObject({ runs: 1, open: null, refused: { run: 1, stage: 'prelude', code: 'file_missing' } })
    must(story, ATTACH)
    expect(story.state).toMatchObject({ runs: 2, refused: null, open: { run: 2 } })
  })

  it('that was refused while another works there does not end that one', () => {
    const story = startStory()
    must(story, ATTACH)
    must(story, { type: 'refuseRun', stage: 'resolve', code: 'workspace_missing', detail: '' })
    expect(story.state).toMatchObject({ runs: 2, open: { run: 1 }, refused: { run: 2 } })
    must(story, detach())
    must(story, ATTACH)
    expect(story.state.open).toMatchObject({ run: 3 })
  })
})

describe('messages that are left', () => {
  it('wait for the next run, which takes over all of them in order', () => {
    const story = startStory()
    for (const one of [message('follow-up', 'f1'), message('steer', 's1'), message('interrupt', 'i1')])
      expect(types(must(story, { type: 'leaveMessage', message: one }))).toEqual(['message.left'])
    expect(ids(story)).toEqual(['f1', 's1', 'i1'])
    expect(must(story, ATTACH)).toMatchObject([{ type: 'run.attached' }, { type: 'messages.handedOver', ids: ['f1', 's1', 'i1'] }])
    expect(ids(story)).toEqual([])
  })

  it('are in the turn of that run, which takes them as its own', () => {
    const story = startStory()
    for (const one of [message('steer', 's1'), message('follow-up', 'f1')]) must(story, { type: 'leaveMessage', message: one })
    const run = startRun(story)
    expect(run.turn.turn.left.map(({ id }) => id)).toEqual(['f1'])
    expect(transcript(story)).toEqual(['s1', 'Write.'].map(named))
  })

  it('are left again when the run ends before it takes them', () => {
    const story = startStory()
    must(story, { type: 'leaveMessage', message: message('follow-up', 'f1') })
    must(story, ATTACH)
    expect(types(must(story, detach(message('follow-up', 'f1'), message('steer', 's2'))))).toEqual([
      'run.detached',
      'message.left',
      'message.left',
    ])
    expect(ids(story)).toEqual(['f1', 's2'])
    must(story, ATTACH)
    expect(ids(story)).toEqual([])
  })

  it('are taken once: a second one with an id that waits is refused, whatever its kind', () => {
    const story = startStory()
    must(story, { type: 'leaveMessage', message: message('steer', 's1') })
    expect(refused(story, { type: 'leaveMessage', message: message('interrupt', 's1') })).toBe('command_duplicate')
    must(story, ATTACH)
    must(story, detach())
    must(story, { type: 'leaveMessage', message: message('steer', 's1') })
  })

  it('that an event does not name as handed over still wait', () => {
    const story = startStory()
    for (const id of ['s1', 's2']) must(story, { type: 'leaveMessage', message: message('steer', id) })
    expect(foldSession([{ type: 'messages.handedOver', ids: ['s1'] }], story.state).left).toEqual([message('steer', 's2')])
  })

  it('hand over nothing where nothing was left', () => {
    const story = startStory()
    expect(types(must(story, ATTACH))).toEqual(['run.attached'])
  })
})

describe('the transcript', () => {
  it('has the messages of every run, in order', () => {
    const story = startStory()
    const first = startRun(story)
    replyWithCall(first)
    nextStep(first)
    endRun(first)
    endRun(startRun(story))
    expect(transcript(story)).toEqual(['Write.', 'I look.', 'seen', 'Done.', 'Write.', 'Done.'].map(named))
  })

  it('is the history of the turn that works there, message by message', () => {
    const story = startStory()
    endRun(startRun(story))
    const run = startRun(story)
    expect(run.turn.turn.history).toEqual(story.state.history)
    replyWithCall(run)
    expect(run.turn.turn.history).toEqual(story.state.history)
    nextStep(run)
    endRun(run)
    expect(run.turn.turn.history).toEqual(story.state.history)
  })

  it('can be read from its head however many messages one command appends', () => {
    const story = startStory()
    const messages = Array.from({ length: 2 * PIECE + 3 }, (_, n) => named(String(n)))
    must(story, { type: 'appendMessages', messages: messages.slice(0, 5) })
    must(story, { type: 'appendMessages', messages: messages.slice(5) })
    expect(transcript(story)).toEqual(messages)
    expect(story.objects.size).toBe(2)
  })

  it('takes no event for no messages', () => {
    expect(must(startStory(), { type: 'appendMessages', messages: [] })).toEqual([])
  })
})

describe('eight runs in one session', () => {
  it('fold again to the same bytes, from any of the events on', () => {
    const story = startStory({ promptDigests: [named('prompt')] })
    const workspace = { name: 'writer', versions: [] as Record<string, string>[] }
    for (let n = 1; n <= 8; n++) {
      must(story, { type: 'leaveMessage', message: message('steer', `s${n}`) })
      const run = startRun(story)
      must(story, { type: 'configure', config: config({ model: `model-${n}`, promptDigests: [named('prompt')] }) })
      replyWithCall(run)
      workspace.versions.push({ 'agent.workspace.json': `{"schema_version": 1, "$schema": "version ${n}"}` })
      syncStory(story, workspace, selection())
      must(story, { type: 'requestApply', when: (['next_run', 'next_step_boundary', 'immediate_if_idle'] as const)[n % 3]! })
      nextStep(run)
      if (n % 4 === 0) must(story, { type: 'refuseRun', stage: 'resolve', code: 'x', detail: '' })
      endRun(run)
    }
    expect(story.state).toMatchObject({ runs: 10, syncs: 8, open: null, left: [] })
    for (const at of story.events.keys()) {
      const checkpoint = JSON.parse(JSON.stringify(foldSession(story.events.slice(0, at))))
      expect(canonicalJson(foldSession(story.events.slice(at), checkpoint) as unknown as Json)).toBe(bytes(story))
    }
  })
})

describe('a home session, and nodes whose agent has its home there', () => {
  const files = (text: string) => ({ 'prompts/packs/default.json': JSON.stringify([{ role: 'system', content: text }]) })
  const wanted = selection({ prelude: 'default' })
  const withVersion = (): { story: Story; workspace: { name: string; versions: Record<string, string>[] } } => {
    const workspace = { name: 'writer', versions: [files('one')] }
    const story = startStory()
    syncStory(story, workspace, wanted)
    must(story, { type: 'requestApply' })
    return { story, workspace }
  }

  it('a node starts with the config and the snapshot that are due, and says nothing there', () => {
    const { story } = withVersion()
    const coming = { config: comingConfig(story.state), snapshot: comingSnapshot(story.state)?.snapshot }
    expect(coming).toMatchObject({ config: { prelude: 'default' }, snapshot: { version: 1 } })
    expect(types(must(story, { type: 'beginRun' }))).toEqual(['workspace.applied'])
    expect(story.state).toMatchObject({ runs: 0, open: null, workspace: { active: { version: 1 } }, history: { count: 0 } })
    expect(must(story, { type: 'beginRun' })).toEqual([])
  })

  it('a node at work takes a snapshot that is applied at a step boundary with its next step, and once', () => {
    const { story, workspace } = withVersion()
    must(story, { type: 'beginRun' })
    const turn = { apply: story.state.workspace.applies }
    workspace.versions.push(files('two'))
    syncStory(story, workspace, wanted)
    expect(adoptedAtStep(story.state, turn, false)).toBeNull()
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    expect(must(story, { type: 'reachStep', isOwn: false })).toEqual([])
    const adopted = adoptedAtStep(story.state, turn, false)!
    expect(adopted).toMatchObject({ snapshot: { version: 2 }, apply: 2 })
    expect(adoptedAtStep(story.state, adopted, false)).toBeNull()
  })

  it.each(['next_run', 'immediate_if_idle'] as const)('%s never reaches a node at work', when => {
    const { story, workspace } = withVersion()
    must(story, { type: 'beginRun' })
    const turn = { apply: story.state.workspace.applies }
    workspace.versions.push(files('two'))
    syncStory(story, workspace, wanted)
    must(story, { type: 'requestApply', when })
    must(story, { type: 'beginRun' })
    expect([story.state.workspace.active?.version, adoptedAtStep(story.state, turn, false)]).toEqual([2, null])
  })

  it('a snapshot that waits for a step of the run in the session is not applied by a node that works elsewhere', () => {
    const { story, workspace } = withVersion()
    must(story, ATTACH)
    workspace.versions.push(files('two'))
    syncStory(story, workspace, wanted)
    must(story, { type: 'requestApply', when: 'next_step_boundary' })
    expect([must(story, { type: 'reachStep', isOwn: false }), must(story, { type: 'beginRun' })]).toEqual([[], []])
    expect(adoptedAtStep(story.state, { apply: 1 }, false)).toBeNull()
    expect(must(story, { type: 'reachStep', isOwn: true })).toMatchObject([{ type: 'workspace.applied', at: 'step', reaches: true }])
    expect(adoptedAtStep(story.state, { apply: 1 }, false)).toMatchObject({ snapshot: { version: 2 }, apply: 2 })
  })
})

it('every refusal has a code that a host can answer with', () => {
  const answer = (code: SessionRefusal): FaultCode => code
  expect(new Fault(answer('nothing_pending') as 'nothing_pending', { problem: 'nothing is pending: sync first' })).toMatchObject({
    status: 409,
  })
})
