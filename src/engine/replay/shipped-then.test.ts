// Built-in texts when a step was recorded: this release's texts for the same version, the record's texts for another. Real store, real run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shipped } from '../../core/compose/shipped.ts'
import { SHIPPED_BLOCKS } from '../../core/compose/shipped-blocks.ts'
import { digestText, type Json } from '../../core/digest/digest.ts'
import { templateText } from '../../core/library/template.ts'
import type { PromptTemplate, StepStarted } from '../../core/turn/events.ts'
import { withHistory } from '../../testing/mutations/changed-store.ts'
import { readStory, recordedStory, type Story } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { catalogText } from '../turns/catalog-text.ts'
import { REQUEST_DESCRIPTOR } from '../turns/request-implementation.ts'
import { SHIPPED } from '../turns/shipped.ts'
import { replayRun } from './replay.ts'
import { shippedThen } from './shipped-then.ts'

let house: RunHouse
let story: Story
const OLD = shipped({ ...SHIPPED_BLOCKS.system.template, version: '0.9.0', text: 'You are a node.' })
const OLD_CATALOG = catalogText([{ ...REQUEST_DESCRIPTOR, description: 'Ask.' }])
const OTHER_CATALOG = catalogText([{ ...REQUEST_DESCRIPTOR, name: 'ask' }])
const OTHER_BLOCK = 'You are nobody.'
beforeAll(async () => {
  house = await recordedStory()
  story = await readStory(house)
  const texts = [templateText(OLD.template), OLD_CATALOG, OTHER_CATALOG, OTHER_BLOCK]
  await house.store.commit({ tenant: TENANT, objects: texts.map(text => new TextEncoder().encode(text)) })
})
afterAll(async () => {
  await house.close()
  await house.store.close()
})

const steps = () => story.events.filter(({ type }) => type === 'step.started')
const stepIn = (mode: string): StepStarted =>
  steps()
    .map(({ payload }) => payload as unknown as StepStarted)
    .find(({ prompt }) => prompt.mode === mode)!
const withContract = (step: StepStarted, change: Partial<PromptTemplate>): StepStarted => ({
  ...step,
  prompt: { ...step.prompt, templates: step.prompt.templates.map(one => (one.part === 'contract' ? { ...one, ...change } : one)) },
})
const withPlanning = (text: string): StepStarted => {
  const step = stepIn('planning')
  return { ...step, request: { ...step.request, tools: [...step.request.tools!.slice(0, -1), digestText(text)] } }
}

it.each(['planning', 'implementation'] as const)('what has the version of this release is its own, and nothing is read: %s', async mode => {
  const store = { ...house.store, object: () => Promise.reject(new Error('read')) }
  const { blocks, planning } = await shippedThen(store, TENANT, stepIn(mode), mode)
  expect(blocks.system).toBe(SHIPPED.blocks.system)
  expect(blocks.modes).toEqual(SHIPPED.blocks.modes)
  expect(planning).toBe(SHIPPED.planning)
})

it('another version is what the record holds, and the same object every time', async () => {
  const step = withContract(stepIn('implementation'), { ref: OLD.ref, template: OLD.digest })
  const [once, again] = [
    await shippedThen(house.store, TENANT, step, 'implementation'),
    await shippedThen(house.store, TENANT, step, 'implementation'),
  ]
  expect(once.blocks.system).toEqual(OLD)
  expect(again.blocks.system).toBe(once.blocks.system)
  expect(once.blocks.modes).toEqual(SHIPPED.blocks.modes)
})

it('a template that never shipped is not taken for one that did', async () => {
  const step = withContract(stepIn('implementation'), { ref: 'prompt:house@1.0.0', template: OLD.digest })
  expect((await shippedThen(house.store, TENANT, step, 'implementation')).blocks.system).toBe(SHIPPED.blocks.system)
})

it('what planning adds is as it was shown; another catalog is not taken for it', async () => {
  expect((await shippedThen(house.store, TENANT, withPlanning(OLD_CATALOG), 'planning')).planning).toBe(OLD_CATALOG)
  expect((await shippedThen(house.store, TENANT, withPlanning(OTHER_CATALOG), 'planning')).planning).toBe(SHIPPED.planning)
})

describe('a record that was changed', () => {
  const replayed = (change: (step: StepStarted) => StepStarted) => {
    const { seq } = steps()[0]!
    const store = withHistory(house.store, ['run/r1'], one =>
      one.seq === seq ? { ...one, payload: change(one.payload as unknown as StepStarted) as unknown as Json } : one,
    )
    return replayRun(store, TENANT, 'r1')
  }

  it('has other words under the same version: named to the byte', async () => {
    const { divergences } = await replayed(step => ({
      ...step,
      prompt: { ...step.prompt, blocks: { ...step.prompt.blocks, system: digestText(OTHER_BLOCK) } },
    }))
    expect(divergences).toHaveLength(1)
    expect(divergences[0]).toMatchObject({ sequence: steps()[0]!.seq, block: 'system', template: SHIPPED.blocks.system.ref })
    expect(divergences[0]!.span!.start).toBe('You are '.length)
  })

  it.each([
    ['names another version than its bytes have', { ref: OLD.ref }],
    ['names other bytes under the same version', { template: OLD.digest }],
  ])('%s: named', async (_, change) => {
    const { divergences } = await replayed(step => withContract(step, change))
    expect(divergences.map(({ sequence, field }) => [sequence, field])).toEqual([[steps()[0]!.seq, 'templates']])
  })
})
