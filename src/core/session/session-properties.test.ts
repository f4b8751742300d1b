// Rules that hold for every session, with every command in every order.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import {
  config,
  type Files,
  named,
  runSync,
  type Story,
  selection,
  startStory,
  tell,
  type Workspace,
} from '../../testing/stories/session-story.ts'
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import { referencesIn } from '../record/references.ts'
import { adoptedAtStep } from './apply.ts'
import { comingConfig, comingSnapshot, knownTo } from './coming-snapshot.ts'
import type { SessionCommand } from './commands.ts'
import { selectionOf } from './config.ts'
import { decide } from './decide.ts'
import { type ApplyWhen, fromRecorded, type LeftMessage, type SessionEvent, sessionDraft } from './events.ts'
import { historyHead, readHistory } from './history.ts'
import { foldSession, reduce } from './reduce.ts'
import type { SessionState } from './state.ts'

/** A command for the session as it is: most fit, some do not. `n` varies the content. */
type Ask = (state: SessionState, n: number, workspace: Workspace) => SessionCommand

const files = (n: number): Files => ({ 'prompts/packs/p.json': `[{"role":"system","content":"${n}"}]`, 'tools/catalogs/c.json': '[]' })
const wanted = (n: number) => selection({ prelude: n % 3 === 0 ? null : 'p', catalog: n % 2 === 0 ? null : 'c' })
const BROKEN = { outcome: 'failed', stage: 'prelude', code: 'prelude_invalid', detail: '' } as const
const WHEN: readonly ApplyWhen[] = ['next_run', 'next_step_boundary', 'immediate_if_idle']
const KINDS: readonly LeftMessage['kind'][] = ['steer', 'interrupt', 'follow-up']
const leftOf = (n: number): LeftMessage => ({ kind: KINDS[n % 3]!, id: `m${n}`, message: named(`left ${n}`) })

const ASKS: Readonly<Record<string, Ask>> = {
  create: () => ({ type: 'create', session: 'writer', config: config() }),
  configure: (_, n) => ({ type: 'configure', config: config({ model: `m${n}`, promptDigests: n % 4 === 0 ? [named(`${n}`)] : null }) }),
  attachRun: (_, n) => ({ type: 'attachRun', runId: `r${n % 3}`, nodeId: 'n' }),
  detachRun: ({ open }, n) => ({
    type: 'detachRun',
    runId: n % 4 === 0 ? `r${n % 3}` : (open?.runId ?? 'r'),
    nodeId: 'n',
    left: n % 3 === 0 ? [leftOf(n + 100)] : [],
  }),
  beginRun: () => ({ type: 'beginRun' }),
  reachStep: ({ open }, n) => ({ type: 'reachStep', isOwn: open !== null && n % 3 !== 0 }),
  refuseRun: (_, n) => ({ type: 'refuseRun', stage: 'prelude', code: 'file_missing', detail: `${n}` }),
  appendMessages: (_, n) => ({ type: 'appendMessages', messages: Array.from({ length: n % 8 }, (__, at) => named(`message ${n} ${at}`)) }),
  leaveMessage: (_, n) => ({ type: 'leaveMessage', message: leftOf(n) }),
  requestSync: (_, n, workspace) => {
    if (n % 2 === 0) workspace.versions.push(files(workspace.versions.length))
    return n % 7 === 0 ? { type: 'requestSync' } : { type: 'requestSync', selection: wanted(n) }
  },
  settleSync: (state, n, workspace) => {
    const { syncing } = state.workspace
    const asked = syncing?.selection ?? wanted(n)
    const { result } = runSync(workspace, n % 11 === 0 ? wanted(n) : asked, { known: knownTo(state, asked) })
    return { type: 'settleSync', sync: syncing?.sync ?? 1, result: n % 5 === 0 ? BROKEN : result }
  },
  requestApply: (_, n) => ({ type: 'requestApply', when: WHEN[n % 3]! }),
}

/** The sync that is under way is settled, and a version that is pending is applied: without it few walks adopt anything. */
const GO_ON: Ask = (state, n, workspace) => {
  const { syncing, pending } = state.workspace
  const next = (name: string) => ASKS[name]!(state, n, workspace)
  if (syncing !== null) return next('settleSync')
  if (pending !== null) return next('requestApply')
  return next(['requestSync', 'attachRun', 'reachStep', 'detachRun'][n % 4]!)
}

type Asked = readonly [name: string, n: number]
const anyAsk = fc.oneof(fc.constantFrom(...Object.keys(ASKS)), fc.constant('goOn'), fc.constant('goOn'))
const anyAsks = fc.array(fc.tuple(anyAsk, fc.nat(30)), { minLength: 30, maxLength: 120, size: 'max' })

/** Drives a session, and shows each step to the test. */
function live(
  asks: readonly Asked[],
  look: (before: SessionState, command: SessionCommand, story: Story) => void = () => undefined,
): Story {
  const story = startStory()
  const workspace: Workspace = { name: 'writer', versions: [files(-1)] }
  for (const [name, n] of asks) {
    const before = story.state
    const command = (ASKS[name] ?? GO_ON)(before, n, workspace)
    tell(story, command)
    look(before, command, story)
  }
  return story
}

const bytes = (value: unknown) => canonicalJson(value as Json)
const check = (property: (asks: readonly Asked[], cut: number) => void, settings: { numRuns?: number; seed?: number } = {}) =>
  fc.assert(
    fc.property(anyAsks, fc.nat(300), (asks, cut) => property(asks, cut)),
    { numRuns: runs(100), ...settings },
  )

it('the walks together record every kind of event', () => {
  const found = new Set<string>()
  check(
    asks => {
      for (const { type } of live(asks).events) found.add(type)
    },
    { seed: 1, numRuns: 60 },
  )
  const types: readonly SessionEvent['type'][] = [
    'session.created',
    'session.configured',
    'session.refused',
    'run.attached',
    'run.detached',
    'run.refused',
    'message.appended',
    'message.left',
    'messages.handedOver',
    'workspace.syncRequested',
    'workspace.syncUnchanged',
    'workspace.snapshotReady',
    'workspace.syncFailed',
    'workspace.applyRequested',
    'workspace.approved',
    'workspace.deferred',
    'workspace.applied',
    'workspace.superseded',
    'workspace.refused',
  ]
  expect([...found].toSorted()).toEqual(types.toSorted())
})

it('a log folds again to the same bytes, also when it went through the record', () => {
  check(asks => {
    const { state, events } = live(asks)
    expect(bytes(foldSession(events))).toBe(bytes(state))
    const recorded = events.map(event => sessionDraft(event, 'test')).map(draft => fromRecorded(JSON.parse(JSON.stringify(draft))))
    expect(bytes(foldSession(recorded))).toBe(bytes(state))
  })
})

it('a session can stop anywhere, be written down, and go on: its state is plain JSON', () => {
  check((asks, cut) => {
    const { state, events } = live(asks)
    const checkpoint = JSON.parse(JSON.stringify(foldSession(events.slice(0, cut)))) as SessionState
    expect(bytes(foldSession(events.slice(cut), checkpoint))).toBe(bytes(state))
  })
})

it('no snapshot becomes active or approved that nobody asked to apply', () => {
  check(asks => {
    const asked = new Set<string>()
    live(asks, (before, command, { state }) => {
      const { pending } = before.workspace
      if (command.type === 'requestApply' && pending !== null) asked.add(bytes(pending.snapshot))
      const { active, approved, reaching } = state.workspace
      for (const snapshot of [active, approved?.snapshot ?? null, reaching?.snapshot ?? null])
        if (snapshot !== null) expect(asked).toContain(bytes(snapshot))
    })
  })
})

it('the active snapshot changes with an apply, at the start of a run, or at a step of the run that works here; its selection changes with it', () => {
  check(asks => {
    live(asks, (before, { type }, { state, events }) => {
      const { active, applies } = state.workspace
      if (applies === before.workspace.applies) {
        expect(active).toBe(before.workspace.active)
        if (type !== 'configure') expect(state.config).toBe(before.config)
        return
      }
      expect(applies).toBe(before.workspace.applies + 1)
      expect(['requestApply', 'attachRun', 'beginRun', 'reachStep']).toContain(type)
      const applied = events.findLast(event => event.type === 'workspace.applied')!
      expect([bytes(active), bytes(selectionOf(state.config))]).toEqual([bytes(applied.snapshot), bytes(applied.selection)])
    })
  })
})

it('a run starts with the snapshot and the config that were announced for it', () => {
  check(asks => {
    live(asks, (before, { type }, { state, events }) => {
      if ((type !== 'attachRun' && type !== 'beginRun') || events.at(-1)!.type === 'session.refused') return
      expect(bytes(state.workspace.active)).toBe(bytes(comingSnapshot(before)?.snapshot ?? null))
      // The prelude and the catalog of a selection that was configured since wait for a sync of it.
      if (comingSnapshot(before)?.selection !== null) expect(bytes(comingConfig(before))).toBe(bytes(state.config))
    })
  })
})

it('a node takes a snapshot at a step once, and only one that was applied for steps', () => {
  check(asks => {
    const reaching = new Set<string>()
    let turn = { apply: 0 }
    live(asks, (before, command, { state, events }) => {
      for (const event of events.slice(-3))
        if (event.type === 'workspace.applied' && event.reaches === true) reaching.add(bytes(event.snapshot))
      if (command.type !== 'reachStep') return
      const adopted = adoptedAtStep(before, turn, command.isOwn)
      if (adopted === null) return
      expect(reaching).toContain(bytes(adopted.snapshot))
      expect(adopted.apply).toBeGreaterThan(turn.apply)
      turn = adopted
      expect(adoptedAtStep(state, turn, command.isOwn)).toBeNull()
    })
  })
})

it('at most one run works here, runs are counted without a gap, and only its own node detaches it', () => {
  check(asks => {
    const { events } = live(asks, (before, command, { state }) => {
      if (before.open !== null && state.open !== null) expect(state.open).toEqual(before.open)
      if (before.open !== null && state.open === null)
        expect(command).toMatchObject({ type: 'detachRun', runId: before.open.runId, nodeId: before.open.nodeId })
    })
    const counted = events.flatMap(event => (event.type === 'run.attached' || event.type === 'run.refused' ? [event.run] : []))
    expect(counted).toEqual(counted.map((_, index) => index + 1))
  })
})

it('a message that was left waits until a run takes it over, and none is lost', () => {
  check(asks => {
    const { events, state } = live(asks)
    const left = events.flatMap(event => (event.type === 'message.left' ? [event.message.id] : []))
    const taken = events.flatMap(event => (event.type === 'messages.handedOver' ? event.ids : []))
    expect([...taken, ...state.left.map(({ id }) => id)].toSorted()).toEqual(left.toSorted())
  })
})

it('the transcript has every message that was appended, and can be read from its head', () => {
  check(asks => {
    const { events, state, objects } = live(asks)
    const appended = events.flatMap(event => (event.type === 'message.appended' ? [event.message] : []))
    const { stored, ...head } = historyHead(state.history)
    const read = readHistory(head, digest => (digest === stored?.digest ? stored.text : (objects.get(digest) ?? null)))
    expect(read).toEqual(appended)
  })
})

it('a sync that fails changes nothing but that it is over', () => {
  check(asks => {
    live(asks, (before, _, { state, events }) => {
      if (events.at(-1)!.type === 'workspace.syncFailed')
        expect(state).toEqual({ ...before, workspace: { ...before.workspace, syncing: null } })
    })
  })
})

it('a refusal changes nothing, and neither do the events that record it', () => {
  check(asks => {
    live(asks, (before, command, { state }) => {
      const decided = decide(before, command)
      if (decided.ok) return
      expect(state).toEqual(before)
      expect(decided.events.length).toBeGreaterThan(0)
    })
  })
})

it('the same state and command always give the same answer', () => {
  check(
    asks => {
      live(asks, (before, command) => {
        expect(bytes(decide(before, command))).toBe(bytes(decide(JSON.parse(JSON.stringify(before)), command)))
      })
    },
    { numRuns: runs(50) },
  )
})

it('an event names only objects that are stored by then', () => {
  check(asks => {
    const given = new Set<Digest>()
    live(asks, (before, command, story) => {
      for (const digest of referencesIn(command as unknown as Json)) given.add(digest)
      const found = decide(before, command).events.flatMap(event => referencesIn(event as unknown as Json))
      expect(found.filter(digest => !given.has(digest) && !story.objects.has(digest))).toEqual([])
    })
  })
})

it('no order of events makes the fold throw, and events of other kinds change nothing', () => {
  check((asks, seed) => {
    const { events } = live(asks)
    const key = (event: SessionEvent): number => (bytes(event).length * (seed + 7)) % 13
    const state = events.toSorted((one, other) => key(one) - key(other)).reduce(reduce, startStory().state)
    expect(JSON.parse(bytes(state))).toEqual(JSON.parse(JSON.stringify(state)))
    for (const type of ['', 'run', 'run.dreamt', 'step.started', 'node.completed', '__proto__', 'constructor'])
      expect(reduce(state, { type } as unknown as SessionEvent)).toBe(state)
  })
})
