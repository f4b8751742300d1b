// Every situation a session can be in, and everything that can be asked of it there, against the tables of src/testing/session-model.ts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { ACTIONS, firstModel, type Model, predict, type Work } from '../../testing/session-model.ts'
import { config, must, named, type Story, selection, startStory, syncStory, tell, type Workspace } from '../../testing/session-story.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import { foldSession } from './reduce.ts'
import type { SessionState } from './state.ts'

interface World {
  readonly story: Story
  readonly workspace: Workspace
  readonly refused: string | null
  readonly outcomes: readonly string[]
}

const begin = (): World => ({ story: startStory(), workspace: { name: 'writer', versions: [] }, refused: null, outcomes: [] })
const fileOf = (version: number) => ({ 'agent.workspace.json': `{"schema_version": 1, "$schema": "version ${version}"}` })

/** What the action asks, where the session stands. */
function act(world: World, action: string): World {
  const { story, workspace } = world
  const { state } = story
  const from = story.events.length
  const { run, step, batch } = state.run ?? { run: 1, step: null, batch: null }
  const asked = (command: Parameters<typeof tell>[1]): World => {
    const decided = tell(story, command)
    const outcomes = story.events.slice(from).flatMap(({ type }) => (OUTCOMES.test(type) ? [type.slice('workspace.'.length)] : []))
    return { ...world, refused: decided.ok ? null : decided.code, outcomes: decided.ok ? outcomes : [] }
  }
  switch (action) {
    case 'requestRun':
      return asked({ type: 'requestRun', input: named('input') })
    case 'requestBadRun':
      return asked({ type: 'requestRun', overrides: config({ provider: ' ' }) })
    case 'startRun':
      return asked({ type: 'startRun', run })
    case 'settleStep':
      return asked({ type: 'settleStep', run, step: step?.step ?? 1, reply: named('reply') })
    case 'startStep':
      return asked({ type: 'startStep', system: named('system') })
    case 'startBatch':
      return asked({ type: 'startBatch', calls: [{ id: 'call', name: 'look', arguments: named('{}') }] })
    case 'settleCall': {
      const { epoch = 0, stepEpoch = 0 } = batch ?? {}
      const outcome = { status: 'succeeded' } as const
      return asked({ type: 'settleCall', run, batch: batch?.batch ?? 1, call: 'call', outcome, result: named('seen'), epoch, stepEpoch })
    }
    case 'provideInput':
      return asked({ type: 'provideInput', message: named('more') })
    case 'failRun':
    case 'retryStep':
      return asked({ type: action, code: 'broken', detail: '' })
    case 'pause':
    case 'resume':
      return asked({ type: 'receive', command: { kind: action, id: 'c' } })
    case 'cancel':
      return asked({ type: 'receive', command: { kind: 'cancel', id: 'c', reason: null } })
    case 'steer':
      return asked({ type: 'receive', command: { kind: 'steer', id: `s${from}`, message: named('steer') } })
    case 'expireLease':
      if (state.run !== null) must(story, { type: 'issueLease', lease: { id: 'l', issuedAt: 0, timeout: 10 } })
      return asked({ type: 'checkLease', at: 11 })
    case 'configure':
      return asked({ type: 'configure', config: { ...state.config, model: 'other' } })
    case 'next_run':
    case 'next_step_boundary':
    case 'immediate_if_idle':
      return asked({ type: 'requestApply', when: action })
    case 'syncReady':
    case 'syncSame': {
      const { pending, approved, active } = state.workspace
      // The same content as a newer version. While something is pending or approved, nothing is the same.
      const held = action === 'syncReady' || pending !== null || approved !== null ? null : active
      workspace.versions.push(held === null ? fileOf(workspace.versions.length + 1) : workspace.versions[held.version - 1]!)
      syncStory(story, workspace, selection())
      return outcomesSince(world, from)
    }
    case 'syncFailed':
      syncStory(story, workspace, selection({ version: 99 }))
      return outcomesSince(world, from)
    case 'syncForeign': {
      must(story, { type: 'requestSync', selection: selection() })
      const foreign = { workspace: 'other', version: 1, root: named('root'), index: null, prelude: null, catalog: null, legacy: false }
      return asked({ type: 'settleSync', sync: story.state.syncs, result: { outcome: 'ready', snapshot: foreign, objects: [] } })
    }
    default:
      return asked({ type: action as 'awaitInput' | 'completeRun' })
  }
}

const OUTCOMES = /^workspace\.(applied|approved|deferred|superseded|snapshotReady|syncUnchanged|syncFailed)$/

function outcomesSince(world: World, from: number): World {
  const outcomes = world.story.events.slice(from).flatMap(({ type }) => (OUTCOMES.test(type) ? [type.slice('workspace.'.length)] : []))
  return { ...world, refused: null, outcomes }
}

function workOf({ run }: SessionState): Work {
  if (run === null || run.step === null) return 'fresh'
  if (!run.step.settled) return 'step'
  if (run.batch === null) return 'rest'
  return run.batch.calls.every(({ settled }) => settled !== null) ? 'done' : 'batch'
}

const seen = (state: SessionState) => ({
  phase: state.run?.phase ?? 'none',
  work: workOf(state),
  ended: state.ended ?? 'never',
  active: state.workspace.active?.version ?? 0,
  pending: state.workspace.pending?.snapshot.version ?? 0,
  approved: state.workspace.approved?.snapshot.version ?? 0,
  at: state.workspace.approved?.at ?? null,
})

const said = ({ phase, work, ended, active, pending, approved, at }: Model) => ({
  phase: phase === 'held' ? 'paused' : phase,
  work,
  ended,
  active,
  pending,
  approved,
  at,
})

/** Versions told apart only by what they are, so that there are finitely many situations. */
const situationOf = ({ phase, work, ended, active, pending, approved, at, approvedBefore }: Model): string =>
  [phase, work, ended, active !== 0, pending !== 0, approved !== 0, at, approvedBefore].join(' ')

/** The shortest way to each situation, by the model alone. */
function waysToAll(): ReadonlyMap<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>([[situationOf(firstModel), []]])
  const open: [Model, readonly string[]][] = [[firstModel, []]]
  for (const [model, way] of open) {
    for (const action of ACTIONS) {
      const { next } = predict(model, action)
      const situation = situationOf(next)
      if (ways.has(situation)) continue
      ways.set(situation, [...way, action])
      open.push([next, [...way, action]])
    }
  }
  return ways
}

function follow(way: readonly string[]): { readonly world: World; readonly model: Model } {
  const world = way.reduce(act, begin())
  return { world, model: way.reduce((model, action) => predict(model, action).next, firstModel) }
}

const ways = [...waysToAll()].map(([situation, way]) => ({ situation, way, ...follow(way) }))

/** Another that can go on by itself. */
const copy = ({ story, workspace, ...rest }: World): World => ({
  ...rest,
  story: { ...story, events: [...story.events], effects: [] },
  workspace: { ...workspace, versions: [...workspace.versions] },
})

describe('every situation, and everything that can be asked in it', () => {
  it('is all there: phases, works, ends, pending and approved', () => {
    const words = (at: number) => new Set(ways.map(({ situation }) => situation.split(' ')[at]))
    expect([words(0).size, words(1).size, words(2).size]).toEqual([7, 5, 4])
    expect(ways.length).toBeGreaterThan(500)
  })

  it.each(ACTIONS)('%s comes to what the tables say', action => {
    for (const { situation, way, model, ...reached } of ways) {
      const world = copy(reached.world)
      const before = canonicalJson(world.story.state as unknown as Json)
      const predicted = predict(model, action)
      const after = act(world, action)
      const where = `${action} in: ${situation} (${way.join(', ')})`
      expect({ where, refused: after.refused, ...seen(after.story.state) }).toEqual({
        where,
        refused: predicted.refused,
        ...said(predicted.next),
      })
      if (predicted.refused === null) expect({ where, outcomes: after.outcomes }).toEqual({ where, outcomes: predicted.outcomes })
      else expect(canonicalJson(after.story.state as unknown as Json)).toBe(before)
    }
  })
})

it('long walks agree with the tables at every step, and fold again to the same bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ACTIONS), { minLength: 20, maxLength: 120, size: 'max' }), actions => {
      let world = begin()
      let model = firstModel
      for (const action of actions) {
        const predicted = predict(model, action)
        world = act(world, action)
        model = predicted.next
        expect({ action, refused: world.refused, ...seen(world.story.state) }).toEqual({
          action,
          refused: predicted.refused,
          ...said(model),
        })
      }
      const { state, events } = world.story
      expect(canonicalJson(foldSession(events) as unknown as Json)).toBe(canonicalJson(state as unknown as Json))
    }),
    { numRuns: runs(200) },
  )
})
