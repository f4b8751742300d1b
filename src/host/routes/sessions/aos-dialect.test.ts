// Tests a session in AgentOS's names over HTTP: sent, read, followed, and resumed after a lost connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import { type Answered, startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'

const SCRIPT = `replies:
  - match: { step: 1 }
    toolCalls:
      - { toolName: workspace.read, arguments: { path: prompts/packs/default.json } }
  - match: {}
    text: Done.
`
let host: TestHost
const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
const sessions = testSessions(store, SCRIPT)
beforeAll(async () => {
  host = await startHost({}, { store, sessions })
})
afterAll(async () => {
  await sessions.close()
  await host.close()
})

const aos = (path: string): string => `/v1/sessions${path}${path.includes('?') ? '&' : '?'}dialect=aos`
const get = (path: string): Promise<Answered> => host.ask('GET', aos(path))
const send = (session: string, $tag: string, $value?: object): Promise<Answered> =>
  host.ask('POST', aos(`/${session}/events`), { body: { event: $value === undefined ? { $tag } : { $tag, $value } } })

interface AosEvent {
  readonly session_id: string
  readonly step_epoch: number
  readonly session_epoch: number
  // biome-ignore lint/suspicious/noExplicitAny: values are looked into as they come
  readonly event: { readonly $tag: string; readonly $value?: any }
}

const eventsOf = async (session: string): Promise<readonly AosEvent[]> => (await get(`/${session}/events?limit=1000`)).body.events
const tagsOf = (events: readonly AosEvent[]): readonly string[] => events.map(({ event }) => event.$tag)

async function until(session: string, tag: string): Promise<readonly AosEvent[]> {
  for (;;) {
    const events = await eventsOf(session)
    if (tagsOf(events).includes(tag)) return events
    await new Promise(resume => setTimeout(resume, 5))
  }
}

const config = {
  provider: 'scripted',
  model: 'small',
  reasoning_effort: { $tag: 'Low' },
  max_tokens: null,
  workspace_binding: null,
  default_prompt_pack: null,
  default_prompt_refs: null,
  default_tool_catalog: null,
  default_tool_refs: null,
}
const put = async (text: string): Promise<string> =>
  (await host.ask('POST', '/v1/objects', { body: Buffer.from(text), headers: { 'content-type': 'application/octet-stream' } })).body.digest
const message = (role: string, content: string): string => JSON.stringify({ role, content })

/** A session after a sync, an apply and one run: two steps with a tool call between them. */
async function worked(session: string): Promise<readonly AosEvent[]> {
  const files = {
    'agent.workspace.json': '{"schema_version":1}',
    'prompts/packs/default.json': `[${message('system', 'You write.')}]`,
    'tools/catalogs/coding.json': JSON.stringify([{ name: 'workspace.read', description: 'Read.', parameters: { type: 'object' } }]),
  }
  const changes = Object.entries(files).map(([path, text]) => ({ path, text }))
  expect((await host.ask('POST', `/v1/workspaces/${session}/commits`, { body: { changes } })).status).toBeLessThan(300)
  expect((await host.ask('POST', aos(''), { body: { session, config } })).body).toEqual({ session_id: session, session_config: config })
  const sync = {
    workspace_binding: { workspace: session, version: null },
    prompt_pack: 'default',
    tool_catalog: 'coding',
    known_version: null,
  }
  expect((await send(session, 'WorkspaceSyncRequested', sync)).body).toEqual({ accepted: 'WorkspaceSyncRequested', run_id: null })
  await until(session, 'WorkspaceSnapshotReady')
  expect((await send(session, 'WorkspaceApplyRequested', { mode: { $tag: 'NextRun' } })).status).toBe(200)
  const input_ref = await put(message('user', 'Good morning'))
  expect((await send(session, 'RunRequested', { input_ref, run_overrides: null })).body).toEqual({
    accepted: 'RunRequested',
    run_id: { session_id: session, run_seq: 1 },
  })
  return until(session, 'RunCompleted')
}

const TAGS = [
  'WorkspaceSyncRequested',
  'WorkspaceSnapshotReady',
  'WorkspaceApplyRequested',
  'RunRequested',
  'RunStarted',
  'ToolBatchStarted',
  'ToolCallSettled',
  'ToolBatchSettled',
  'StepBoundary',
  'RunCompleted',
]

describe('agentos D11: a session in AgentOS’s names', () => {
  it('is asked for a sync, an apply and a run, and its events tell all of it in one order', async () => {
    const events = await worked('whole')
    expect(tagsOf(events)).toEqual(TAGS)
    expect(events[1]!.event.$value.snapshot).toMatchObject({
      workspace: 'whole',
      version: 1,
      prompt_pack: 'default',
      tool_catalog: 'coding',
    })
    expect(events.map(({ step_epoch }) => step_epoch)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    expect(events[6]!.event.$value).toMatchObject({ status: { $tag: 'Succeeded' }, receipt_session_epoch: 0, receipt_step_epoch: 1 })
  })

  it('is read on from every cursor: nothing twice, nothing left out', async () => {
    const all = await worked('paged')
    for (const limit of [1, 3, 7]) {
      const found: AosEvent[] = []
      for (let after: string | null = '-1'; after !== null; ) {
        const { body } = await get(`/paged/events?limit=${limit}&after=${after}`)
        found.push(...body.events)
        after = body.next
      }
      expect(found).toEqual(all)
    }
    // The cursor of the last page returns only later events.
    const { body } = await get('/paged/events?limit=1000')
    await send('paged', 'RunRequested', { input_ref: await put(message('user', 'Again')), run_overrides: { ...config, model: 'large' } })
    const later = await until('paged', 'RunRequested').then(async () => {
      for (;;) {
        const { events } = (await get(`/paged/events?after=${body.cursor}`)).body as { readonly events: readonly AosEvent[] }
        if (tagsOf(events).includes('RunCompleted')) return events
      }
    })
    expect(tagsOf(later).slice(0, 2)).toEqual(['RunRequested', 'RunStarted'])
    expect(later[0]!.event.$value.run_overrides.model).toBe('large')
    expect([...all, ...later]).toEqual(await eventsOf('paged'))
  })

  it('is followed as it happens, and a reader that comes back gets the next event', async () => {
    const all = await worked('followed')
    const first = await follow('followed', {}, 4)
    expect(first.map(({ data }) => data)).toEqual(all.slice(0, 4))
    expect(first.map(({ type }) => type)).toEqual(TAGS.slice(0, 4))
    const rest = follow('followed', { 'last-event-id': first.at(-1)!.id }, all.length - 4 + 2)
    await send('followed', 'RunRequested', { input_ref: await put(message('user', 'Again')), run_overrides: null })
    const seen = (await rest).map(({ data }) => data)
    expect(seen.slice(0, -2)).toEqual(all.slice(4))
    expect(tagsOf(seen.slice(-2))).toEqual(['RunRequested', 'RunStarted'])
  })

  it('shows and takes its config; limits stay', async () => {
    const ours = { provider: 'scripted', model: 'small', limits: { maxSteps: 7, maxCalls: null }, temperature: 0.5 }
    await host.ask('POST', '/v1/sessions', { body: { session: 'set', config: ours } })
    expect((await get('/set')).body).toMatchObject({
      session_id: 'set',
      lifecycle: { $tag: 'Idle' },
      session_config: { ...config, reasoning_effort: null },
      active_run_id: null,
      active_workspace_snapshot: null,
    })
    const prompt = await put(message('system', 'You write.'))
    const changed = { ...config, default_prompt_refs: [prompt] }
    expect(await host.ask('PUT', aos('/set/config'), { body: changed })).toMatchObject({ status: 200, body: { session_config: changed } })
    expect((await host.ask('GET', '/v1/sessions/set')).body.config).toMatchObject({
      reasoningEffort: 'low',
      promptDigests: [prompt],
      limits: ours.limits,
      temperature: 0.5,
    })
  })

  it('refuses facts that the host records itself, malformed events and configs, and other dialects', async () => {
    await host.ask('POST', '/v1/sessions', { body: { session: 'strict', config: { provider: 'scripted', model: 'small' } } })
    const said = async (answer: Promise<Answered>) => [(await answer).status, (await answer).body.error, (await answer).body.message]
    const problem = (text: string) => [400, 'validation_error', expect.stringContaining(text)]
    expect(await said(send('strict', 'RunStarted'))).toEqual(problem('The host records RunStarted itself; a client sends WorkspaceSync'))
    expect(await said(send('strict', 'RunRequested', { input_ref: 'x' }))).toEqual(problem('The value of RunRequested is malformed'))
    expect(await said(host.ask('PUT', aos('/strict/config'), { body: { provider: 'x' } }))).toEqual(
      problem('not a SessionConfig of AgentOS'),
    )
    expect(await said(host.ask('POST', '/v1/sessions/strict/events', { body: { event: {} } }))).toEqual(problem('add ?dialect=aos'))
    const unknown = [400, 'dialect_unknown', 'There is no dialect "klingon". The dialects are onbook and aos; the default is onbook.']
    for (const path of ['/v1/sessions/strict', '/v1/sessions/strict/events'])
      expect(await said(host.ask('GET', `${path}?dialect=klingon`))).toEqual(unknown)
    expect(await said(host.ask('PUT', '/v1/sessions/strict/config?dialect=klingon', { body: config }))).toEqual(unknown)
    for (const after of ['abc', Buffer.from('1:aos 9 9 -1 -1 0 0 0').toString('base64url'), '5'])
      expect(await said(get(`/strict/events?after=${after}`))).toEqual(problem('the cursor is not one that this host gave'))
  })

  it('takes commands: an epoch that is over is refused, and a cancelled run says why', async () => {
    await host.ask('POST', '/v1/sessions', { body: { session: 'commanded', config: { provider: 'scripted', model: 'small' } } })
    await host.ask('POST', '/v1/sessions/commanded/runs', { body: { input: 'Hello', interactive: true } })
    await until('commanded', 'LifecycleChanged')
    const command = (command_id: string, epoch: number, kind: object) =>
      send('commanded', 'HostCommandReceived', {
        command_id,
        target_run_id: null,
        expected_session_epoch: epoch,
        issued_at: 0,
        command: kind,
      })
    expect(await command('c1', 5, { $tag: 'Pause' })).toMatchObject({ status: 409, body: { error: 'command_stale' } })
    expect((await command('c2', 0, { $tag: 'FollowUp', $value: { text: 'More?' } })).status).toBe(200)
    expect(tagsOf(await until('commanded', 'HostCommandApplied'))).toContain('HostCommandApplied')
    expect((await send('commanded', 'RunCancelled', { reason: 'late' })).body.run_id).toEqual({ session_id: 'commanded', run_seq: 1 })
    const events = await until('commanded', 'RunCancelled')
    expect(events.at(-1)).toMatchObject({ session_epoch: 1, event: { $value: { reason: 'late' } } })
  })
})

interface Sent {
  readonly id: string
  readonly type: string
  readonly data: AosEvent
}

async function follow(session: string, headers: Readonly<Record<string, string>>, count: number): Promise<readonly Sent[]> {
  const stop = new AbortController()
  const answer = await fetch(`${host.url}${aos(`/${session}/events`)}`, {
    signal: stop.signal,
    headers: { authorization: `Bearer ${host.key}`, accept: 'text/event-stream', ...headers },
  })
  const found: Sent[] = []
  let text = ''
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const [, id, type, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (id !== undefined) found.push({ id, type: type!, data: JSON.parse(data!) as AosEvent })
    }
    if (found.length >= count) break
  }
  stop.abort()
  return found.slice(0, count)
}
