// Settings on record.
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { HOST_STREAM, recordConfig } from './record-config.ts'

const initial: JsonObject = { agentBindings: true, hostDefaults: {} }

it('a setting that changes is an event with what it was, and one that stays is none', async () => {
  const store = memoryStore(() => '2026-01-01T00:00:00.000Z', PRODUCT_PROJECTIONS)
  const set = (config: JsonObject) => recordConfig(store, 'test', config, initial)
  expect(await set(initial)).toEqual([])
  const first: JsonObject = { agentBindings: true, hostDefaults: { system: 'prompt:a@1.0.0' } }
  expect(await set(first)).toEqual([{ setting: 'hostDefaults.system', from: null, to: 'prompt:a@1.0.0' }])
  expect(await set(first)).toEqual([])
  expect(await set({ agentBindings: false, hostDefaults: { system: 'prompt:b@1.0.0' } })).toEqual([
    { setting: 'agentBindings', from: true, to: false },
    { setting: 'hostDefaults.system', from: 'prompt:a@1.0.0', to: 'prompt:b@1.0.0' },
  ])
  const events = []
  for await (const { event } of store.read(HOST_TENANT, HOST_STREAM, -1)) events.push(event)
  expect(events.map(({ type, actor }) => [type, actor])).toEqual([
    ['host.configured', 'test'],
    ['host.configured', 'test'],
  ])
  await store.close()
})

it('a setting that a later version adds has not changed', async () => {
  const store = memoryStore(() => '2026-01-01T00:00:00.000Z', PRODUCT_PROJECTIONS)
  await recordConfig(store, 'test', { agentBindings: false, hostDefaults: {} }, initial)
  const later: JsonObject = { ...initial, model: null, tools: { bind: [] } }
  expect(await recordConfig(store, 'test', { ...later, agentBindings: false }, later)).toEqual([])
  expect(await recordConfig(store, 'test', { ...later, agentBindings: false, tools: { bind: ['command'] } }, later)).toEqual([
    { setting: 'tools.bind', from: [], to: ['command'] },
  ])
  await store.close()
})
