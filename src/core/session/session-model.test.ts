// Every situation of a session, and every command in it, against the tables of src/testing/oracles/session-model.ts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACTIONS, firstSession, predict, type SessionModel } from '../../testing/oracles/session-model.ts'
import { runs } from '../../testing/runs.ts'
import {
  config,
  must,
  named,
  PLACE,
  type Story,
  selection,
  startStory,
  syncStory,
  tell,
  type Workspace,
} from '../../testing/stories/session-story.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import type { SessionCommand } from './commands.ts'
import { foldSession } from './reduce.ts'
import type { SessionState } from './state.ts'

interface World {
  readonly story: Story
  readonly workspace: Workspace
}

interface Acted {
  readonly refused: string | null
  /** The outcomes of the workspace, in order. */
  readonly outcomes: readonly string[]
}

const begin = (): World => ({ story: startStory(), workspace: { name: 'writer', versions: [] } })
const fileOf = (version: number) => ({ 'agent.workspace.json': `{"schema_version": 1, "$schema": "version ${version}"}` })
const FOREIGN = { workspace: 'other', version: 1, root: named('root'), index: null, prelude: null, catalog: null, legacy: false }
const OUTCOMES = /^workspace\.(applied|approved|deferred|superseded|snapshotReady|syncUnchanged|syncFailed)$/

/** The command of every action but the syncs. */
function commandOf(action: string, { config: settings }: SessionState): SessionCommand {
  switch (action) {
    case 'attach':
      return { type: 'attachRun', ...PLACE }
    case 'detach':
      return { type: 'detachRun', ...PLACE, left: [{ kind: 'steer', id: 'returned', message: named('returned') }] }
    case 'detachRun2':
      return { type: 'detachRun', ...PLACE, runId: 'run-2', left: [] }
    case 'detachNode2':
      return { type: 'detachRun', ...PLACE, nodeId: 'critic', left: [] }
    case 'begin':
      return { type: 'beginRun' }
    case 'refuse':
      return { type: 'refuseRun', stage: 'prelude', code: 'file_missing', detail: '' }
    case 'reachOwn':
    case 'reachOther':
      return { type: 'reachStep', isOwn: action === 'reachOwn' }
    case 'configure':
      return { type: 'configure', config: { ...settings, model: 'other' } }
    case 'append':
      return { type: 'appendMessages', messages: ['one', 'two'].map(named) }
    case 'create':
      return { type: 'create', session: 'writer', config: config() }
    case 'next_run':
    case 'next_step_boundary':
    case 'immediate_if_idle':
      return { type: 'requestApply', when: action }
    default:
      return { type: 'leaveMessage', message: { kind: 'follow-up', id: action, message: named(action) } }
  }
}

function act({ story, workspace }: World, action: string): Acted {
  const from = story.events.length
  const refused = action.startsWith('sync') ? sync(story, workspace, action) : send(story, commandOf(action, story.state))
  const outcomes = story.events.slice(from).flatMap(({ type }) => (OUTCOMES.test(type) ? [type.slice('workspace.'.length)] : []))
  return { refused, outcomes }
}

function send(story: Story, command: SessionCommand): string | null {
  const decided = tell(story, command)
  return decided.ok ? null : decided.code
}

function sync(story: Story, workspace: Workspace, action: string): string | null {
  const { pending, approved, active } = story.state.workspace
  if (action === 'syncFailed') {
    syncStory(story, workspace, selection({ version: 99_999 }))
    return null
  }
  if (action === 'syncForeign') {
    must(story, { type: 'requestSync', selection: selection() })
    return send(story, { type: 'settleSync', sync: story.state.syncs, result: { outcome: 'ready', snapshot: FOREIGN, objects: [] } })
  }
  // The same content as a newer version. While something is pending or approved, nothing is the same.
  const known = action === 'syncReady' || pending !== null || approved !== null ? null : active
  workspace.versions.push(known === null ? fileOf(workspace.versions.length + 1) : workspace.versions[known.version - 1]!)
  syncStory(story, workspace, selection())
  return null
}

const seen = ({ open, runs: count, refused, workspace, left, history }: SessionState) => ({
  isOpen: open !== null,
  runs: count,
  isRefused: refused !== null,
  active: workspace.active?.version ?? 0,
  pending: workspace.pending?.snapshot.version ?? 0,
  approved: workspace.approved?.snapshot.version ?? 0,
  at: workspace.approved?.at ?? null,
  reaching: workspace.reaching?.snapshot.version ?? 0,
  left: left.map(({ id }) => id),
  messages: history.count,
})

const predicted = ({ versions: _, ...model }: SessionModel) => model

/** Versions, runs and messages differ by presence only, so that there are finitely many situations. */
const situationOf = ({ isOpen, isRefused, active, pending, approved, at, reaching, left }: SessionModel): string =>
  [isOpen, isRefused, active !== 0, pending !== 0, approved !== 0, at, reaching !== 0, [...new Set(left)].toSorted()].join(' ')

interface Way {
  readonly situation: string
  readonly way: readonly string[]
  readonly model: SessionModel
  readonly world: World
}

/** Another world that goes on by itself. */
const copy = ({ story, workspace }: World): World => ({
  story: { ...story, events: [...story.events], objects: new Map() },
  workspace: { ...workspace, versions: [...workspace.versions] },
})

/** The shortest way to each situation, by the model alone. */
function waysToAll(): readonly Way[] {
  const ways: Way[] = [{ situation: situationOf(firstSession), way: [], model: firstSession, world: begin() }]
  const found = new Set(ways.map(({ situation }) => situation))
  for (const { way, model, world } of ways) {
    for (const action of ACTIONS) {
      const { next } = predict(model, action)
      const situation = situationOf(next)
      if (found.has(situation)) continue
      found.add(situation)
      const reached = copy(world)
      act(reached, action)
      ways.push({ situation, way: [...way, action], model: next, world: reached })
    }
  }
  return ways
}

describe('every situation, and every command in it', () => {
  const ways = waysToAll()
  const tried = ways.filter((_, index) => index % Math.ceil(5 / runs(5)) === 0)

  it('is all there: attached, refused, active, pending, approved, reaching and left', () => {
    const values = (at: number) => new Set(ways.map(({ situation }) => situation.split(' ')[at]))
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(at => values(at).size)).toEqual([2, 2, 2, 2, 2, 3, 2, 8])
    expect(ways.length).toBeGreaterThan(200)
  })

  it.each(ACTIONS)('%s comes to the result in the tables', action => {
    for (const { situation, way, model, world } of tried) {
      const after = copy(world)
      const { refused, next, outcomes } = predict(model, action)
      const where = `${action} in: ${situation} (${way.join(', ')})`
      const acted = act(after, action)
      expect({ where, ...acted, ...seen(after.story.state) }).toEqual({ where, refused, outcomes, ...predicted(next) })
      if (refused !== null) expect(after.story.state).toEqual(world.story.state)
    }
  })
})

it('long walks agree with the tables at every step, and fold again to the same bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ACTIONS), { minLength: 20, maxLength: 120, size: 'max' }), actions => {
      const world = begin()
      let model = firstSession
      for (const action of actions) {
        const { refused, next, outcomes } = predict(model, action)
        model = next
        expect({ action, ...act(world, action), ...seen(world.story.state) }).toEqual({ action, refused, outcomes, ...predicted(model) })
      }
      const { state, events } = world.story
      expect(canonicalJson(foldSession(events) as unknown as Json)).toBe(canonicalJson(state as unknown as Json))
    }),
    { numRuns: runs(200) },
  )
})
