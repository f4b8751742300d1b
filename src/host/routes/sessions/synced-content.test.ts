// Regression tests for reported defects of sessions and sync (report agentos), each against a real host over HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answered, TestHost } from '../../../testing/hosts/start-host.ts'
import { startHost } from '../../../testing/hosts/start-host.ts'

let host: TestHost
let key: string
beforeAll(async () => {
  host = await startHost()
  key = (await host.makeKey('acme', undefined, { workspaces: ['*'] })).key
})
afterAll(() => host.close())

const config = { provider: 'scripted', model: 'small' }
const post = (path: string, body: unknown = {}): Promise<Answered> => host.ask('POST', `/v1/sessions${path}`, { body, key })
const get = (path: string): Promise<Answered> => host.ask('GET', `/v1/sessions${path}`, { key })
const prelude = (text: string) => JSON.stringify([{ role: 'system', content: text }])

async function publish(workspace: string, files: Record<string, string>): Promise<void> {
  const changes = Object.entries(files).map(([path, text]) => ({ path, text }))
  expect((await host.ask('POST', `/v1/workspaces/${workspace}/commits`, { key, body: { changes } })).status).toBeLessThan(300)
}

async function idle(session: string): Promise<Answered['body']> {
  for (;;) {
    const { body } = await get(`/${session}`)
    if (body.run === null) return body
    await new Promise(resume => setTimeout(resume, 5))
  }
}

/** Events of the newest run in a session. */
async function eventsOf(session: string): Promise<{ type: string; payload: Record<string, never> }[]> {
  const { items } = (await get('')).body
  const { runId } = items.find((one: { session: string }) => one.session === session)
  return (await host.ask('GET', `/v1/streams/run%2F${runId}/events?limit=300`, { key })).body.events
}
// biome-ignore lint/suspicious/noExplicitAny: payloads are looked into as they come
const payloadsOf = async (session: string, type: string): Promise<any[]> =>
  (await eventsOf(session)).filter(event => event.type === type).map(({ payload }) => payload)

/** A session with `a` active and, on request, `b` approved for its next run. */
async function adopted(session: string, workspace: string, approved = false): Promise<void> {
  await post('', { session, config })
  await post(`/${session}/sync`, { workspace, prelude: 'a' })
  await post(`/${session}/apply`, { when: 'immediate_if_idle' })
  if (!approved) return
  await post(`/${session}/sync`, { workspace, prelude: 'b' })
  expect((await post(`/${session}/apply`)).body.outcome).toBe('approved')
}

const files = { 'prompts/packs/a.json': prelude('I am A.'), 'prompts/packs/b.json': prelude('I am B.') }

it('agentos D3: a run gets the prelude that it names, whatever is approved', async () => {
  await publish('w3', files)
  await adopted('s3', 'w3', true)
  const overrides = { ...config, workspace: { name: 'w3' }, prelude: 'a' }
  expect(await post('/s3/runs', { input: 'hi', overrides })).toMatchObject({ status: 201, body: { run: 1 } })
  await idle('s3')
  expect((await payloadsOf('s3', 'step.started')).map(({ snapshot }) => snapshot.prelude.name)).toEqual(['a'])
})

it('agentos D3: a run that names a prelude which was never synced has it, and not an empty one', async () => {
  await publish('w3b', files)
  await post('', { session: 's3b', config: { ...config, workspace: { name: 'w3b' }, prelude: 'a' } })
  expect((await post('/s3b/runs', { input: 'hi', overrides: { ...config, workspace: { name: 'w3b' }, prelude: 'a' } })).status).toBe(201)
  await idle('s3b')
  expect((await payloadsOf('s3b', 'step.started')).map(({ snapshot }) => snapshot.prelude.name)).toEqual(['a'])
})

it('agentos D3, D19: a run that names a workspace which is not there is refused in the answer and in the session', async () => {
  await post('', { session: 's3c', config })
  const refused = await post('/s3c/runs', { input: 'hi', overrides: { ...config, workspace: { name: 'nope' }, prelude: 'a' } })
  expect(refused).toMatchObject({ status: 422, body: { error: 'run_refused', details: { code: 'workspace_missing', run: 1 } } })
  expect((await get('/s3c')).body).toMatchObject({ run: null, refused: { run: 1, stage: 'resolve', code: 'workspace_missing' } })
  await post('/s3c/runs', { input: 'hi' })
  expect((await idle('s3c')).refused).toBeNull()
})

it('agentos D7: the frozen config of a run names what the run uses', async () => {
  await publish('w7', files)
  await adopted('s7', 'w7', true)
  await post('/s7/runs', { input: 'hi' })
  await idle('s7')
  const [{ config: frozen, snapshot }] = await payloadsOf('s7', 'node.started')
  expect([frozen.prelude, snapshot.prelude.name]).toEqual(['b', 'b'])
})

it('agentos D8: a session that names a workspace which is not there is not made', async () => {
  const refused = await post('', { session: 's8', config: { ...config, workspace: { name: 'nope' }, prelude: 'a' } })
  expect(refused).toMatchObject({ status: 404, body: { error: 'workspace_missing' } })
  expect((await get('/s8')).status).toBe(404)
})

it('agentos D8: a session that was never synced does not run without its prompt; the answer says what to do', async () => {
  await publish('w8', files)
  await post('', { session: 's8b', config: { ...config, workspace: { name: 'w8' }, prelude: 'a' } })
  const refused = await post('/s8b/runs', { input: 'hi' })
  expect(refused).toMatchObject({ status: 409, body: { error: 'snapshot_missing' } })
  expect(refused.body.message).toContain('onbook sync s8b')
  await post('/s8b/sync')
  await post('/s8b/apply')
  expect((await post('/s8b/runs', { input: 'hi' })).status).toBe(201)
})

it.each([
  ['{oops', 'it is not JSON'],
  ['{\n "schema_version": 99}', '"schema_version" must be 1, line 2'],
  ['{"schema_version": 1, "promptpacks": {}}', 'promptpacks'],
])('agentos D9: the index %j fails the sync', async (index, message) => {
  await publish('w9', { ...files, 'agent.workspace.json': index })
  await post('', { session: 's9', config })
  const { body } = await post('/s9/sync', { workspace: 'w9', prelude: 'a' })
  expect(body).toMatchObject({ outcome: 'failed', stage: 'index', code: 'index_invalid' })
  expect(body.detail).toContain(message)
})

it('agentos D10: the index maps preludes, catalogs and groups of context', async () => {
  const index = {
    schema_version: 1,
    prompt_packs: { main: 'prompts/packs/v2.json' },
    tool_catalogs: { main: 'tools/v2.json' },
    context_groups: { style: ['context/style'] },
  }
  await publish('w10', {
    'agent.workspace.json': JSON.stringify(index),
    'prompts/packs/main.json': prelude('Old.'),
    'prompts/packs/v2.json': JSON.stringify({ id: 'main', templates: ['t.md'], context: ['style'] }),
    'prompts/templates/t.md': 'New.',
    'context/style/a.md': 'Short words.',
    'tools/v2.json': JSON.stringify([{ name: 'workspace.read' }]),
  })
  await post('', { session: 's10', config })
  const { body } = await post('/s10/sync', { workspace: 'w10', prelude: 'main', catalog: 'main' })
  expect(body).toMatchObject({ outcome: 'ready', snapshot: { prelude: { name: 'main' }, catalog: { name: 'main' } } })
  const stored = await host.ask('GET', `/v1/objects/${body.snapshot.prelude.digest}`, { key })
  expect(JSON.stringify(stored.body)).toContain('New.')
  expect(JSON.stringify(stored.body)).toContain('Short words.')
})

it('agentos D16: another prelude alone is taken from the active version', async () => {
  await publish('w16', files)
  await adopted('s16', 'w16')
  await publish('w16', { 'prompts/packs/b.json': prelude('I am B, and nobody adopted me.') })
  const overrides = { ...config, workspace: { name: 'w16' }, prelude: 'b' }
  expect((await post('/s16/runs', { input: 'hi', overrides })).status).toBe(201)
  await idle('s16')
  const [{ snapshot }] = await payloadsOf('s16', 'node.started')
  expect(snapshot).toMatchObject({ version: 1, prelude: { name: 'b' } })
})

it('agentos D17: a pin is kept, also of the version that is active', async () => {
  await publish('w17', files)
  await adopted('s17', 'w17')
  expect((await post('/s17/sync', { workspace: 'w17', version: 1, prelude: 'a' })).body.outcome).toBe('ready')
  expect((await post('/s17/apply', { when: 'immediate_if_idle' })).body.outcome).toBe('applied')
  expect((await get('/s17')).body.config.workspace).toEqual({ name: 'w17', version: 1 })
  await publish('w17', { 'prompts/packs/a.json': prelude('Newer.') })
  expect((await post('/s17/sync')).body).toMatchObject({ outcome: 'unchanged', version: 1 })
})

it('agentos D18: a sync of what is pending is ready again', async () => {
  await publish('w18', files)
  await post('', { session: 's18', config })
  for (let n = 0; n < 2; n++) expect((await post('/s18/sync', { workspace: 'w18', prelude: 'a' })).body.outcome).toBe('ready')
})

it('agentos D20: an interactive run is completed over HTTP', async () => {
  await post('', { session: 's20', config })
  await post('/s20/runs', { input: 'hi', interactive: true })
  while ((await get('/s20')).body.lifecycle !== 'waiting') await new Promise(resume => setTimeout(resume, 5))
  expect(await post('/s20/commands', { kind: 'complete' })).toMatchObject({ status: 200, body: { kind: 'complete' } })
  expect((await get('/s20')).body).toMatchObject({ lifecycle: 'completed', run: null })
})

it('agentos D22: files in tools/ that are not tools do not fail a sync', async () => {
  await publish('w22', { ...files, 'tools/package.json': '{"name":"@shop/tools","version":"1.0.0"}', 'tools/notes.json': 'not json' })
  await post('', { session: 's22', config })
  const { body } = await post('/s22/sync', { workspace: 'w22', prelude: 'a' })
  expect(body).toMatchObject({ outcome: 'ready', snapshot: { catalog: null, legacy: false } })
})

it.each([
  ['a name with a blank', [{ name: 'two words' }], 'cannot be sent'],
  ['a name of 500 characters', [{ name: 'x'.repeat(500) }], 'cannot be sent'],
  ['a name with a line end', [{ name: 'a\nb' }], 'cannot be sent'],
  ['two names that are sent as one', [{ name: 'a.b' }, { name: 'a_b' }], 'both be sent'],
  ['a reference that leads nowhere', [{ name: 'a', parameters: { $ref: '#/$defs/none' } }], '#/$defs/none'],
  ['a reference to the network', [{ name: 'a', parameters: { $ref: 'https://example.com/a.json' } }], 'nothing is fetched'],
])('agentos D23: %s fails the sync', async (_, catalog, message) => {
  await publish('w23', { 'tools/catalogs/c.json': JSON.stringify(catalog) })
  await post('', { session: 's23', config })
  const { body } = await post('/s23/sync', { workspace: 'w23', catalog: 'c' })
  expect(body).toMatchObject({ outcome: 'failed', stage: 'catalog', code: 'catalog_invalid' })
  expect(body.detail).toContain(message)
})

it('agentos D23: a prelude with a tool call and no result fails the sync', async () => {
  const call = [{ role: 'assistant', content: [{ type: 'tool_call', callId: '1', toolName: 'look', arguments: {} }] }]
  await publish('w23b', { 'prompts/packs/a.json': JSON.stringify(call) })
  await post('', { session: 's23b', config })
  const { body } = await post('/s23b/sync', { workspace: 'w23b', prelude: 'a' })
  expect(body).toMatchObject({ outcome: 'failed', stage: 'prelude', code: 'prelude_invalid' })
})
