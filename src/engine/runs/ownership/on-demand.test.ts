// A process that lives as long as one command: it conducts the runs that it is asked about, and no others.
import { afterEach, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { Fault } from '../../../errors.ts'
import type { Said } from '../../../testing/models/talking-chat.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { PRODUCT_PROJECTIONS } from '../../record/projections.ts'
import { type OnDemand, onDemand } from './on-demand.ts'

const ONE = { id: 'one', objective: 'Work.', nodes: [{ id: 'a' }] }
const never = (): Promise<Said> => new Promise(() => {})

const houses: RunHouse[] = []
function open(owner: string, path: string, say: () => Said | Promise<Said>): RunHouse {
  const house = runHouse(say, { owner }, sqliteStore(path, clock, PRODUCT_PROJECTIONS))
  houses.push(house)
  return house
}
afterEach(async () => {
  for (const house of houses.splice(0)) {
    await house.close()
    await house.store.close()
  }
})

/** A host that began runs `r1` and `r2` and is gone. */
async function abandoned(): Promise<string> {
  const path = freshPath()
  const first = open('first', path, never)
  for (const [index, runId] of ['r1', 'r2'].entries()) {
    await first.create(ONE, {}, runId)
    await first.chat.until('a', index + 1)
  }
  houses.splice(0)
  await first.close()
  await first.store.close()
  return path
}

function command(path: string, parts: Partial<OnDemand> = {}) {
  const house = open('command', path, () => 'Done.')
  const always = { ready: async () => {}, mayConduct: () => true, newOwner: () => 'cli' }
  const runs = onDemand(house.runs, house.store, { ...always, ...parts })
  return { house, runs }
}

it('a resume continues the run that is named, and no other', async () => {
  const { house, runs } = command(await abandoned())
  const before = await house.story('r2')
  expect((await runs.submit(placeOf('r1'), { type: 'resume' })).refusal).toBeNull()
  await runs.quiet(TENANT, 'r1')
  expect((await house.state('r1')).phase).toBe('completed')
  expect(await house.story('r2')).toEqual(before)
})

it('a pause is recorded together with a claim, and starts nothing', async () => {
  const { house, runs } = command(await abandoned())
  const before = (await house.story('r1')).length
  await runs.submit(placeOf('r1'), { type: 'pause' })
  expect((await house.story('r1')).slice(before)).toEqual(['run.claimed', 'run.paused'])
  expect(house.chat.asked).toEqual([])
})

it('a paused run continues after a resume', async () => {
  const path = await abandoned()
  await command(path).runs.submit(placeOf('r1'), { type: 'pause' })
  const { house, runs } = command(path)
  await runs.submit(placeOf('r1'), { type: 'resume' })
  await runs.quiet(TENANT, 'r1')
  expect((await house.state('r1')).phase).toBe('completed')
})

it('a cancel ends what is under way', async () => {
  const { house, runs } = command(await abandoned())
  await runs.submit(placeOf('r1'), { type: 'cancel', reason: 'enough' })
  await runs.quiet(TENANT, 'r1')
  expect((await house.state('r1')).phase).toBe('cancelled')
})

it('a provider that lacks something refuses a resume before anything is recorded', async () => {
  const missing = new Fault('provider_unready', { provider: 'scripted', option: '--script FILE' })
  const { house, runs } = command(await abandoned(), { ready: () => Promise.reject(missing) })
  const before = await house.story('r1')
  await expect(runs.submit(placeOf('r1'), { type: 'resume' })).rejects.toBe(missing)
  expect(await house.story('r1')).toEqual(before)
})

it('while a host works on the record, a command is only left for it', async () => {
  const { house, runs } = command(await abandoned(), { mayConduct: () => false, ready: () => Promise.reject(new Error('not asked')) })
  await runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
  expect((await house.state('r1')).phase).toBe('cancelling')
})

it('a refusal is answered, and nothing is recorded', async () => {
  const { house, runs } = command(await abandoned())
  await runs.submit(placeOf('r1'), { type: 'pause' })
  const before = await house.story('r1')
  expect((await runs.submit(placeOf('r1'), { type: 'pause' })).refusal).toMatchObject({ code: 'run_paused' })
  expect(await house.story('r1')).toEqual(before)
})
