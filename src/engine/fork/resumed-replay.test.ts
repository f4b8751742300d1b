// A replay whose host is gone continues at its last position, from the record, and makes no live call.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import type { Store } from '../../ports.ts'
import { recordedStory } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { testRuns } from '../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { createFork } from './create.ts'
import { forkWork } from './forks.ts'
import { playFork } from './play.ts'

let house: RunHouse
beforeAll(async () => {
  house = await recordedStory(memoryStore(() => new Date().toISOString(), PRODUCT_PROJECTIONS))
})
afterAll(() => house.close())

/** Another process on the same record: it knows nothing of what the first one had in mind. @param commits after so many it is gone */
const process = (commits = Number.POSITIVE_INFINITY): Store => {
  let left = commits
  return {
    ...house.store,
    async commit(commit) {
      if (left-- <= 0) throw new Error('killed')
      return house.store.commit(commit)
    },
  }
}

const begun = async (forkId: string): Promise<string> => {
  await createFork(house.store, TENANT, { runId: 'r1', forkId, mode: 'replay', fromSeq: 0, actor: 'ada' })
  return forkId
}

it('killed after any of its commits, again and again, it comes out as if nobody had been', async () => {
  const expected = await house.story('r1')
  for (const every of [1, 2, 3, 5]) {
    const forkId = await begun(`killed-${every}`)
    let kills = 0
    for (;;) {
      const ended = await playFork({ store: process(every), tenant: TENANT, forkId }).then(
        played => played,
        (error: Error) => (error.message === 'killed' ? null : Promise.reject(error)),
      )
      if (ended !== null) {
        expect([ended.run.state.phase, ended.divergences]).toEqual(['completed', []])
        break
      }
      kills += 1
    }
    expect(kills).toBeGreaterThan(1)
    expect(await house.story(forkId)).toEqual(expected)
  }
})

it('is not taken up by whoever advances runs, nor is anything of it; the next host walks it on', async () => {
  const forkId = await begun('left')
  await playFork({ store: process(4), tenant: TENANT, forkId }).catch(() => {})
  const half = (await house.story(forkId)).length
  const explode = (): never => {
    throw new Error('nobody is to be asked')
  }
  const store = process()
  const runs = testRuns(store, undefined, {
    owner: 'next',
    models: { call: explode, calls: explode, resumes: explode, acts: explode },
    secrets: explode,
    bindings: new Map(),
    adopted: explode,
    watch: explode,
    scrub: explode,
  })
  expect(await runs.resume()).toBe(0)
  expect([(await house.story(forkId)).length, runs.problems]).toEqual([half, []])
  await expect(runs.submit({ tenant: TENANT, runId: forkId, actor: 'ada' }, { type: 'cancel', reason: null })).rejects.toMatchObject({
    code: 'run_is_replay',
  })
  const forks = forkWork({ store, validator: { ask: explode, close: async () => {} }, runs, hostDefaults: {}, failed: explode })
  expect(await forks.resume()).toBe(1)
  await forks.quiet()
  expect(await house.story(forkId)).toEqual(await house.story('r1'))
  await forks.close()
  await runs.close()
})

it('walked by two processes at once, it comes out the same, and neither finds fault', async () => {
  const forkId = await begun('twice')
  const walks = await Promise.all([process(), process()].map(store => playFork({ store, tenant: TENANT, forkId })))
  expect(walks.map(({ divergences }) => divergences)).toEqual([[], []])
  expect(await house.story(forkId)).toEqual(await house.story('r1'))
})

it('a default of the host that was changed since is told as pinned, and nothing diverges', async () => {
  const failed = (error: Error): never => {
    throw error
  }
  const validator = { ask: async () => [], close: async () => {} }
  const forks = forkWork({ store: house.store, validator, runs: house.runs, hostDefaults: { system: 'prompt:desk@1.0.0' }, failed })
  await forks.fork({ tenant: TENANT, runId: 'rotated', actor: 'ada' }, 'r1', { mode: 'replay', fromSeq: 0 })
  await forks.quiet()
  const events = await house.events('rotated')
  expect(events.filter(({ type }) => type === 'version.pinned' || type === 'replay.diverged')).toEqual([
    { type: 'version.pinned', kind: 'system', pinned: 'prompt:house@1.0.0', present: 'prompt:desk@1.0.0' },
  ])
})
