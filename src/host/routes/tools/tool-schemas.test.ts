// Tests that a workspace's catalog narrows the arguments of a host's tool and never widens them. Over HTTP, with a scripted model.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../../core/digest/digest.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import type { Binding } from '../../../ports.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { type TestSessions, testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'

const received: Json[] = []
const transfer: Binding = {
  descriptor: {
    name: 'transfer',
    description: 'Transfers money.',
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'number', maximum: 100 } },
      required: ['amount'],
      additionalProperties: false,
    },
  },
  async run({ arguments: given }) {
    received.push(given)
    return { ok: true }
  },
}

const call = (session: string, args: Json) =>
  `  - match: { step: 1, last: "${session}" }\n    toolCalls: [{ toolName: transfer, arguments: ${JSON.stringify(args)} }]\n`
const SCRIPT = `replies:\n${call('widened', { amount: 1_000_000, memo: 'x' })}${call('narrowed', { amount: 50 })}${call('fitting', { amount: 7 })}  - match: {}\n    text: Done.\n`

let host: TestHost
let sessions: TestSessions
let key: string
beforeAll(async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  sessions = testSessions(store, SCRIPT, { bindings: new Map([['transfer', transfer]]), grants: [{ tools: ['transfer'] }] })
  host = await startHost({}, { store, sessions })
  key = (await host.makeKey('acme', undefined, { workspaces: ['*'] })).key
})
afterAll(async () => {
  await sessions.close()
  await host.close()
})

const commit = (workspace: string, files: Record<string, Json>) =>
  host.ask('POST', `/v1/workspaces/${workspace}/commits`, {
    key,
    body: { changes: Object.entries(files).map(([path, value]) => ({ path, text: JSON.stringify(value) })) },
  })

/** The decision on the first call of a session whose workspace describes the tool with this schema. */
async function judged(name: string, parameters: Json) {
  const ask = (path: string, body: object) => host.ask('POST', `/v1/sessions${path}`, { key, body })
  await commit(name, { 'tools/catalogs/main.json': { tools: [{ name: 'transfer', description: 'Transfers.', parameters }] } })
  await ask('', { session: name, config: { provider: 'scripted', model: 'small' } })
  expect((await ask(`/${name}/sync`, { workspace: name, catalog: 'main' })).body).toMatchObject({ outcome: 'ready' })
  await ask(`/${name}/apply`, { when: 'immediate_if_idle' })
  const { runId } = (await ask(`/${name}/runs`, { input: name })).body
  await sessions.runs.quiet('acme', runId)
  const { events } = (await host.ask('GET', `/v1/streams/run%2F${runId}/events`, { key })).body
  return events.find(({ type }: { type: string }) => type === 'call.judged')?.payload.verdict
}

it('agentos D1: a catalog of a workspace does not switch off the schema of the host binding', async () => {
  const verdict = await judged('widened', { type: 'object' })
  expect(verdict.decision).toBe('refused')
  expect(verdict.conditions[0]).toMatchObject({ condition: 'well_formed', outcome: 'failed' })
  expect(verdict.conditions[0].reason).toMatch(/schema of the host's own tool.*amount/)
  expect(received).toEqual([])
})

it('agentos D1: a catalog of a workspace narrows the schema, and the verdict names that schema', async () => {
  const verdict = await judged('narrowed', { type: 'object', properties: { amount: { type: 'number', maximum: 10 } } })
  expect(verdict.decision).toBe('refused')
  expect(verdict.conditions[0].reason).toMatch(/schema that the model was shown.*amount/)
  expect((await judged('fitting', { type: 'object', properties: { amount: { maximum: 10 } } })).decision).toBe('allowed')
  expect(received).toEqual([{ amount: 7 }])
})

it('agentos D25: a descriptor file that describes another tool than its name is refused at sync', async () => {
  await commit('misnamed', {
    'tools/catalogs/main.json': { tools: ['d'] },
    'tools/descriptors/d.json': { name: 'e', description: '', parameters: { type: 'object' } },
  })
  await host.ask('POST', '/v1/sessions', { key, body: { session: 'misnamed' } })
  const { body } = await host.ask('POST', '/v1/sessions/misnamed/sync', { key, body: { workspace: 'misnamed', catalog: 'main' } })
  expect(body).toMatchObject({ outcome: 'failed', stage: 'catalog' })
  expect(body.detail).toMatch(/tools\/descriptors\/d\.json.*"d".*"e"/)
})
