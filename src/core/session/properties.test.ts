// What holds of every session, whatever is asked of it and in which order.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { config, type Files, named, runSync, type Story, selection, startStory, tell, type Workspace } from '../../testing/session-story.ts'
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import { referencesIn } from '../record/references.ts'
import type { SessionCommand } from './commands.ts'
import { decide } from './decide.ts'
import { type ApplyWhen, fromRecorded, type SessionEvent, sessionDraft } from './events.ts'
import { foldSession, reduce } from './reduce.ts'
import type { SessionState } from './state.ts'

/** A command made where the session stands: most fit, some do not. `n` varies what is said. */
type Ask = (state: SessionState, n: number, workspace: Workspace) => SessionCommand

const files = (n: number): Files => ({ 'prompts/packs/p.json': `[{"role":"system","content":"${n}"}]`, 'tools/catalogs/c.json': '[]' })
const wanted = (n: number) => selection({ prelude: n % 3 === 0 ? null : 'p', catalog: n % 2 === 0 ? null : 'c' })
const BROKEN = { outcome: 'failed', stage: 'prelude', code: 'prelude_invalid', detail: '' } as const
const WHEN: readonly ApplyWhen[] = ['next_run', 'next_step_boundary', 'immediate_if_idle']

const ASKS: Readonly<Record<string, Ask>> = {
  configure: (_, n) => ({ type: 'configure', config: config({ model: `m${n}`, promptDigests: n % 4 === 0 ? [named(`${n}`)] : null }) }),
  requestRun: (_, n) => ({ type: 'requestRun', input: n % 5 === 0 ? null : named(`input ${n}`) }),
  requestOwnRun: (_, n) => ({
    type: 'requestRun',
    overrides: config({ workspace: { name: 'writer', version: null }, prelude: n % 2 === 0 ? 'p' : null }),
  }),
  settleRunSync: ({ run }, n, workspace) => ({
    type: 'settleRunSync',
    run: run?.run ?? 1,
    result: n % 4 === 0 ? BROKEN : runSync(workspace, run?.selection ?? wanted(1)).result,
  }),
  startRun: ({ run }) => ({ type: 'startRun', run: run?.run ?? 1 }),
  startStep: (_, n) => ({ type: 'startStep', system: named('system'), user: n % 3 === 0 ? named(`user ${n}`) : null }),
  settleStep: ({ run }, n) => ({ type: 'settleStep', run: run?.run ?? 1, step: run?.step?.step ?? 1, reply: named(`reply ${n}`) }),
  retryStep: () => ({ type: 'retryStep', code: 'timeout', detail: '' }),
  startBatch: (_, n) => ({
    type: 'startBatch',
    calls: Array.from({ length: (n % 3) + 1 }, (_, index) => ({ id: `call-${index}`, name: 'look', arguments: named(`{"n":${n}}`) })),
  }),
  settleCall: ({ run }, n) => ({
    type: 'settleCall',
    run: run?.run ?? 1,
    batch: run?.batch?.batch ?? 1,
    call: `call-${n % 3}`,
    outcome: n % 4 === 0 ? { status: 'failed', code: 'broken', detail: '' } : { status: 'succeeded' },
    result: named(`result ${n}`),
    epoch: run?.batch?.epoch ?? 0,
    stepEpoch: run?.batch?.stepEpoch ?? 0,
  }),
  awaitInput: () => ({ type: 'awaitInput' }),
  provideInput: (_, n) => ({ type: 'provideInput', message: named(`input ${n}`) }),
  completeRun: () => ({ type: 'completeRun' }),
  failRun: () => ({ type: 'failRun', code: 'broken', detail: '' }),
  steer: (_, n) => ({ type: 'receive', command: { kind: 'steer', id: `s${n}`, message: named(`steer ${n}`) } }),
  followUp: (_, n) => ({ type: 'receive', command: { kind: 'follow-up', id: `f${n}`, message: named(`follow ${n}`) } }),
  pause: (_, n) => ({ type: 'receive', command: { kind: 'pause', id: `p${n}` } }),
  resume: (_, n) => ({ type: 'receive', command: { kind: 'resume', id: `r${n}` } }),
  cancel: (_, n) => ({ type: 'receive', command: { kind: 'cancel', id: `c${n}`, reason: null } }),
  issueLease: (_, n) => ({ type: 'issueLease', lease: { id: `l${n}`, issuedAt: n, timeout: 5 } }),
  checkLease: (_, n) => ({ type: 'checkLease', at: n }),
  requestSync: (_, n, workspace) => {
    if (n % 2 === 0) workspace.versions.push(files(workspace.versions.length))
    return { type: 'requestSync', selection: wanted(n) }
  },
  settleSync: ({ workspace: { syncing } }, n, workspace) => ({
    type: 'settleSync',
    sync: syncing?.sync ?? 1,
    result: n % 5 === 0 ? BROKEN : runSync(workspace, syncing?.selection ?? wanted(n)).result,
  }),
  requestApply: (_, n) => ({ type: 'requestApply', when: WHEN[n % 3]! }),
  attachRun: (_, n) => ({ type: 'attachRun', runId: `r${n % 3}`, nodeId: 'n', session: `child-${n}` }),
  detachRun: (_, n) => ({ type: 'detachRun', runId: `r${n % 3}`, nodeId: 'n' }),
}

/** What an engine would do next: without it hardly any walk gets as far as a tool. */
const GO_ON: Ask = (state, n, workspace) => {
  const { run } = state
  const next = (name: string) => ASKS[name]!(state, n, workspace)
  if (run === null) return next(n % 4 === 0 ? 'requestOwnRun' : 'requestRun')
  if (run.phase === 'requested') return next(run.selection !== null && run.snapshot === null ? 'settleRunSync' : 'startRun')
  if (run.phase === 'waiting') return next('provideInput')
  if (run.phase === 'paused') return next('resume')
  const open = run.batch?.calls.findIndex(({ settled }) => settled === null) ?? -1
  if (open >= 0) return ASKS.settleCall!(state, n - (n % 3) + open, workspace)
  if (run.step !== null && !run.step.settled) return next('settleStep')
  return next(run.step === null || n % 3 === 0 ? 'startStep' : n % 3 === 1 ? 'startBatch' : 'awaitInput')
}

const anyAsk = fc.oneof(fc.constantFrom(...Object.keys(ASKS)), fc.constant('goOn'), fc.constant('goOn'))
const anyAsks = fc.array(fc.tuple(anyAsk, fc.nat(30)), { minLength: 30, maxLength: 250, size: 'max' })

/** Sees a session through, and shows each step to whoever wants to look. */
function live(
  asks: readonly (readonly [string, number])[],
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

const bytes = (state: SessionState) => canonicalJson(state as unknown as Json)
const check = (
  property: (asks: readonly (readonly [string, number])[], cut: number) => void,
  settings: { numRuns?: number; seed?: number } = {},
) =>
  fc.assert(
    fc.property(anyAsks, fc.nat(300), (asks, cut) => {
      property(asks, cut)
    }),
    { numRuns: runs(100), ...settings },
  )

it('the walks are worth taking: together they record every kind of event', () => {
  const types = new Set<string>()
  check(
    asks => {
      for (const { type } of live(asks).events) types.add(type)
    },
    { seed: 1, numRuns: 100 },
  )
  for (const type of [
    'run.cancelled',
    'run.refused',
    'run.snapshotReady',
    'tool.batchSettled',
    'lease.expired',
    'workspace.offered',
    'workspace.deferred',
    'workspace.superseded',
    'step.retried',
    'session.refused',
  ])
    expect(types).toContain(type)
})

it('a log folds again to the same bytes, also when it went through the record', () => {
  check(asks => {
    const { state, events } = live(asks)
    expect(bytes(foldSession(events))).toBe(bytes(state))
    const recorded = events.map(event => sessionDraft(event, 'test')).map(draft => fromRecorded(JSON.parse(JSON.stringify(draft))))
    expect(bytes(foldSession(recorded))).toBe(bytes(state))
  })
})

it('can stop anywhere, be written down, and go on: state is plain JSON', () => {
  check((asks, cut) => {
    const { state, events } = live(asks)
    const checkpoint = JSON.parse(JSON.stringify(foldSession(events.slice(0, cut)))) as SessionState
    expect(bytes(foldSession(events.slice(cut), checkpoint))).toBe(bytes(state))
  })
})

it('nothing comes into force that nobody asked for', () => {
  check(asks => {
    const asked = new Set<string>()
    live(asks, (before, command, { state }) => {
      const { pending } = before.workspace
      if (command.type === 'requestApply' && pending !== null) asked.add(bytesOf(pending.snapshot))
      const { active } = state.workspace
      if (active !== null) expect(asked).toContain(bytesOf(active))
      const { approved } = state.workspace
      if (approved !== null) expect(asked).toContain(bytesOf(approved.snapshot))
      if (state.run !== null && state.run.selection === null && state.run.snapshot !== null)
        expect(asked).toContain(bytesOf(state.run.snapshot))
    })
  })
})

const bytesOf = (value: unknown) => canonicalJson(value as Json)

it('what is in force for an open run changes at its steps only, and its config never', () => {
  check(asks => {
    live(asks, (before, command, { state }) => {
      if (before.run === null || state.run === null || before.run.phase === 'requested') return
      expect(state.run.config).toBe(before.run.config)
      if (command.type !== 'startStep') expect(state.run.snapshot).toBe(before.run.snapshot)
      if (before.run.selection !== null) expect(state.run.snapshot).toBe(before.run.snapshot)
    })
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

it('what is refused changes nothing, and neither does what is recorded about it', () => {
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
        expect(decide(before, command)).toEqual(decide(JSON.parse(JSON.stringify(before)), command))
      })
    },
    { numRuns: runs(50) },
  )
})

it('an event speaks only of what is stored by then', () => {
  check(asks => {
    const given = new Set<Digest>()
    live(asks, (before, command, story) => {
      for (const digest of referencesIn(command as unknown as Json)) given.add(digest)
      const decided = decide(before, command)
      const spoken = decided.events.flatMap(event => referencesIn(event as unknown as Json))
      expect(spoken.filter(digest => !given.has(digest) && !story.objects.has(digest))).toEqual([])
    })
  })
})

it('no order of events makes folding throw, and none that is unknown changes anything', () => {
  check((asks, seed) => {
    const { events } = live(asks)
    const shuffled = events.toSorted(
      (one, other) => ((bytesOf(one).length * (seed + 7)) % 13) - ((bytesOf(other).length * (seed + 7)) % 13),
    )
    const state = shuffled.reduce(reduce, startStory().state)
    expect(JSON.parse(bytes(state))).toEqual(JSON.parse(JSON.stringify(state)))
    for (const type of ['', 'run', 'run.dreamt', '__proto__', 'constructor'])
      expect(reduce(state, { type } as unknown as SessionEvent)).toBe(state)
  })
})
