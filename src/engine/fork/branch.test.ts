// A branch continues a run from one of its events, live and with one change: exactly that change shows, and the record of the branch is sound.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { type RunEvent, runStream } from '../../core/run/events.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { recordedStory } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { replayRun } from '../replay/replay.ts'
import { type ForkWork, forkWork } from './forks.ts'
import type { ForkOverlay } from './overlay.ts'

let house: RunHouse
let forks: ForkWork
let [tick, count] = [0, 0]
const validator = sharedValidator()
beforeAll(async () => {
  house = await recordedStory(memoryStore(() => new Date(Date.UTC(2026, 0, 1) + tick++).toISOString(), PRODUCT_PROJECTIONS))
  const failed = (error: Error): never => {
    throw error
  }
  forks = forkWork({ store: house.store, validator, runs: house.runs, hostDefaults: {}, failed })
})
afterAll(async () => {
  await forks.close()
  await house.close()
  await validator.close()
})

async function branch(fromSeq: number, overlay: ForkOverlay = {}): Promise<string> {
  const runId = `b${count++}`
  await forks.fork({ tenant: TENANT, runId, actor: 'ada' }, 'r1', { mode: 'branch', fromSeq, overlay })
  await house.runs.quiet(TENANT, runId)
  return runId
}

const sequenceOf = async (type: RunEvent['type'], nodeId: string): Promise<number> =>
  (await house.events('r1')).findIndex(event => event.type === type && 'nodeId' in event && event.nodeId === nodeId)

const chosen = async (runId: string) =>
  (await house.events(runId)).flatMap(event =>
    event.type === 'prompt.traced' && event.resolved !== null ? [`${event.nodeId} ${event.resolved}`] : [],
  )

it('from every event it ends, keeps what was before to the word, and its own record holds', async () => {
  const source = await house.events('r1')
  for (let fromSeq = 0; fromSeq < source.length; fromSeq += 3) {
    const runId = await branch(fromSeq)
    const { phase, forkOf } = await house.state(runId)
    expect([fromSeq, phase]).toEqual([fromSeq, 'completed'])
    const types = (events: readonly RunEvent[]) => events.slice(0, forkOf!.copied).map(({ type }) => type)
    expect(types(await house.events(runId))).toEqual(types(source))
    expect(await replayRun(house.store, TENANT, runId)).toMatchObject({ identical: true })
  }
})

describe('with another template', () => {
  it('only what comes after it is composed with that', async () => {
    const overlay = { configurable: { promptOverrides: { system: 'prompt:house@1.0.0' } } }
    const runId = await branch(await sequenceOf('node.started', 'reader'), overlay)
    expect(await chosen('r1')).toEqual([
      'writer prompt:desk@1.0.0',
      'writer prompt:task@1.0.0',
      'reader prompt:house@1.0.0',
      'reader prompt:task@1.0.0',
    ])
    expect(await chosen(runId)).toEqual(await chosen('r1'))
    const whole = await branch(0, overlay)
    expect((await chosen(whole))[0]).toBe('writer prompt:house@1.0.0')
    expect(await replayRun(house.store, TENANT, runId)).toMatchObject({ identical: true })
    expect(await replayRun(house.store, TENANT, whole)).toMatchObject({ identical: true })
  })

  it('that is not there it is refused, and leaves nothing behind', async () => {
    const asked = branch(0, { configurable: { promptOverrides: { system: 'prompt:nowhere@1.0.0' } } })
    await expect(asked).rejects.toMatchObject({ code: 'fork_refused', message: expect.stringContaining('prompt:nowhere@1.0.0') })
    expect((await house.store.head(TENANT, runStream(`b${count - 1}`))).seq).toBe(-1)
  })
})

it('with other inputs, another mode and a last word, from the start', async () => {
  const runId = await branch(0, { inputs: { topic: 'the tram' }, mode: 'planning', override: 'Be brief.' })
  const [first] = await house.prompts('writer', runId)
  expect([first!.includes('the tram'), first!.includes('the harbour'), first!.endsWith('Be brief.')]).toEqual([true, false, true])
  expect((await house.state(runId)).mode).toBe('planning')
})

it('other inputs for what has begun are refused', async () => {
  const late = await sequenceOf('step.settled', 'reader')
  await expect(branch(late, { inputs: { topic: 'the tram' } })).rejects.toMatchObject({ code: 'validation_error' })
})

it('with another model every node asks that one', async () => {
  const runId = await branch(0, { model: { provider: 'scripted', model: 'large' } })
  const models = (await house.events(runId)).flatMap(event => (event.type === 'step.started' ? [event.request.parameters.model] : []))
  expect(new Set(models)).toEqual(new Set(['large']))
})
