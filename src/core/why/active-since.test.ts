// Tests which events made a snapshot active: its adoption, not the events before or after it.
import { describe, expect, it } from 'vitest'
import { digestText } from '../digest/digest.ts'
import type { RecordedEvent } from '../record/event.ts'
import type { Snapshot } from '../session/snapshot.ts'
import { type ActiveState, adoptionOf, grouped } from './active-since.ts'

const snapshot = (version: number): Snapshot => ({
  workspace: 'desk',
  version,
  root: digestText(`version ${version}`),
  index: null,
  prelude: null,
  catalog: null,
  legacy: false,
})

/** `ready 1`, `applied 2`: what happened to which version, one a second. */
function history(...told: readonly string[]): readonly RecordedEvent[] {
  return told.map((line, seq): RecordedEvent => {
    const [what, version] = line.split(' ')
    const type = what === 'ready' ? 'workspace.snapshotReady' : `workspace.${what}`
    const payload = { snapshot: snapshot(Number(version)) as never }
    return { v: 1, tenant: 'acme', stream: 'session/desk', seq, type, at: timeOf(seq), actor: 'ada', cause: null, prev: null, payload }
  })
}
const timeOf = (second: number) => new Date(second * 1000).toISOString()
const adopted = (events: readonly RecordedEvent[], version: number, until = 99) =>
  adoptionOf(events, snapshot(version), timeOf(until)).map(({ sequence }) => sequence)

describe('how a snapshot came to be used', () => {
  const cases: readonly [string, readonly string[], number, readonly number[]][] = [
    ['synced and applied', ['ready 1', 'applied 1'], 1, [0, 1]],
    ['approved, then applied', ['ready 1', 'approved 1', 'applied 1'], 1, [0, 1, 2]],
    ['deferred, with another one in between', ['ready 1', 'applied 1', 'ready 2', 'deferred 2', 'applied 2'], 2, [2, 3, 4]],
    ['taken a second time', ['ready 1', 'applied 1', 'ready 2', 'applied 2', 'ready 1', 'applied 1'], 1, [4, 5]],
    ['synced again, and waiting', ['ready 1', 'applied 1', 'ready 2', 'ready 1'], 1, [0, 1]],
    ['reaching a child after its home', ['ready 1', 'applied 1', 'applied 1'], 1, [0, 1, 2]],
    ['never taken', ['ready 1'], 1, []],
    ['never seen', ['ready 1', 'applied 1'], 2, []],
  ]
  it.each(cases)('%s', (_, told, version, expected) => {
    expect(adopted(history(...told), version)).toEqual(expected)
  })

  it('is told up to the step, and nothing after', () => {
    const events = history('ready 1', 'applied 1', 'ready 2', 'applied 2', 'ready 1', 'applied 1')
    expect(adopted(events, 1, 3)).toEqual([0, 1])
  })
})

describe('steps', () => {
  const since = { stream: 'run/r', sequence: 0, type: 'run.created', at: timeOf(0), actor: 'ada' }
  const held = (step: number, mode: ActiveState['mode']['mode']) => ({
    step,
    snapshot: null,
    adopted: [],
    role: null,
    mode: { mode, since },
    policy: null,
  })
  it('are told together while nothing changes, and apart when it changes and changes back', () => {
    const steps = [held(1, 'planning'), held(2, 'planning'), held(3, 'implementation'), held(4, 'planning')]
    expect(grouped(steps).map(({ steps, mode }) => [steps, mode.mode])).toEqual([
      [[1, 2], 'planning'],
      [[3, 3], 'implementation'],
      [[4, 4], 'planning'],
    ])
  })
})
