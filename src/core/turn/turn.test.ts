// One turn of one agent: what may follow what, what enters the history, and how it ends. Cases of AgentOS's sessions, as ours.
import { describe, expect, it } from 'vitest'
import {
  call,
  cancelStory,
  freshTurn,
  must,
  NODE,
  named,
  settleStep,
  startStep,
  type TurnStory,
  tell,
  turnConfig,
  turnStory,
} from '../../testing/stories/turn-story.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import type { Verdict } from '../gate/authorize.ts'
import type { LeftMessage } from '../session/events.ts'
import { emptyHistory, PIECE, readHistory } from '../session/history.ts'
import type { SettleCall, TurnCommand } from './commands.ts'
import { effectKey, planTurn } from './plan.ts'
import { reduceTurn } from './reduce.ts'
import { isDenied } from './state.ts'

const EMPTY_SETTLED = {
  type: 'step.settled',
  nodeId: NODE,
  step: 1,
  receipt: null,
  failure: null,
  replyHash: null,
  tokens: null,
} as const
const bytes = ({ turn }: TurnStory) => canonicalJson(turn as unknown as Json)
const ALLOWED: Verdict = { decision: 'allowed', conditions: [] }
const WAITING: Verdict = { decision: 'waiting', conditions: [] }
const ASKS = { approval: 'approval_1', by: ['key:boss'], expiresAt: null, reason: 'a person has to approve it' }

/** The code of a refusal, after seeing that it changed nothing. */
function refused(story: TurnStory, command: TurnCommand): string {
  const before = bytes(story)
  const ruling = tell(story, command)
  expect(bytes(story)).toBe(before)
  return 'code' in ruling ? ruling.code : 'not refused'
}

const leave = (kind: LeftMessage['kind'], id: string): TurnCommand => ({ type: 'leaveMessage', message: { kind, id, message: named(id) } })
const judge = (id: string, verdict: Verdict = ALLOWED, more: object = {}): TurnCommand =>
  ({ type: 'judgeCall', call: id, verdict, again: false, mode: 'implementation', ...more }) as TurnCommand
const settle = (id: string, outcome: SettleCall['outcome'] = { status: 'succeeded' }): SettleCall => ({
  type: 'settleCall',
  call: id,
  outcome,
  result: named(`result ${id}`),
})

const asked = (fields: Parameters<typeof turnStory>[0] = {}): TurnStory => {
  const story = turnStory(fields)
  must(story, startStep(1))
  return story
}

const calling = (...ids: readonly string[]): TurnStory => {
  const story = asked()
  must(
    story,
    settleStep(
      1,
      'I look.',
      ids.map(id => call(id)),
    ),
  )
  return story
}

describe('a step', () => {
  it('is put on record with everything that it sends, and only when the one before has come back', () => {
    const story = turnStory()
    expect(must(story, startStep(1))).toEqual(['step.started'])
    expect(story.events[0]).toMatchObject({
      nodeId: NODE,
      step: 1,
      request: { user: named('Write.'), history: { count: 0 } },
      source: 'none',
    })
    expect(story.turn.history.open).toEqual([named('Write.')])
    expect(refused(story, startStep(2))).toBe('step_unsettled')
    expect(refused(story, startStep(1))).toBe('step_missing')
  })

  it.each([
    ['provider_unset', { provider: ' ' }],
    ['model_unset', { model: '\t' }],
  ])('is refused with %s', (code, fields) => {
    expect(refused(turnStory({ config: turnConfig(fields) }), startStep(1))).toBe(code)
  })

  it('without any message is refused', () => {
    expect(refused(turnStory(), startStep(1, { user: null }))).toBe('message_refs_empty')
  })

  it('beyond the limit fails the turn; null and 0 are no limit', () => {
    const story = turnStory({ config: turnConfig({ limits: { maxSteps: 1, maxCalls: null } }), steps: 1 })
    expect([must(story, startStep(2)), story.end]).toEqual([
      [],
      { status: 'failed', code: 'step_limit', detail: 'the run may take 1 steps' },
    ])
    for (const maxSteps of [null, 0])
      must(turnStory({ config: turnConfig({ limits: { maxSteps, maxCalls: maxSteps } }), steps: 40 }), startStep(41))
  })

  it('is tried again as another attempt, and settled once', () => {
    const story = asked()
    must(story, { type: 'retryStep', step: 1, code: 'busy', detail: '' })
    expect(story.turn.step).toMatchObject({ attempt: 2, settled: false })
    must(story, settleStep(1))
    expect(refused(story, settleStep(1))).toBe('step_missing')
    expect(refused(story, { type: 'retryStep', step: 1, code: 'busy', detail: '' })).toBe('step_missing')
  })

  it('takes a snapshot that reaches the turn with it', () => {
    const story = turnStory()
    const snapshot = { workspace: 'desk', version: 2, root: named('root'), index: null, prelude: null, catalog: null, legacy: false }
    must(story, startStep(1, { adopt: { snapshot, apply: 3 } }))
    expect(story.events[0]).toMatchObject({ snapshot: { version: 2 }, apply: 3 })
    expect([story.turn.snapshot, story.turn.apply]).toEqual([snapshot, 3])
  })
})

describe('a reply', () => {
  it('that asks for nothing ends the turn in the commit that it comes in with', () => {
    const story = asked()
    expect([must(story, settleStep(1)), story.end]).toEqual([['step.settled'], { status: 'completed' }])
    expect(reduceTurn(story.turn, { type: 'node.completed' }).history.open).toEqual(['Write.', 'Done.'].map(named))
  })

  it('that mail of another node follows is kept, and the next step begins; unless the turn may take no further step', () => {
    const story = asked()
    must(story, { ...settleStep(1), goesOn: true })
    expect([story.end, story.turn.history.open, planTurn(story.turn)]).toEqual([
      null,
      ['Write.', 'Done.'].map(named),
      { type: 'step.prepare', step: 2 },
    ])
    const limited = asked({ config: turnConfig({ limits: { maxSteps: 1, maxCalls: null } }) })
    must(limited, { ...settleStep(1), goesOn: true })
    expect(limited.end).toEqual({ status: 'completed' })
  })

  it('that asks for calls is kept with them', () => {
    const story = calling('1', '2')
    expect(story.events.map(({ type }) => type)).toEqual(['step.started', 'step.settled', 'calls.asked'])
    expect(story.turn.history.open).toEqual(['Write.', 'I look.'].map(named))
  })

  it('that asks for more calls than it may fails the turn and stays out of the history: its calls would have no results', () => {
    const limited = asked({ config: turnConfig({ limits: { maxSteps: null, maxCalls: 1 } }) })
    must(limited, settleStep(1, 'Both.', [call('1'), call('2')]))
    expect([limited.end, limited.turn.history.open]).toMatchObject([{ status: 'failed', code: 'tool_calls_too_many' }, [named('Write.')]])
    const many = Array.from({ length: 257 }, (_, n) => call(String(n)))
    const story = asked()
    must(story, settleStep(1, 'All.', many))
    expect(story.end).toMatchObject({ code: 'tool_calls_too_many' })
  })

  it('that never came fails the turn, unless it was interrupted or its provider has lost the conversation', () => {
    const story = asked()
    must(story, settleStep(1, null))
    expect(story.end).toEqual({ status: 'failed', code: 'provider_failed', detail: 'no reply' })
    const interrupted = asked()
    must(interrupted, leave('interrupt', 'stop'))
    must(interrupted, settleStep(1, null))
    expect([interrupted.end, planTurn(interrupted.turn)]).toEqual([null, { type: 'step.prepare', step: 2 }])
    const lost = asked()
    must(lost, { ...settleStep(1, null), failure: { code: 'conversation_lost', detail: '' } })
    expect([lost.end, planTurn(lost.turn)]).toEqual([null, { type: 'step.prepare', step: 2 }])
  })

  it('that does not fit its schema fails the turn, or does not, as the verdict on record says', () => {
    const reply = (onMisfit: 'fail' | 'warn') => {
      const story = asked()
      const settled = settleStep(1)
      must(story, { ...settled, read: { ...settled.read!, misfit: { detail: 'it is a poem', onMisfit } } })
      return story.end
    }
    expect(reply('fail')).toEqual({ status: 'failed', code: 'reply_misfit', detail: 'it is a poem' })
    expect(reply('warn')).toEqual({ status: 'completed' })
  })

  it.each([
    ['reply_misfit', ['Write.', 'Done.']],
    ['broken', ['Write.']],
  ])('of a turn that failed with %s leaves in the history: %j', (code, messages) => {
    const story = asked({ interactive: true })
    const settled = settleStep(1)
    const read = { ...settled.read!, misfit: { detail: 'it is a poem', onMisfit: 'fail' } as const }
    const open = reduceTurn(story.turn, { ...EMPTY_SETTLED, reply: read.reply, misfit: read.misfit })
    const failed = reduceTurn(open, { type: 'node.failed', code })
    expect(failed.history.open).toEqual(messages.map(named))
    // A reply that was kept before is not kept twice.
    must(story, { ...settled, read })
    expect(reduceTurn(story.turn, { type: 'node.failed', code }).history.open).toEqual(['Write.', 'Done.'].map(named))
  })

  it('to another step than the open one is refused', () => {
    const story = asked()
    for (const step of [0, 2]) {
      expect(refused(story, settleStep(step))).toBe('step_missing')
      expect(refused(story, { type: 'retryStep', step, code: 'busy', detail: '' })).toBe('step_missing')
    }
  })
})

describe('messages that are left', () => {
  it('steer the next step, one at a time; interrupts come first, all of them', () => {
    const story = calling('1')
    for (const [kind, id] of [
      ['steer', 's1'],
      ['steer', 's2'],
      ['interrupt', 'i1'],
      ['interrupt', 'i2'],
    ] as const)
      must(story, leave(kind, id))
    must(story, judge('1'))
    must(story, settle('1'))
    expect(must(story, startStep(2, { user: null }))).toEqual(['message.taken', 'message.taken', 'message.taken', 'step.started'])
    expect(story.turn.history.open.slice(-3)).toEqual(['i1', 'i2', 's1'].map(named))
    expect(story.turn.left.map(({ id }) => id)).toEqual(['s2'])
  })

  it('follow up when the turn would end, and at once when it waits', () => {
    const story = asked()
    must(story, leave('follow-up', 'f1'))
    expect(must(story, settleStep(1))).toEqual(['step.settled', 'node.waiting', 'message.taken', 'node.resumed'])
    expect([story.end, story.turn.phase, story.turn.left]).toEqual([null, 'running', []])
    const talk = asked({ interactive: true })
    expect(must(talk, settleStep(1))).toEqual(['step.settled', 'node.waiting'])
    expect(must(talk, leave('steer', 's1'))).toEqual(['message.received'])
    expect(must(talk, leave('follow-up', 'f1'))).toEqual(['message.received', 'message.taken', 'node.resumed'])
    expect(talk.turn.history.open).toEqual(['Write.', 'Done.', 'f1'].map(named))
  })

  it('are taken once: a second one with the same id is refused', () => {
    const story = asked()
    must(story, leave('steer', 's1'))
    expect(refused(story, leave('interrupt', 's1'))).toBe('command_duplicate')
  })

  it('that wait while a turn is cancelled stay left: its session keeps them for the next run', () => {
    const story = asked()
    for (const [kind, id] of [
      ['interrupt', 'i'],
      ['steer', 's'],
      ['follow-up', 'f'],
    ] as const)
      must(story, leave(kind, id))
    cancelStory(story)
    must(story, leave('follow-up', 'late'))
    must(story, settleStep(1))
    expect([story.end, story.turn.left.map(({ id }) => id)]).toEqual([{ status: 'cancelled' }, ['i', 's', 'f', 'late']])
  })

  it('can be left again under an id that was taken', () => {
    const story = asked({ interactive: true })
    must(story, settleStep(1))
    must(story, leave('follow-up', 'f1'))
    expect(must(story, leave('follow-up', 'f1'))).toEqual(['message.received'])
  })

  it('interrupt before they follow up, when both wait for the end of a reply', () => {
    const story = asked()
    for (const [kind, id] of [
      ['follow-up', 'f1'],
      ['interrupt', 'i1'],
      ['interrupt', 'i2'],
    ] as const)
      must(story, leave(kind, id))
    must(story, settleStep(1))
    expect(story.turn.history.open).toEqual(['Write.', 'Done.', 'i1', 'i2'].map(named))
    must(story, startStep(2, { user: null }))
    must(story, settleStep(2, 'More.'))
    expect(story.turn.history.open.slice(-2)).toEqual(['More.', 'f1'].map(named))
  })

  it('complete an interactive turn when its client says so', () => {
    const story = asked({ interactive: true })
    expect(refused(story, { type: 'complete' })).toBe('step_unsettled')
    must(story, settleStep(1))
    must(story, { type: 'complete' })
    expect(story.end).toEqual({ status: 'completed' })
  })
})

describe('calls', () => {
  it('are made one after the other, and hold the next step back until all have come back, in the order of the reply', () => {
    const story = calling('b', 'a', 'c')
    const next = () => {
      const effect = planTurn(story.turn)
      return effect?.type === 'tool.call' ? effect.call.id : effect?.type
    }
    expect(next()).toBe('b')
    must(story, judge('b'))
    must(story, settle('c', { status: 'cancelled' }))
    expect(next()).toBe('b')
    must(story, settle('b'))
    expect([next(), refused(story, startStep(2))]).toEqual(['a', 'tool_batch_unsettled'])
    must(story, judge('a'))
    must(story, settle('a'))
    expect(story.turn.history.open.slice(-3)).toEqual(['b', 'a', 'c'].map(id => named(`result ${id}`)))
    expect(next()).toBe('step.prepare')
  })

  it('are settled once: a duplicate changes nothing, a stranger is refused', () => {
    const story = calling('1', '2')
    must(story, judge('1'))
    must(story, settle('1'))
    expect(must(story, settle('1'))).toEqual([])
    expect(refused(story, settle('z'))).toBe('tool_call_unknown')
    expect(refused(story, judge('1'))).toBe('tool_call_unknown')
  })

  it('that were started are judged again only where they may be done again', () => {
    const story = calling('1')
    must(story, judge('1'))
    expect(refused(story, judge('1'))).toBe('tool_call_unknown')
    must(story, judge('1', ALLOWED, { again: true }))
  })

  it('that wait for a person are nobody’s work until one has answered, and are made with the changed arguments', () => {
    const story = calling('1')
    expect(must(story, judge('1', WAITING, { asks: ASKS }))).toEqual(['call.judged', 'approval.requested'])
    expect([planTurn(story.turn), refused(story, judge('1'))]).toEqual([null, 'tool_call_unknown'])
    const answer = {
      type: 'answerApproval',
      approval: 'approval_1',
      decision: 'approved',
      note: null,
      arguments: named('changed'),
    } as const
    expect(refused(story, { ...answer, by: 'key:clerk' })).toBe('approval_not_yours')
    expect(refused(story, { ...answer, approval: 'approval_2', by: 'key:boss' })).toBe('approval_missing')
    must(story, { ...answer, by: 'key:boss' })
    expect(planTurn(story.turn)).toMatchObject({ type: 'tool.call', call: { id: '1' } })
    must(story, judge('1'))
    must(story, settle('1'))
    expect(story.events.at(-1)).toMatchObject({ type: 'call.settled', arguments: named('changed'), status: 'succeeded' })
  })

  it.each(['denied', 'yes', ''])('an answer %j is a no', decision => {
    const story = calling('1')
    must(story, judge('1', WAITING, { asks: ASKS }))
    must(story, {
      type: 'answerApproval',
      approval: 'approval_1',
      decision: decision as 'denied',
      by: 'key:boss',
      note: null,
      arguments: named('x'),
    })
    expect(story.turn.calls[0]!.approval).toMatchObject({ decision: 'denied', changed: null })
  })

  it('that end while a person is asked close their own approval, and no other', () => {
    const story = calling('1', '2')
    must(story, judge('1', WAITING, { asks: ASKS }))
    must(story, judge('2', WAITING, { asks: { ...ASKS, approval: 'approval_2' } }))
    expect(must(story, settle('2', { status: 'cancelled' }))).toEqual(['approval.resolved', 'call.settled'])
    expect(story.events.at(-2)).toMatchObject({
      approval: 'approval_2',
      decision: 'denied',
      answeredBy: 'onbook',
      note: 'the call is over',
    })
    expect(story.turn.calls[0]!.approval).toMatchObject({ decision: null })
  })

  it('are asked about once: a second waiting verdict after the answer asks nobody', () => {
    const story = calling('1')
    must(story, judge('1', WAITING, { asks: ASKS }))
    must(story, { type: 'answerApproval', approval: 'approval_1', decision: 'expired', by: 'onbook', note: null, arguments: null })
    expect(must(story, judge('1', WAITING, { asks: { ...ASKS, approval: 'approval_2' } }))).toEqual(['call.judged'])
    expect(isDenied(story.turn, '1')).toBe(true)
  })

  it('after one that a person denied are denied too; those before are not', () => {
    const story = calling('1', '2', '3')
    must(story, judge('2', WAITING, { asks: ASKS }))
    must(story, { type: 'answerApproval', approval: 'approval_1', decision: 'denied', by: 'key:boss', note: 'No.', arguments: null })
    expect(['1', '2', '3'].map(id => isDenied(story.turn, id))).toEqual([false, true, true])
  })

  it('that were refused are not started: the model gets the reason as the result', () => {
    const story = calling('1')
    must(story, judge('1', { decision: 'refused', conditions: [] }))
    expect([story.turn.calls[0]!.started, planTurn(story.turn)]).toMatchObject([false, { type: 'tool.call', call: { id: '1' } }])
  })

  it('without an outcome keep the turn from failing: settle them first', () => {
    const story = calling('1')
    expect(refused(story, { type: 'fail', code: 'broken', detail: '' })).toBe('tool_batch_unsettled')
  })

  it('that call themselves __proto__ are calls like any other', () => {
    const story = calling('__proto__')
    must(story, judge('__proto__'))
    must(story, settle('__proto__'))
    expect(JSON.parse(bytes(story)).calls).toMatchObject([{ id: '__proto__', settled: { status: 'succeeded' } }])
  })
})

describe('a run that is cancelled', () => {
  it('ends a turn that has nothing under way at once', () => {
    const story = asked({ interactive: true })
    must(story, settleStep(1))
    expect([cancelStory(story), story.end]).toEqual([[], { status: 'cancelled' }])
  })

  it('waits for everything that was started; results that come late are stale', () => {
    const story = calling('1', '2')
    must(story, judge('1'))
    expect([cancelStory(story), story.end]).toEqual([[], null])
    must(story, settle('1'))
    expect(story.events.at(-1)).toMatchObject({ call: '1', status: 'stale' })
    expect(refused(story, judge('2'))).toBe('tool_call_unknown')
    must(story, settle('2', { status: 'cancelled' }))
    expect([story.events.at(-1), story.end]).toMatchObject([{ call: '2', status: 'cancelled' }, { status: 'cancelled' }])
  })

  it('asks nobody any more, and asks no model again', () => {
    const story = calling('1')
    must(story, judge('1', WAITING, { asks: ASKS }))
    expect(cancelStory(story)).toEqual(['approval.resolved'])
    const open = asked()
    cancelStory(open)
    must(open, settleStep(1, 'Late.'))
    expect([open.end, open.turn.history.open]).toEqual([{ status: 'cancelled' }, [named('Write.')]])
    expect(refused(open, startStep(2))).toBe('run_not_running')
    const retried = asked()
    cancelStory(retried)
    expect(refused(retried, { type: 'retryStep', step: 1, code: 'busy', detail: '' })).toBe('run_not_running')
    expect(refused(retried, { type: 'complete' })).toBe('run_not_running')
  })
})

describe('the work of a turn', () => {
  const work = ({ turn }: TurnStory) => {
    const effect = planTurn(turn)
    return effect === null ? null : effectKey(effect)
  }

  it('is one piece at a time, each once, and never before the piece that it needs', () => {
    const story = turnStory({ interactive: true })
    expect(work(story)).toBe('prepare 1')
    must(story, startStep(1))
    expect(work(story)).toBe('model 1 1')
    must(story, { type: 'retryStep', step: 1, code: 'busy', detail: '' })
    expect(work(story)).toBe('model 1 2')
    must(story, settleStep(1, 'I look.', [call('a'), call('b')]))
    expect(work(story)).toBe('tool 1 a ')
    must(story, judge('a', WAITING, { asks: ASKS }))
    expect(work(story)).toBeNull()
    must(story, { type: 'answerApproval', approval: 'approval_1', decision: 'approved', by: 'key:boss', note: null, arguments: null })
    expect(work(story)).toBe('tool 1 a approved')
    must(story, settle('a'))
    expect(work(story)).toBe('tool 1 b ')
    must(story, settle('b'))
    expect(work(story)).toBe('prepare 2')
    must(story, startStep(2, { user: null }))
    must(story, settleStep(2))
    expect(work(story)).toBeNull()
    must(story, leave('follow-up', 'f1'))
    expect(work(story)).toBe('prepare 3')
  })

  it('of a cancelled turn is to settle what was started, and no new step', () => {
    const story = calling('1', '2')
    cancelStory(story)
    expect(work(story)).toBe('tool 1 1 ')
    must(story, settle('1'))
    expect(work(story)).toBe('tool 1 2 ')
    must(story, settle('2'))
    expect(work(story)).toBeNull()
  })
})

it('a history is read from its head, however many messages one commit adds', () => {
  const story = asked()
  const calls = Array.from({ length: 2 * PIECE + 3 }, (_, n) => call(String(n)))
  must(story, settleStep(1, 'All.', calls))
  for (const { id } of calls) {
    must(story, judge(id))
    must(story, settle(id))
  }
  must(story, startStep(2, { user: null }))
  const started = story.events.at(-1)!
  if (started.type !== 'step.started') throw new Error('no step')
  const read = readHistory(started.request.history, digest => story.objects.get(digest) ?? null)
  expect(read).toEqual(['Write.', 'All.', ...calls.map(({ id }) => `result ${id}`)].map(named))
})

it('the same events fold to the same bytes', () => {
  const story = calling('1', '2')
  must(story, leave('steer', 's'))
  for (const id of ['1', '2']) {
    must(story, judge(id))
    must(story, settle(id, { status: 'failed', code: 'broken', detail: 'it broke' }))
  }
  must(story, startStep(2, { user: null }))
  const folded = story.events.reduce(reduceTurn, freshTurn({ history: emptyHistory }))
  expect(canonicalJson(folded as unknown as Json)).toBe(bytes(story))
})
