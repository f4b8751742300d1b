// Tests over HTTP that a workspace's prelude gets a secret only when the operator's policy allows it. The model records its input.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { digestText } from '../../../core/digest/digest.ts'
import type { SecretGrant } from '../../../core/gate/secret-grants.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import type { ChatModel } from '../../../ports.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { type TestSessions, testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'

const PRELUDE = JSON.stringify([
  {
    role: 'system',
    content: [
      { type: 'text', text: 'Key: ' },
      { type: 'secret', id: 'TOKEN' },
    ],
  },
])
const config = { provider: 'noting', model: 'small' }
const sent: string[] = []
const noting: ChatModel = {
  async call({ messages }, { secrets }) {
    for (const part of messages.flatMap(({ content }) => content))
      if (part.type === 'secret') sent.push(`${part.id}=${await secrets.get(part.id)}`)
    return { status: 'ok', content: [{ type: 'text', text: 'Noted.' }], toolCalls: [], finishReason: 'stop' } as never
  },
}
/** Mutable: the operator changes the policy while snapshots stay the same. */
const secretGrants: SecretGrant[] = []

let host: TestHost
let sessions: TestSessions
let key: string
beforeAll(async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  sessions = testSessions(store, undefined, { models: noting, secretGrants, secrets: () => ({ get: async () => 'hunter2hunter2' }) })
  host = await startHost({}, { store, sessions })
  key = (await host.makeKey('acme', undefined, { workspaces: ['*'] })).key
  for (const workspace of ['desk', 'other'])
    await host.ask('POST', `/v1/workspaces/${workspace}/commits`, {
      key,
      body: { changes: [{ path: 'prompts/packs/default.json', text: PRELUDE }] },
    })
  await ask('', { session: 'writer', config })
})
afterAll(async () => {
  await sessions.close()
  await host.close()
})

const ask = (path: string, body: object) => host.ask('POST', `/v1/sessions${path}`, { key, body })
const sync = async (workspace: string) => (await ask('/writer/sync', { workspace, prelude: 'default' })).body

it('agentos D12: without a policy the sync fails, and names the secret, the file and the lines to add', async () => {
  const outcome = await sync('desk')
  expect(outcome).toMatchObject({ outcome: 'failed', stage: 'prelude', code: 'secret_not_granted' })
  expect(outcome.detail).toMatch(/prompts\/packs\/default\.json of workspace desk asks for the secret TOKEN/)
  expect(outcome.detail).toContain('secrets: [{ secrets: [TOKEN], workspaces: [desk] }]')
})

it('agentos D12: the policy lets one workspace use it, the sync says so, and it is sent', async () => {
  secretGrants.push({ secrets: ['TOKEN'], workspaces: ['desk'] })
  expect(await sync('other')).toMatchObject({ outcome: 'failed', code: 'secret_not_granted' })
  const ready = await sync('desk')
  expect(ready).toMatchObject({ outcome: 'ready', warnings: [{ code: 'secret_used', message: expect.stringContaining('TOKEN') }] })
  await ask('/writer/apply', { when: 'immediate_if_idle' })
  await sessions.runs.quiet('acme', (await ask('/writer/runs', { input: 'x' })).body.runId)
  expect(sent).toEqual(['TOKEN=hunter2hunter2'])
})

it('agentos D12: a snapshot that was applied before is not sent once the policy takes the secret back', async () => {
  secretGrants.length = 0
  const { runId } = (await ask('/writer/runs', { input: 'y' })).body
  await sessions.runs.quiet('acme', runId)
  expect(sent).toHaveLength(1)
  const { body } = await host.ask('GET', `/v1/streams/run%2F${runId}/events`, { key })
  const failed = body.events.findLast(({ type }: { type: string }) => type === 'step.settled')
  expect(failed.payload.failure).toMatchObject({ code: 'secret_not_granted', detail: expect.stringContaining('onbook.policy.yaml') })
})

it('agentos D12: a key that is limited to a workspace sends no slot of its own', async () => {
  const { key: limited } = await host.makeKey('acme', undefined, { workspaces: ['desk'] })
  await host.ask('POST', '/v1/sessions', { key: limited, body: { session: 'mine', config } })
  const input = { role: 'user', content: [{ type: 'secret', id: 'TOKEN' }] }
  const { status, body } = await host.ask('POST', '/v1/sessions/mine/runs', { key: limited, body: { input } })
  expect([status, body.error]).toEqual([403, 'secret_not_granted'])
})

it('agentos D2: a prelude names no image by a digest that is not a file of its workspace', async () => {
  const image = (digest: string) => JSON.stringify([{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', digest }] }])
  const commit = async (path: string, text: string) =>
    host.ask('POST', '/v1/workspaces/pictures/commits', { key, body: { changes: [{ path, text }] } })
  await commit('a.png', 'pixels')
  const { body } = await host.ask('GET', '/v1/workspaces/pictures/tree', { key })
  await commit('prompts/packs/default.json', image(digestText(PRELUDE)))
  expect(await sync('pictures')).toMatchObject({ outcome: 'failed', code: 'prelude_invalid' })
  await commit('prompts/packs/default.json', image(body.entries[0].digest))
  expect(await sync('pictures')).toMatchObject({ outcome: 'ready' })
})
