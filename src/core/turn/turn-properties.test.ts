// Rules that hold for every turn, with every command in every order.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import {
  call,
  cancelStory,
  endStory,
  freshTurn,
  NODE,
  named,
  settleStep,
  startStep,
  type TurnStory,
  tell,
  turnConfig,
  turnStory,
} from '../../testing/stories/turn-story.ts'
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import { referencesIn } from '../record/references.ts'
import type { LeftMessage } from '../session/events.ts'
import { appendMessage, emptyHistory, historyHead, readHistory } from '../session/history.ts'
import type { TurnCommand } from './commands.ts'
import { cancelTurn, decideTurn } from './decide.ts'
import { draftTurn, type TurnRuling } from './draft.ts'
import type { TurnEvent } from './events.ts'
import { type MessageEvent, messagesAdded } from './messages.ts'
import { planTurn } from './plan.ts'
import { reduceTurn } from './reduce.ts'
import { callInTurn, isAsked, type Turn } from './state.ts'

/** A command for the turn as it is: most fit, some do not. `n` varies the content. */
type Ask = (turn: Turn, n: number) => TurnCommand

const KINDS: readonly LeftMessage['kind'][] = ['steer', 'interrupt', 'follow-up']
const DECISIONS = ['approved', 'denied', 'expired'] as const
const openStep = ({ step }: Turn): number => step?.step ?? 1
const anyCall = ({ calls }: Turn, n: number): string => (n % 9 === 0 ? 'stranger' : (calls[n % Math.max(1, calls.length)]?.id ?? '1'))
const snapshotOf = (n: number) => ({
  workspace: 'w',
  version: n,
  root: named(`root ${n}`),
  index: null,
  prelude: null,
  catalog: null,
  legacy: false,
})

const ASKS: Readonly<Record<string, Ask>> = {
  startStep: ({ steps }, n) =>
    startStep(n % 11 === 0 ? steps : steps + 1, { user: n % 3 === 0 ? null : named(`user ${n}`), system: named('system') }),
  adoptStep: ({ steps, apply }, n) => startStep(steps + 1, { adopt: { snapshot: snapshotOf(n), apply: apply + 1 } }),
  retryStep: (turn, n) => ({ type: 'retryStep', step: openStep(turn) + (n % 7 === 0 ? 1 : 0), code: 'timeout', detail: '' }),
  reply: (turn, n) => settleStep(openStep(turn), `reply ${turn.steps} ${n}`),
  mail: (turn, n) => ({ ...settleStep(openStep(turn), `reply ${turn.steps} ${n}`), goesOn: true }),
  misfit: (turn, n) => {
    const settled = settleStep(openStep(turn), `reply ${turn.steps} ${n}`)
    return { ...settled, read: { ...settled.read!, misfit: { detail: 'it is a poem', onMisfit: n % 2 === 0 ? 'fail' : 'warn' } } }
  },
  calls: (turn, n) =>
    settleStep(
      openStep(turn),
      `calls ${turn.steps} ${n}`,
      Array.from({ length: (n % 4) + 1 }, (_, at) => call(String(at + 1))),
    ),
  noReply: (turn, n) => ({
    ...settleStep(openStep(turn), null),
    failure: n % 3 === 0 ? null : { code: n % 3 === 1 ? 'conversation_lost' : 'provider_failed', detail: '' },
  }),
  judge: (turn, n) => ({
    type: 'judgeCall',
    call: anyCall(turn, n),
    verdict: { decision: 'allowed', conditions: [] },
    again: n % 2 === 0,
    mode: null,
  }),
  refuse: (turn, n) => ({
    type: 'judgeCall',
    call: anyCall(turn, n),
    verdict: { decision: 'refused', conditions: [] },
    again: false,
    mode: null,
  }),
  ask: (turn, n) => ({
    type: 'judgeCall',
    call: anyCall(turn, n),
    verdict: { decision: 'waiting', conditions: [] },
    again: false,
    mode: null,
    asks: { approval: `approval ${turn.steps} ${anyCall(turn, n)}`, by: n % 2 === 0 ? null : ['key:boss'], expiresAt: null, reason: '' },
  }),
  answer: (turn, n) => ({
    type: 'answerApproval',
    approval: turn.calls.find(isAsked)?.approval?.approval ?? 'none',
    decision: DECISIONS[n % 3]!,
    by: n % 5 === 0 ? 'key:clerk' : 'key:boss',
    note: null,
    arguments: n % 2 === 0 ? named(`changed ${n}`) : null,
  }),
  settleCall: (turn, n) => ({
    type: 'settleCall',
    call: anyCall(turn, n),
    outcome: n % 4 === 0 ? { status: 'failed', code: 'broken', detail: '' } : { status: 'succeeded' },
    result: named(`result ${turn.steps} ${anyCall(turn, n)}`),
  }),
  leave: ({ steps }, n) => ({
    type: 'leaveMessage',
    message: { kind: KINDS[n % 3]!, id: `m${steps}-${n}`, message: named(`message ${steps} ${n}`) },
  }),
  complete: () => ({ type: 'complete' }),
  fail: () => ({ type: 'fail', code: 'broken', detail: '' }),
}

/** The command that answers the work of the turn: without it most walks are refusals. */
const GO_ON: Ask = (turn, n) => {
  const effect = planTurn(turn)
  if (effect?.type === 'step.prepare') return ASKS.startStep!(turn, n % 11 === 0 ? 1 : n)
  if (effect?.type === 'model.call') return ASKS[n % 3 === 0 ? 'reply' : 'calls']!(turn, n)
  const open = callInTurn(turn)
  if (open === null) return ASKS.leave!(turn, n)
  if (isAsked(open)) return ASKS.answer!(turn, n)
  const at = turn.calls.indexOf(open)
  return ASKS[n % 4 === 0 ? 'ask' : open.started ? 'settleCall' : 'judge']!(turn, n - (n % turn.calls.length) + at)
}

type Asked = readonly [name: string, n: number]
const anyAsk = fc.oneof(fc.constantFrom(...Object.keys(ASKS)), fc.constant('goOn'), fc.constant('goOn'), fc.constant('goOn'))
const anyAsks = fc.array(fc.tuple(anyAsk, fc.nat(30)), { minLength: 20, maxLength: 120, size: 'max' })
/** The share of walks that are cancelled on the way; null for none. */
const anyCancel = fc.option(fc.nat(120), { nil: null })

type Look = (before: Turn, command: TurnCommand, ruling: TurnRuling, story: TurnStory) => void

/** Drives one turn to its end, or to the end of the commands. */
function live(asks: readonly Asked[], cancelAt: number | null, look: Look = () => undefined): TurnStory {
  const story = turnStory({ interactive: asks.length % 2 === 0, config: turnConfig({ limits: { maxSteps: 30, maxCalls: 3 } }) })
  for (const [index, [name, n]] of asks.entries()) {
    if (story.end !== null) break
    if (index === cancelAt) cancelStory(story)
    const before = story.turn
    const command = (ASKS[name] ?? GO_ON)(before, n)
    look(before, command, tell(story, command), story)
  }
  return story
}

const bytes = (value: unknown): string => canonicalJson(value as Json)
const check = (
  property: (asks: readonly Asked[], cancelAt: number | null, cut: number) => void,
  settings: { numRuns?: number; seed?: number } = {},
) =>
  fc.assert(
    fc.property(anyAsks, anyCancel, fc.nat(150), (asks, cancelAt, cut) => property(asks, cancelAt, cut)),
    {
      numRuns: runs(150),
      ...settings,
    },
  )

const begun = ({ interactive, config }: Turn): Turn => freshTurn({ interactive, config })
/** Cancelling is an event of the run: it sets the phase of each turn. */
const fold = (events: readonly MessageEvent[], from: Turn, phase: Turn['phase']): Turn => {
  const folded = events.reduce(reduceTurn, from)
  return phase === 'cancelling' ? { ...folded, phase } : folded
}

it('the walks together record every kind of event and every end', () => {
  const found = new Set<string>()
  check(
    (asks, cancelAt) => {
      const { events, end } = live(asks, cancelAt)
      for (const { type } of events) found.add(type)
      for (const event of events) if (event.type === 'call.settled') found.add(event.status)
      found.add(end?.status ?? 'open')
    },
    { seed: 1, numRuns: 150 },
  )
  const types: readonly TurnEvent['type'][] = [
    'step.started',
    'step.retried',
    'step.settled',
    'calls.asked',
    'call.judged',
    'call.settled',
    'approval.requested',
    'approval.resolved',
    'message.received',
    'message.taken',
    'node.waiting',
    'node.resumed',
  ]
  expect([...found]).toEqual(expect.arrayContaining([...types, 'completed', 'failed', 'cancelled', 'open', 'succeeded', 'stale']))
})

it('a refusal has no events and changes nothing', () => {
  check((asks, cancelAt) => {
    live(asks, cancelAt, (before, _, ruling, { turn }) => {
      if (!('events' in ruling)) expect([turn === before, ruling.message.length > 0]).toEqual([true, true])
    })
  })
})

it('the same turn and command always give the same answer, and the answer leaves its turn as it was', () => {
  check((asks, cancelAt) => {
    live(asks, cancelAt, (before, command, ruling) => {
      const text = JSON.stringify(before)
      expect(bytes(decideTurn(draftTurn(NODE, JSON.parse(text) as Turn), command))).toBe(bytes(ruling))
      expect(JSON.stringify(before)).toBe(text)
    })
  })
})

it('the events of an answer fold to its turn, and each names its node', () => {
  check((asks, cancelAt) => {
    live(asks, cancelAt, (before, _, ruling) => {
      if (!('events' in ruling)) return
      expect(bytes(fold(ruling.events, before, before.phase))).toBe(bytes(ruling.turn))
      expect(ruling.events.every(({ nodeId }) => nodeId === NODE)).toBe(true)
    })
  })
})

it('a turn can stop anywhere, be written down, and go on: its state is plain JSON', () => {
  check((asks, cancelAt, cut) => {
    const { events, turn } = live(asks, cancelAt)
    const recorded = JSON.parse(JSON.stringify(events)) as TurnEvent[]
    const checkpoint = JSON.parse(JSON.stringify(fold(recorded.slice(0, cut), begun(turn), 'running'))) as Turn
    expect(bytes(fold(recorded.slice(cut), checkpoint, turn.phase))).toBe(bytes(turn))
  })
})

it('the history follows from the events alone, and can be read from its head', () => {
  check((asks, cancelAt) => {
    const story = live(asks, cancelAt)
    const messages: Digest[] = []
    story.events.reduce((turn, event) => {
      messages.push(...messagesAdded(turn, event))
      return reduceTurn(turn, event)
    }, begun(story.turn))
    expect(story.turn.history).toEqual(messages.reduce(appendMessage, emptyHistory))
    const { stored, ...head } = historyHead(story.turn.history)
    expect(readHistory(head, digest => (digest === stored?.digest ? stored.text : (story.objects.get(digest) ?? null)))).toEqual(messages)
  })
})

/** All messages of a turn, with its end. */
function said(story: TurnStory): readonly Digest[] {
  endStory(story)
  const { stored, ...head } = historyHead(story.turn.history)
  return readHistory(head, digest => (digest === stored?.digest ? stored.text : (story.objects.get(digest) ?? null)))!
}

it('a reply with calls is followed by the results of all of them, in their order; without results it is not in the history', () => {
  check((asks, cancelAt) => {
    const story = live(asks, cancelAt)
    const messages = said(story)
    const asked = story.events.filter(event => event.type === 'calls.asked')
    for (const [index, { step, calls }] of asked.entries()) {
      if (index === asked.length - 1 && callInTurn(story.turn) !== null) break
      const results = calls.map(({ id }) => named(`result ${step} ${id}`))
      const at = messages.indexOf(results[0]!)
      expect(messages.slice(at, at + calls.length)).toEqual(results)
      const settled = story.events.find(event => event.type === 'step.settled' && event.step === step)
      expect(settled).toMatchObject({ reply: messages[at - 1] })
    }
    const replies = story.events.flatMap(event => (event.type === 'step.settled' && event.reply !== null ? [event] : []))
    const unasked = replies.filter(({ step, reply }) => !asked.some(one => one.step === step) && !messages.includes(reply!))
    // Only the reply of the last step may be missing: the turn was cancelled, or failed with it.
    expect(unasked.every(({ step }) => step === story.turn.steps && story.end?.status !== 'completed')).toBe(true)
  })
})

it('a turn that is over has no open step, no call without an outcome, and no approval without an answer', () => {
  check((asks, cancelAt) => {
    const { events, turn, end } = live(asks, cancelAt)
    if (end === null) return
    const ids = (type: 'calls.asked' | 'call.settled') =>
      events.flatMap(event => {
        if (event.type !== type) return []
        return event.type === 'calls.asked' ? event.calls.map(({ id }) => id) : [(event as { readonly call: string }).call]
      })
    expect(ids('call.settled').toSorted()).toEqual(ids('calls.asked').toSorted())
    const approvals = (type: TurnEvent['type']) =>
      events.flatMap(event => (event.type === type && 'approval' in event ? [event.approval] : []))
    expect(approvals('approval.resolved').toSorted()).toEqual(approvals('approval.requested').toSorted())
    if (end.status !== 'failed') expect(turn.step?.settled ?? true).toBe(true)
  })
})

it('a turn has at most one piece of work, and the command that answers it is accepted', () => {
  check((asks, cancelAt) => {
    live(asks, cancelAt, (_, __, ___, { turn, end }) => {
      const effect = end === null ? planTurn(turn) : null
      const draft = draftTurn(NODE, turn)
      if (effect === null) return
      if (effect.type === 'step.prepare') return expect(decideTurn(draft, startStep(effect.step))).toHaveProperty('events')
      if (effect.type === 'model.call') {
        expect([effect.step.settled, callInTurn(turn)]).toEqual([false, null])
        return expect(decideTurn(draft, settleStep(effect.step.step))).toHaveProperty('events')
      }
      const { id: settling } = effect.call
      const settle = { type: 'settleCall', call: settling, outcome: { status: 'succeeded' }, result: null } as const
      return expect(decideTurn(draft, settle)).toHaveProperty('events')
    })
  })
})

it('a turn without work waits for a person, for input, or is over', () => {
  check((asks, cancelAt) => {
    live(asks, cancelAt, (_, __, ___, { turn, end }) => {
      if (end !== null || planTurn(turn) !== null) return
      expect(turn.phase === 'waiting' || turn.calls.some(isAsked)).toBe(true)
    })
  })
})

it('every message that was left is taken once, or still waits', () => {
  check((asks, cancelAt) => {
    const { events, turn } = live(asks, cancelAt)
    const received = events.flatMap(event => (event.type === 'message.received' ? [event.message.id] : []))
    const taken = events.flatMap(event => (event.type === 'message.taken' ? [event.id] : []))
    expect([...taken, ...turn.left.map(({ id }) => id)].toSorted()).toEqual(received.toSorted())
  })
})

it('a turn that is cancelled ends when everything that it started is back, and asks for nothing more', () => {
  check((asks, _, cut) => {
    const story = live(asks.slice(0, cut), null)
    if (story.end !== null) return
    cancelStory(story)
    const from = story.events.length
    while (story.end === null) {
      const open = callInTurn(story.turn)
      const command =
        open === null
          ? settleStep(story.turn.steps)
          : ({ type: 'settleCall', call: open.id, outcome: { status: 'succeeded' }, result: null } as const)
      expect(tell(story, command)).toHaveProperty('events')
      expect(story.turn.calls.some(isAsked)).toBe(false)
    }
    expect(story.end).toEqual({ status: 'cancelled' })
    for (const event of story.events.slice(from))
      expect(event.type === 'call.settled' ? event.status : event.type).toMatch(/^(stale|step\.settled)$/)
  })
})

it('an event names only objects that are stored by then', () => {
  check((asks, cancelAt) => {
    const given = new Set<Digest>()
    live(asks, cancelAt, (_, command, ruling, { objects }) => {
      for (const digest of referencesIn(command as unknown as Json)) given.add(digest)
      if (!('events' in ruling)) return
      const found = ruling.events.flatMap(event => referencesIn(event as unknown as Json))
      expect(found.filter(digest => !given.has(digest) && !objects.has(digest))).toEqual([])
    })
  })
})

it('the config never changes, and the snapshot only with a step that adopts another', () => {
  check((asks, cancelAt) => {
    live(asks, cancelAt, (before, command, _, { turn }) => {
      expect(turn.config).toBe(before.config)
      if (command.type !== 'startStep' || command.adopt === undefined)
        expect([turn.snapshot, turn.apply]).toEqual([before.snapshot, before.apply])
    })
  })
})

it('no order of events makes the fold throw, and events of other kinds change nothing', () => {
  check((asks, cancelAt, seed) => {
    const { events, turn } = live(asks, cancelAt)
    const key = (event: TurnEvent): number => (bytes(event).length * (seed + 7)) % 13
    const folded = events.toSorted((one, other) => key(one) - key(other)).reduce(reduceTurn, begun(turn))
    expect(JSON.parse(bytes(folded))).toEqual(JSON.parse(JSON.stringify(folded)))
    for (const type of ['', 'step', 'step.dreamt', 'node.skipped', 'run.paused', 'files.changed', '__proto__', 'constructor'])
      expect(reduceTurn(folded, { type, nodeId: NODE } as unknown as TurnEvent)).toBe(folded)
    expect(cancelTurn(draftTurn(NODE, folded)).turn.phase).toBe('cancelling')
  })
})
