// Tests sessions over real HTTP: created, run, synced, applied, shown. A malformed request is refused with its own code.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { digestBytes, type Json } from '../../../core/digest/digest.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import type { Binding } from '../../../ports.ts'
import { type Answered, startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'

let host: TestHost
let key: string
beforeAll(async () => {
  host = await startHost()
  key = (await host.makeKey('acme', undefined, { workspaces: ['*'] })).key
})
afterAll(() => host.close())

const config = { provider: 'scripted', model: 'small' }
const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answered> =>
  host.ask('POST', `/v1/sessions${path}`, { body, key, headers })
const get = (path: string): Promise<Answered> => host.ask('GET', `/v1/sessions${path}`, { key })

async function ended(session: string): Promise<Answered> {
  for (;;) {
    const found = await get(`/${session}`)
    if (found.body.run === null) return found
    await new Promise(resume => setTimeout(resume, 5))
  }
}

/** Events of the newest run in a session. */
// biome-ignore lint/suspicious/noExplicitAny: payloads are looked into as they come
const runEvents = async (session: string, of = host, as = key): Promise<any[]> => {
  const { items } = (await of.ask('GET', '/v1/sessions', { key: as })).body
  const { runId } = items.find((one: { session: string }) => one.session === session)
  return (await of.ask('GET', `/v1/streams/run%2F${runId}/events`, { key: as })).body.events
}

const publish = async (files: Record<string, string>): Promise<void> => {
  const changes = Object.entries(files).map(([path, text]) => ({ path, text }))
  expect((await host.ask('POST', '/v1/workspaces/desk/commits', { key, body: { changes } })).status).toBeLessThan(300)
}
const prelude = (text: string) => JSON.stringify([{ role: 'system', content: text }])

it('is made, runs with what is stored, and shows what was said', async () => {
  const { body: object, status } = await host.ask('POST', '/v1/objects', {
    key,
    body: prelude('Be brief.'),
    headers: { 'content-type': 'text/plain' },
  })
  expect(status).toBe(201)
  const made = await post('', { session: 'direct', config: { ...config, promptDigests: [object.digest] } })
  expect(made).toMatchObject({ status: 201, body: { session: 'direct', config: { provider: 'scripted', prelude: null } } })
  const asked = await post('/direct/runs', { input: '{"not": "a message"}' })
  expect(asked).toMatchObject({ status: 201, body: { session: 'direct', run: 1, runId: expect.stringMatching(/^run_/) } })
  const { body } = await ended('direct')
  expect(body).toMatchObject({ lifecycle: 'completed', messages: 2, runs: 1, workspace: { active: null } })
  const { runId } = asked.body
  const { items } = (await get('')).body
  expect(items.find((one: { session: string }) => one.session === 'direct')).toMatchObject({ run: 1, runId, open: false })
  expect((await host.ask('GET', `/v1/runs/${runId}`, { key })).body).toMatchObject({ status: 'completed', outputs: { session: 'Noted.' } })
  const { body: said } = await get('/direct/transcript')
  expect(said.entries.map((entry: { messages: object[] }) => entry.messages[0])).toEqual([
    { role: 'user', content: [{ type: 'text', text: '{"not": "a message"}' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Noted.' }] },
  ])
  expect((await get('/direct/transcript?from=1&limit=1')).body.entries).toMatchObject([{ index: 1 }])
})

it('shows what was said from anywhere, however long it is', async () => {
  await post('', { session: 'long', config })
  for (let n = 0; n < 18; n++) {
    await post('/long/runs', { input: `Message ${n}` })
    await ended('long')
  }
  const texts: string[] = []
  for (let from: number | null = 0; from !== null; ) {
    const { body }: Answered = await get(`/long/transcript?from=${from}&limit=7`)
    texts.push(...body.entries.map((entry: { messages: { content: { text: string }[] }[] }) => entry.messages[0]!.content[0]!.text))
    from = body.next
  }
  expect(texts).toEqual(Array.from({ length: 18 }, (_, n) => [`Message ${n}`, 'Noted.']).flat())
  expect((await get('/long/transcript?from=33&limit=1')).body.entries[0].messages[0].content[0].text).toBe('Noted.')
})

it('changes by sync and apply alone', async () => {
  await publish({ 'prompts/packs/default.json': prelude('One.') })
  await post('', { session: 'synced', config })
  const ready = await post('/synced/sync', { workspace: 'desk', prelude: 'default' })
  expect(ready).toMatchObject({ status: 200, body: { outcome: 'ready', snapshot: { version: 1 }, warnings: [] } })
  expect((await post('/synced/apply', { when: 'immediate_if_idle' })).body).toMatchObject({ outcome: 'applied', at: 'now' })
  expect((await get('/synced')).body).toMatchObject({
    config: { workspace: { name: 'desk' } },
    workspace: { active: { version: 1 }, pending: null },
  })
  expect((await post('/synced/sync')).body).toMatchObject({ outcome: 'unchanged', version: 1 })
  await publish({ 'prompts/packs/default.json': '{"nothing": true}' })
  expect(await post('/synced/sync')).toMatchObject({ status: 200, body: { outcome: 'failed', stage: 'prelude', code: 'prelude_invalid' } })
  expect(await post('/synced/apply')).toMatchObject({ status: 200, body: { outcome: 'refused', code: 'nothing_pending' } })
  expect((await get('/synced')).body.workspace.active.version).toBe(1)
})

it('takes what was applied for the next step while a tool is at work, and the run keeps what it froze', async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  let begin = () => {}
  const began = new Promise<void>(resolve => {
    begin = resolve
  })
  let finish = (_: Json) => {}
  const slow: Binding = {
    descriptor: { name: 'slow', description: '', inputSchema: { type: 'object' } },
    run: () =>
      new Promise<Json>(resolve => {
        finish = resolve
        begin()
      }),
  }
  const script = 'replies:\n  - match: { step: 1 }\n    toolCalls: [{ toolName: slow, arguments: {} }]\n  - match: {}\n    text: Done.\n'
  const bindings = new Map([['slow', slow]])
  const sessions = testSessions(store, script, { bindings, grants: [{ tools: ['slow'] }], hostCatalog: [slow.descriptor] })
  const busy = await startHost({}, { store, sessions })
  const { key: any } = await busy.makeKey('acme', undefined, { workspaces: ['*'] })
  const ask = async (path: string, body: object) => (await busy.ask('POST', path, { key: any, body })).body
  const commit = (text: string) =>
    ask('/v1/workspaces/desk/commits', { changes: [{ path: 'prompts/packs/default.json', text: prelude(text) }] })
  await commit('One.')
  await ask('/v1/sessions', { session: 'w', config })
  await ask('/v1/sessions/w/sync', { workspace: 'desk', prelude: 'default' })
  await ask('/v1/sessions/w/apply', { when: 'immediate_if_idle' })
  await ask('/v1/sessions/w/runs', { input: 'Hello' })
  await began
  await commit('Two.')
  expect(await ask('/v1/sessions/w/sync', {})).toMatchObject({ outcome: 'ready', snapshot: { version: 2 } })
  expect(await ask('/v1/sessions/w/apply', { when: 'next_step_boundary' })).toMatchObject({ outcome: 'approved', at: 'step' })
  await commit('Three.')
  await ask('/v1/sessions/w/sync', {})
  finish({ ok: true })
  await vi.waitFor(async () => expect((await busy.ask('GET', '/v1/sessions/w', { key: any })).body.run).toBeNull())
  const steps = (await runEvents('w', busy, any)).filter(({ type }) => type === 'step.started')
  expect(steps.map(({ payload }) => payload.snapshot.version)).toEqual([1, 2])
  // The later sync waits for an apply.
  expect((await busy.ask('GET', '/v1/sessions/w', { key: any })).body.workspace).toMatchObject({
    active: { version: 2 },
    pending: { snapshot: { version: 3 } },
  })
  await sessions.close()
  await busy.close()
})

describe('what is asked twice under one key', () => {
  const once = { 'idempotency-key': 'one-and-only' }
  const types = async (session: string) => (await get(`/${session}/events`)).body.events.map(({ type }: { type: string }) => type)

  it('is one run, one sync, one apply', async () => {
    await publish({ 'prompts/packs/once.json': prelude('Once.') })
    await post('', { session: 'once', config })
    const asks: readonly [string, object][] = [
      ['/once/sync', { workspace: 'desk', prelude: 'once' }],
      ['/once/apply', { when: 'immediate_if_idle' }],
      ['/once/runs', { input: 'Hello' }],
    ]
    for (const [path, body] of asks) {
      const first = await post(path, body, once)
      const again = await post(path, body, once)
      expect(first.headers.get('openwop-idempotent-replay')).toBeNull()
      expect([again.status, again.body, again.headers.get('openwop-idempotent-replay')]).toEqual([first.status, first.body, 'true'])
      expect((await post(path, { ...body, other: 1 }, once)).status).toBe(400)
      await ended('once')
    }
    const counted = await types('once')
    for (const type of ['workspace.syncRequested', 'workspace.applyRequested', 'run.attached'])
      expect(counted.filter((one: string) => one === type)).toHaveLength(1)
    expect((await post('/once/runs', { input: 'Something else' }, once)).body.error).toBe('idempotency_key_mismatch')
  })

  it('is one session, also when nobody gave it a name', async () => {
    const [first, again] = [await post('', { config }, once), await post('', { config }, once)]
    expect(first.body.session).toMatch(/^session-/)
    expect(again.body).toEqual(first.body)
    expect(first.headers.get('location')).toBe(`/v1/sessions/${first.body.session}`)
  })
})

describe('what cannot be', () => {
  const NOWHERE = `sha256:${'0'.repeat(64)}`
  const CALL = { role: 'assistant', content: [{ type: 'tool_call', callId: 'a', toolName: 'look', arguments: {} }] }
  const RESULT = { role: 'tool', content: [{ type: 'tool_result', callId: 'a', toolName: 'look', output: 'x' }] }
  const cases: readonly [string, string, object, number, string][] = [
    ['a session that is not there', '/nobody/runs', { input: 'x' }, 404, 'session_missing'],
    ['a name that is taken', '', { session: 'refusals' }, 409, 'session_exists'],
    ['a name that leads elsewhere', '', { session: '..' }, 400, 'validation_error'],
    ['a run whose overrides name no provider', '/refusals/runs', { input: 'x', overrides: {} }, 422, 'provider_unset'],
    ['a sync without a workspace', '/refusals/sync', {}, 422, 'workspace_unset'],
    ['a prelude that leads elsewhere', '/refusals/sync', { workspace: 'desk', prelude: '..' }, 400, 'validation_error'],
    ['input for nobody', '/refusals/input', { message: 'x' }, 404, 'run_missing'],
    ['a pause of nothing', '/refusals/commands', { kind: 'pause' }, 409, 'command_not_allowed'],
    ['a steer that says nothing', '/refusals/commands', { kind: 'steer' }, 400, 'validation_error'],
    ['a run of another time', '/refusals/commands', { kind: 'cancel', run: 7 }, 409, 'command_stale'],
    ['an object that is not there, as input', '/refusals/runs', { input: { digest: NOWHERE }, overrides: config }, 404, 'object_missing'],
    ['an object that is not there, in a config', '', { config: { ...config, promptDigests: [NOWHERE] } }, 404, 'object_missing'],
    ['a message that is none', '/refusals/runs', { input: { role: 'user', content: 7 } }, 400, 'validation_error'],
    ['a tool call without a result', '/refusals/runs', { input: CALL, overrides: config }, 400, 'validation_error'],
    ['a result of no tool call', '/refusals/runs', { input: RESULT, overrides: config }, 400, 'validation_error'],
    ['a config with more in it', '', { config: { ...config, mood: 1 } }, 400, 'validation_error'],
  ]
  beforeAll(() => post('', { session: 'refusals' }))

  it.each(cases)('%s is refused with its own code, and changes nothing', async (_, path, body, status, code) => {
    const { seq: __, ...before } = (await get('/refusals')).body
    expect(await post(path, body)).toMatchObject({ status, body: { error: code } })
    const { seq: ___, ...after } = (await get('/refusals')).body
    expect(after).toEqual(before)
  })

  it('another tenant’s object is not there, whoever names it', async () => {
    const { key: other } = await host.makeKey('umbrella', undefined, { workspaces: ['*'] })
    const { body: theirs } = await host.ask('POST', '/v1/objects', {
      key: other,
      body: prelude('Theirs.'),
      headers: { 'content-type': 'text/plain' },
    })
    expect((await post('', { config: { ...config, promptDigests: [theirs.digest] } })).body.error).toBe('object_missing')
    expect((await post('/refusals/runs', { input: theirs, overrides: config })).status).toBe(400)
    expect((await post('/refusals/runs', { input: { digest: theirs.digest }, overrides: config })).body.error).toBe('object_missing')
    expect((await host.ask('GET', `/v1/objects/${theirs.digest}`, { key })).body.error).toBe('object_missing')
  })

  it('a key names no workspace that it is no member of, wherever it names it', async () => {
    const { key: guest } = await host.makeKey('acme', undefined, { workspaces: ['elsewhere'] })
    const named = { ...config, workspace: { name: 'desk' } }
    const asks: readonly [string, string, object][] = [
      ['POST', '', { config: named }],
      ['PUT', '/refusals/config', named],
      ['POST', '/refusals/runs', { overrides: named }],
      ['POST', '/refusals/sync', { workspace: 'desk' }],
    ]
    for (const [method, path, body] of asks)
      expect((await host.ask(method, `/v1/sessions${path}`, { key: guest, body })).body.error, path).toBe('workspace_membership_required')
    // A config that another key has set does not bypass the check.
    await post('', { session: 'named', config: named })
    expect((await host.ask('POST', '/v1/sessions/named/sync', { key: guest, body: {} })).body.error).toBe('session_missing')
  })

  it('a second run is refused while one is open', async () => {
    await post('', { session: 'busy', config })
    await post('/busy/runs', { input: 'first', interactive: true })
    expect(await post('/busy/runs', { input: 'second' })).toMatchObject({ status: 409, body: { error: 'run_already_active' } })
    await vi.waitFor(async () => expect((await get('/busy')).body.lifecycle).toBe('waiting'))
    expect((await post('/busy/commands', { kind: 'cancel', reason: 'enough' })).status).toBe(200)
    expect((await ended('busy')).body.lifecycle).toBe('cancelled')
  })
})

it('pauses, resumes, takes messages and completes; a command that does not fit is refused with its own code', async () => {
  await post('', { session: 'told', config })
  const { runId } = (await post('/told/runs', { input: 'first', interactive: true })).body
  const lifecycle = (state: string) => vi.waitFor(async () => expect((await get('/told')).body.lifecycle).toBe(state))
  const command = async (body: object) => {
    const { status, body: answer } = await post('/told/commands', body)
    return status === 200 ? answer.kind : [status, answer.error]
  }
  await lifecycle('waiting')
  expect((await get('/told')).body.run).toMatchObject({ run: 1, runId, nodeId: 'session', phase: 'waiting', interactive: true, steps: 1 })
  expect(await command({ kind: 'resume' })).toEqual([409, 'run_not_paused'])
  expect(await command({ kind: 'pause' })).toBe('pause')
  expect(await command({ kind: 'pause' })).toEqual([409, 'run_paused'])
  await lifecycle('paused')
  expect(await command({ kind: 'resume', run: 1 })).toBe('resume')
  expect(await command({ kind: 'pause', run: 2 })).toEqual([409, 'command_stale'])
  await lifecycle('waiting')
  expect(await command({ kind: 'steer', id: 'm1', message: 'Shorter.' })).toBe('steer')
  expect(await command({ kind: 'steer', id: 'm1', message: 'Shorter.' })).toEqual([409, 'command_duplicate'])
  expect((await get('/told')).body.waiting).toEqual({ steers: 1, followUps: 0 })
  expect((await post('/told/input', { message: 'More.' })).body).toEqual({ session: 'told', run: 1 })
  await vi.waitFor(async () => expect((await get('/told')).body).toMatchObject({ lifecycle: 'waiting', run: { steps: 2 } }))
  expect(await command({ kind: 'complete' })).toBe('complete')
  expect((await ended('told')).body).toMatchObject({ lifecycle: 'completed', messages: 5, run: null })
  expect(await command({ kind: 'complete' })).toEqual([409, 'command_not_allowed'])
  expect(await command({ kind: 'follow-up', message: 'Later.' })).toBe('follow-up')
  expect((await get('/told')).body.waiting).toEqual({ steers: 0, followUps: 1 })
})

it('shows how its node ended, while the run of the graph goes on', async () => {
  const workflow = {
    id: 'two-desks',
    objective: 'Go.',
    orchestration: 'interactive',
    nodes: [{ id: 'clerk', session: 'desk-one' }, { id: 'editor' }],
    edges: [{ from: 'clerk', to: 'editor' }],
  }
  await host.ask('PUT', '/v1/workflows/two-desks', { key, body: workflow })
  await post('', { session: 'desk-one', config })
  const { runId } = (await host.ask('POST', '/v1/runs', { key, body: { workflowId: 'two-desks' } })).body
  await vi.waitFor(async () => expect((await get('/desk-one')).body.lifecycle).toBe('waiting'))
  expect((await get('/desk-one')).body.run).toMatchObject({ runId, nodeId: 'clerk' })
  await post('/desk-one/commands', { kind: 'complete' })
  expect((await get('/desk-one')).body).toMatchObject({ lifecycle: 'completed', run: null })
  expect((await host.ask('GET', `/v1/runs/${runId}`, { key })).body.status).not.toBe('completed')
  await host.ask('POST', `/v1/runs/${runId}/cancel`, { key, body: {} })
})

it('is followed as it happens, pieces of replies included, and taken up where a reader left', async () => {
  await post('', { session: 'followed', config })
  const follow = async (headers: Record<string, string>, until: string): Promise<string> => {
    const stop = new AbortController()
    const answer = await fetch(`${host.url}/v1/sessions/followed/events`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
      signal: stop.signal,
    })
    let text = ''
    for await (const chunk of answer.body!) {
      text += Buffer.from(chunk).toString()
      if (text.includes(until)) break
    }
    stop.abort()
    return text
  }
  const following = follow({}, 'event: run.detached')
  await vi.waitFor(async () => expect((await post('/followed/runs', { input: 'Hello' })).status).toBe(201))
  const text = await following
  expect(text).toMatch(/id: 0\nevent: session.created\n/)
  expect(text).toContain('\n\nevent: delta\ndata: {"kind":"text","text":"Noted."}\n\n')
  expect(await follow({ 'last-event-id': '1' }, 'event: run.detached')).not.toContain('event: run.attached')
})

it('sync warns of tools that no binding and no grant is there for', async () => {
  const tool = (name: string) => ({ name, description: '', parameters: { type: 'object' } })
  await publish({
    'prompts/packs/tools.json': prelude('Use tools.'),
    'tools/catalogs/all.json': JSON.stringify({ tools: ['workspace.read', 'introspect.session', 'pay'].map(tool) }),
  })
  await post('', { session: 'warned', config })
  const { body } = await post('/warned/sync', { workspace: 'desk', prelude: 'tools', catalog: 'all' })
  expect(body).toMatchObject({ outcome: 'ready', warnings: [{ code: 'tool_ungranted' }, { code: 'tool_unbound' }] })
  const { body: shown } = await host.ask('GET', '/v1/tools', { key })
  expect(shown.tools.map(({ name, granted }: { name: string; granted: boolean }) => [name, granted])).toEqual([
    ['introspect.session', false],
    ['workspace.read', true],
  ])
})

describe('objects', () => {
  const raw = (body: Uint8Array) => host.ask('POST', '/v1/objects', { key, body, headers: { 'content-type': 'application/octet-stream' } })

  it('of fifty megabytes go in and come out as they were', async () => {
    const bytes = new Uint8Array(50 * 1024 * 1024).map((_, index) => (index * 31) >> 3)
    const { status, body } = await raw(bytes)
    expect([status, body.size]).toEqual([201, bytes.length])
    const answer = await fetch(`${host.url}/v1/objects/${body.digest}`, { headers: { authorization: `Bearer ${key}` } })
    expect(digestBytes(new Uint8Array(await answer.arrayBuffer()))).toBe(body.digest)
  })

  it('that are too large, or would pass for a folder, are refused', async () => {
    expect(await raw(new Uint8Array(64 * 1024 * 1024 + 1))).toMatchObject({ status: 413 })
    expect(await raw(Buffer.from('{"$node":"history","messages":[]}'))).toMatchObject({ status: 422, body: { error: 'file_reserved' } })
  })

  it('that are no messages cannot be said', async () => {
    const { body } = await raw(new Uint8Array([0xff, 0xfe, 0x00]))
    await post('', { session: 'unfit', config })
    expect(await post('/unfit/runs', { input: { digest: body.digest } })).toMatchObject({
      status: 422,
      body: { error: 'object_malformed' },
    })
    const { body: half } = await raw(
      Buffer.from('{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"look","arguments":"{}"}}]}'),
    )
    expect(await post('/unfit/runs', { input: { digest: half.digest } })).toMatchObject({
      status: 422,
      body: { error: 'object_malformed' },
    })
    // The mistake in a config shows only when the model is asked.
    await post('', { session: 'unfit-config', config: { ...config, promptDigests: [body.digest] } })
    await post('/unfit-config/runs', { input: 'Hello' })
    expect((await ended('unfit-config')).body.lifecycle).toBe('failed')
    expect((await runEvents('unfit-config')).at(-1)).toMatchObject({ type: 'run.failed', payload: { code: 'object_malformed' } })
  })
})

it('a host that nobody does the work for says so', async () => {
  const alone = await startHost({}, { sessions: null })
  const { key: any } = await alone.makeKey('acme')
  for (const path of ['/v1/sessions', '/v1/tools'])
    expect(await alone.ask('GET', path, { key: any })).toMatchObject({ status: 501, body: { error: 'capability_not_provided' } })
  expect((await alone.ask('GET', '/v1/sessions', { key: null })).status).toBe(401)
  await alone.close()
})
