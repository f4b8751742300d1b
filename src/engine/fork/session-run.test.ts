// Forks of runs that worked in a lasting session: they know the session's earlier messages, and add none.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { digestText } from '../../core/digest/digest.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { replayRun } from '../replay/replay.ts'
import { loadSession } from '../sessions/load.ts'
import { type ForkWork, forkWork } from './forks.ts'

let house: RunHouse
let forks: ForkWork
const validator = sharedValidator()
const place = { tenant: TENANT, session: 'desk', actor: 'ada' }

beforeAll(async () => {
  house = runHouse(({ time }) => `Answer ${time}.`)
  await house.runs.sessions.submit(place, {
    type: 'create',
    session: 'desk',
    config: { ...emptyConfig, provider: 'scripted', model: 'small' },
  })
  for (const runId of ['r1', 'r2']) await ask(runId)
  const failed = (error: Error): never => {
    throw error
  }
  forks = forkWork({ store: house.store, validator, runs: house.runs, hostDefaults: {}, failed })
})
afterAll(async () => {
  await forks.close()
  await house.close()
  await house.store.close()
})

async function ask(runId: string): Promise<void> {
  const text = `Question of ${runId}`
  const objects = [new TextEncoder().encode(text)]
  await house.runs.ask(
    { tenant: TENANT, runId, actor: 'ada' },
    { session: 'desk', input: digestText(text), overrides: null, interactive: false, objects },
  )
  await house.runs.quiet(TENANT, runId)
}

const stepOf = async (runId: string) =>
  (await house.events(runId)).find((event): event is Extract<RunEvent, { type: 'step.started' }> => event.type === 'step.started')!
const saidIn = async () => (await loadSession(house.store, TENANT, 'desk')).state.history.count

it.each([0, 1, 3])('a branch from event %i is asked with the history of its source, and the session stays as it was', async fromSeq => {
  const runId = `branch-${fromSeq}`
  const [before, source] = [await saidIn(), await stepOf('r2')]
  await forks.fork({ tenant: TENANT, runId, actor: 'ada' }, 'r2', { mode: 'branch', fromSeq, overlay: {} })
  await house.runs.quiet(TENANT, runId)
  expect((await house.state(runId)).phase).toBe('completed')
  expect(source.request.history.count).toBe(3)
  expect((await stepOf(runId)).request.history).toEqual(source.request.history)
  expect(await saidIn()).toBe(before)
  expect(await replayRun(house.store, TENANT, runId)).toMatchObject({ identical: true })
})
