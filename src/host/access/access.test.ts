// Tests access: every route refuses a request without a key, with the wrong scope, or for things of another tenant.
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../../core/access/keys.ts'
import { digestText } from '../../core/digest/digest.ts'
import { listKeys, revokeKey } from '../../engine/access/access.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'
import { workflowOf } from '../../testing/stories/test-runs.ts'

let host: TestHost
let stranger: string
let digest: string
beforeAll(async () => {
  host = await startHost()
  stranger = (await host.makeKey('umbrella', SCOPES, { workspaces: ['*'] })).key
  const { headers } = await host.ask('POST', '/v1/prompts', { body: template('ours', { text: 'Our own words about {{topic}}.' }) })
  digest = headers.get('etag')!.slice(1, -1)
  await host.ask('PUT', '/v1/labels/ours/production', { body: { version: '1.0.0' } })
  const { key } = await host.makeKey('acme', SCOPES, { workspaces: ['desk'] })
  await host.ask('POST', '/v1/workspaces/desk/commits', { body: { changes: [{ path: 'notes.md', text: 'Our own words' }] }, key })
  await host.ask('POST', '/v1/sessions', { body: { session: 'writer', config: { model: 'Our own words' } } })
  await host.ask('PUT', '/v1/workflows/newsroom', { body: newsroom('Our own words') })
  await host.ask('PUT', '/v1/agents/local.desk.writer', { body: deskWriter('Our own words') })
  const place = { tenant: 'acme', runId: 'our-run', actor: 'test' }
  const workflow = workflowOf({ ...newsroom('Our own words'), orchestration: 'interactive' })
  await host.sessions.runs.create(place, { workflow, mode: 'planning' })
  await host.sessions.runs.quiet('acme', 'our-run')
  const wants = { kind: 'mode', mode: 'implementation', reason: 'Our own words' } as const
  await host.sessions.runs.submit(place, { type: 'askApproval', approval: 'our-approval', nodeId: 'writer', wants })
})
afterAll(() => host.close())

const newsroom = (objective: string) => ({ id: 'newsroom', name: objective, objective, nodes: [{ id: 'writer' }] })
const deskWriter = (systemPrompt: string) => ({ agentId: 'local.desk.writer', label: systemPrompt, systemPrompt })

interface Route {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** Null for a route that every key may use for itself. */
  readonly scope: (typeof SCOPES)[number] | null
  /** The status that another tenant gets for our things. */
  readonly strange: number
}

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/v1/prompts', scope: 'prompts:read', strange: 200 },
  { method: 'GET', path: '/v1/prompts/ours', scope: 'prompts:read', strange: 404 },
  { method: 'GET', path: '/v1/prompts/ours/diff?from=1.0.0', scope: 'prompts:read', strange: 404 },
  { method: 'POST', path: '/v1/prompts', body: template('theirs'), scope: 'prompts:write', strange: 201 },
  { method: 'PUT', path: '/v1/prompts/ours', body: template('ours', { version: '2.0.0' }), scope: 'prompts:write', strange: 404 },
  { method: 'DELETE', path: '/v1/prompts/ours', scope: 'prompts:write', strange: 404 },
  {
    method: 'POST',
    path: '/v1/prompts:render',
    body: { ref: 'prompt:ours', variables: { topic: 'x' } },
    scope: 'prompts:render',
    strange: 404,
  },
  {
    method: 'POST',
    path: '/v1/prompts:resolve',
    body: { node: { nodeId: 'n', config: { systemPromptRef: 'prompt:ours' } } },
    scope: 'prompts:read',
    strange: 200,
  },
  { method: 'GET', path: '/v1/prompts/ours/versions', scope: 'prompts:read', strange: 404 },
  { method: 'POST', path: '/v1/packs:publish', body: { templates: [] }, scope: 'prompts:write', strange: 200 },
  { method: 'POST', path: '/v1/packs:activate', body: { templates: [] }, scope: 'labels:write', strange: 200 },
  { method: 'POST', path: '/v1/packs:retire', body: { templateIds: ['ours'], version: '1.0.0' }, scope: 'prompts:write', strange: 200 },
  { method: 'GET', path: '/v1/labels/ours', scope: 'prompts:read', strange: 200 },
  { method: 'GET', path: '/v1/labels/ours/history', scope: 'prompts:read', strange: 200 },
  { method: 'PUT', path: '/v1/labels/ours/production', body: { version: '1.0.0' }, scope: 'labels:write', strange: 404 },
  { method: 'DELETE', path: '/v1/labels/ours/production', scope: 'labels:write', strange: 404 },
  { method: 'GET', path: '/v1/protected-labels', scope: 'prompts:read', strange: 200 },
  { method: 'PUT', path: '/v1/protected-labels/production', scope: 'labels:protect', strange: 204 },
  { method: 'DELETE', path: '/v1/protected-labels/production', scope: 'labels:protect', strange: 204 },
  { method: 'GET', path: '/v1/roles', scope: 'prompts:read', strange: 200 },
  { method: 'GET', path: '/v1/roles/reviewer', scope: 'prompts:read', strange: 200 },
  { method: 'GET', path: '/v1/workspaces', scope: 'workspaces:read', strange: 200 },
  { method: 'GET', path: '/v1/workspaces/desk', scope: 'workspaces:read', strange: 404 },
  { method: 'GET', path: '/v1/workspaces/desk/versions', scope: 'workspaces:read', strange: 404 },
  { method: 'GET', path: '/v1/workspaces/desk/tree', scope: 'workspaces:read', strange: 404 },
  { method: 'GET', path: '/v1/workspaces/desk/annotations', scope: 'workspaces:read', strange: 404 },
  { method: 'GET', path: '/v1/workspaces/desk/checks', scope: 'workspaces:read', strange: 404 },
  { method: 'POST', path: '/v1/workspaces/desk/checks', body: {}, scope: 'workspaces:write', strange: 404 },
  { method: 'GET', path: '/v1/workspaces/desk/diff', scope: 'workspaces:read', strange: 404 },
  { method: 'GET', path: '/v1/workspaces/desk/regression', scope: 'workspaces:read', strange: 404 },
  { method: 'GET', path: '/v1/workspaces/desk/files/notes.md', scope: 'workspaces:read', strange: 404 },
  { method: 'DELETE', path: '/v1/workspaces/desk/files/notes.md', scope: 'workspaces:write', strange: 404 },
  { method: 'PUT', path: '/v1/workspaces/desk/files/notes.md', scope: 'workspaces:write', strange: 200 },
  {
    method: 'POST',
    path: '/v1/workspaces/desk/commits',
    body: { changes: [{ path: 'theirs.md', text: 'x' }] },
    scope: 'workspaces:write',
    strange: 201,
  },
  { method: 'POST', path: '/v1/runs', body: { workflowId: 'newsroom' }, scope: 'runs:create', strange: 400 },
  { method: 'GET', path: '/v1/workflows', scope: 'workflows:read', strange: 200 },
  { method: 'GET', path: '/v1/workflows/newsroom', scope: 'workflows:read', strange: 404 },
  { method: 'DELETE', path: '/v1/workflows/newsroom', scope: 'workflows:write', strange: 404 },
  { method: 'PUT', path: '/v1/workflows/newsroom', body: newsroom('Their words'), scope: 'workflows:write', strange: 201 },
  { method: 'GET', path: '/v1/agents', scope: 'agents:read', strange: 200 },
  { method: 'GET', path: '/v1/agents/local.desk.writer', scope: 'agents:read', strange: 404 },
  { method: 'DELETE', path: '/v1/agents/local.desk.writer', scope: 'agents:write', strange: 404 },
  { method: 'PUT', path: '/v1/agents/local.desk.writer', body: deskWriter('Their words'), scope: 'agents:write', strange: 201 },
  { method: 'GET', path: '/v1/sessions', scope: 'sessions:read', strange: 200 },
  { method: 'POST', path: '/v1/sessions', body: {}, scope: 'sessions:write', strange: 201 },
  { method: 'GET', path: '/v1/sessions/writer', scope: 'sessions:read', strange: 404 },
  { method: 'PUT', path: '/v1/sessions/writer/config', body: {}, scope: 'sessions:write', strange: 404 },
  { method: 'GET', path: '/v1/sessions/writer/transcript', scope: 'sessions:read', strange: 404 },
  { method: 'GET', path: '/v1/sessions/writer/events', scope: 'sessions:read', strange: 404 },
  {
    method: 'POST',
    path: '/v1/sessions/writer/events?dialect=aos',
    body: { event: { $tag: 'RunCompleted' } },
    scope: 'sessions:write',
    strange: 404,
  },
  { method: 'POST', path: '/v1/sessions/writer/runs', body: { input: 'x' }, scope: 'sessions:write', strange: 404 },
  { method: 'POST', path: '/v1/sessions/writer/commands', body: { kind: 'pause' }, scope: 'sessions:write', strange: 404 },
  { method: 'POST', path: '/v1/sessions/writer/input', body: { message: 'x' }, scope: 'sessions:write', strange: 404 },
  { method: 'POST', path: '/v1/sessions/writer/sync', body: { workspace: 'desk' }, scope: 'sessions:write', strange: 404 },
  { method: 'POST', path: '/v1/sessions/writer/apply', body: {}, scope: 'sessions:write', strange: 404 },
  { method: 'GET', path: '/v1/runs', scope: 'runs:read', strange: 200 },
  { method: 'GET', path: '/v1/runs/our-run', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/events', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/events/poll', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/prompts', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/prompts/writer/1', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run:export', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/blame', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/prefix', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/diff?with=our-run', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/replay', scope: 'runs:read', strange: 404 },
  { method: 'GET', path: '/v1/runs/our-run/why', scope: 'runs:read', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run/cancel', body: {}, scope: 'runs:cancel', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run:cancel', body: {}, scope: 'runs:cancel', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run:pause', body: {}, scope: 'runs:cancel', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run:resume', body: {}, scope: 'runs:cancel', strange: 404 },
  { method: 'POST', path: '/v1/runs:bulk-cancel', body: { runIds: ['our-run'] }, scope: 'runs:cancel', strange: 200 },
  { method: 'GET', path: '/v1/runs/our-run/interrupts/writer', scope: 'approvals:read', strange: 404 },
  {
    method: 'POST',
    path: '/v1/runs/our-run/interrupts/writer',
    body: { resumeValue: { action: 'accept' } },
    scope: 'approvals:write',
    strange: 404,
  },
  { method: 'GET', path: '/v1/interrupts/our-approval', scope: 'approvals:read', strange: 404 },
  {
    method: 'POST',
    path: '/v1/interrupts/our-approval',
    body: { resumeValue: { action: 'accept' } },
    scope: 'approvals:write',
    strange: 404,
  },
  { method: 'POST', path: '/v1/runs/our-run:fork', body: { mode: 'replay' }, scope: 'runs:create', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run/pause', scope: 'runs:write', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run/resume', scope: 'runs:write', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run/mode', body: { mode: 'planning' }, scope: 'runs:write', strange: 404 },
  { method: 'POST', path: '/v1/runs/our-run/override', body: { text: 'x' }, scope: 'runs:write', strange: 404 },
  {
    method: 'POST',
    path: '/v1/runs/our-run/nodes/writer/messages',
    body: { kind: 'steer', message: 'x' },
    scope: 'runs:write',
    strange: 404,
  },
  { method: 'GET', path: '/v1/approvals', scope: 'approvals:read', strange: 200 },
  { method: 'POST', path: '/v1/approvals/our-approval', body: { decision: 'approved' }, scope: 'approvals:write', strange: 404 },
  { method: 'GET', path: `/v1/objects/${digestText('Our own words')}`, scope: 'objects:read', strange: 404 },
  { method: 'POST', path: '/v1/objects', scope: 'objects:write', strange: 201 },
  { method: 'GET', path: '/v1/tools', scope: 'tools:read', strange: 200 },
  { method: 'GET', path: '/v1/policy', scope: 'tools:read', strange: 200 },
  { method: 'POST', path: '/v1/policy:explain', body: { tool: 'pay', agent: 'writer' }, scope: 'tools:read', strange: 200 },
  { method: 'POST', path: '/v1/tools:adopt', body: { server: 'archive' }, scope: 'tools:write', strange: 404 },
  { method: 'POST', path: '/v1/tools:drop', body: { server: 'archive' }, scope: 'tools:write', strange: 404 },
  { method: 'GET', path: '/v1/verify', scope: 'record:read', strange: 200 },
  { method: 'GET', path: '/v1/streams', scope: 'record:read', strange: 200 },
  { method: 'GET', path: '/v1/streams/library%2Fonbook/events', scope: 'record:read', strange: 200 },
  { method: 'GET', path: '/metrics', scope: 'metrics:read', strange: 200 },
  { method: 'POST', path: '/v1/login-tokens', scope: null, strange: 201 },
  { method: 'GET', path: '/v1/sign-in', scope: null, strange: 200 },
  { method: 'DELETE', path: '/v1/sign-in', scope: null, strange: 204 },
]
const sendAs = ({ method, path, body }: Route, key: string | null) =>
  host.ask(method, path, { key, ...(body === undefined ? {} : { body }) })

it('has a line here for every route', async () => {
  const { body } = await host.ask('GET', '/v1/openapi.json')
  const open = ['/.well-known/openwop', '/v1/openapi.json', '/healthz', '/readyz']
  const guarded = Object.entries(body.paths as Record<string, object>).filter(([path]) => !open.includes(path))
  const described = guarded.flatMap(([path, methods]) =>
    Object.keys(methods).map(
      method =>
        `${method.toUpperCase()} ${path
          .replaceAll(/\{templateId\}/g, 'ours')
          .replace('{label}', 'production')
          .replace('{stream}', 'library%2Fonbook')
          .replace('{workspace}', 'desk')
          .replace('{session}', 'writer')
          .replace('{workflowId}', 'newsroom')
          .replace('{agentId}', 'local.desk.writer')
          .replace('{runId}', 'our-run')
          .replace('{token}', 'our-approval')
          .replace('{nodeId}', 'writer')
          .replace('{step}', '1')
          .replace('{approval}', 'our-approval')
          .replace('{digest}', digestText('Our own words'))
          .replace('{name}', 'reviewer')
          .replace('{path}', 'notes.md')}`,
    ),
  )
  // Signing in needs a token instead: sign-in.test.ts tests it.
  const seams = described.filter(route => !route.includes('/v1/host/sample/') && route !== 'POST /v1/sign-in')
  expect(seams.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`).sort())
})

describe.each(ROUTES)('$method $path', route => {
  it('refuses whoever has no key', async () => {
    expect(await sendAs(route, null)).toMatchObject({ status: 401, body: { error: 'unauthenticated' } })
  })

  const { scope } = route
  if (scope !== null)
    it(`needs the scope ${scope}`, async () => {
      const { key } = await host.makeKey(
        'acme',
        SCOPES.filter(one => one !== scope),
      )
      expect(await sendAs(route, key)).toMatchObject({ status: 403, body: { error: 'forbidden', details: { scope } } })
    })

  it('shows another tenant nothing of ours', async () => {
    const { status, body } = await sendAs(route, stranger)
    expect(status).toBe(route.strange)
    expect(JSON.stringify(body)).not.toContain('Our own words')
    expect(JSON.stringify(body)).not.toContain(digest)
  })
})

it('is unchanged by all that', async () => {
  expect((await host.ask('GET', '/v1/prompts/ours')).body.version).toBe('1.0.0')
  expect((await host.ask('GET', '/v1/labels/ours')).body.labels).toMatchObject([{ label: 'production', version: '1.0.0' }])
  expect((await host.ask('GET', '/v1/workflows/newsroom')).body).toEqual(newsroom('Our own words'))
  expect((await host.ask('GET', '/v1/agents/local.desk.writer')).body).toEqual(deskWriter('Our own words'))
  expect((await host.ask('GET', '/v1/runs/our-run')).body).toMatchObject({ status: 'waiting-approval', mode: 'planning', overrides: [] })
})

it('lets two tenants use one id, each their own', async () => {
  await host.ask('POST', '/v1/prompts', { body: template('same', { text: 'A' }) })
  await host.ask('POST', '/v1/prompts', { body: template('same', { text: 'B' }), key: stranger })
  expect((await host.ask('GET', '/v1/prompts/same')).body.text).toBe('A')
  expect((await host.ask('GET', '/v1/prompts/same', { key: stranger })).body.text).toBe('B')
  const shared = { headers: { 'idempotency-key': 'shared' } }
  expect((await host.ask('POST', '/v1/prompts', { body: template('again'), ...shared })).status).toBe(201)
  const other = await host.ask('POST', '/v1/prompts', { body: template('again', { text: 'theirs' }), key: stranger, ...shared })
  expect([other.status, other.headers.get('openwop-idempotent-replay')]).toEqual([201, null])
})

describe('keys', () => {
  it('are refused alike, whatever is wrong with them', async () => {
    const revoked = await host.makeKey('acme')
    await revokeKey(host.store, revoked.id, 'test')
    const expired = await host.makeKey('acme', SCOPES, { expiresAt: '2020-01-01T00:00:00.000Z' })
    const wrong = `${host.key.slice(0, -1)}${host.key.endsWith('A') ? 'B' : 'A'}`
    const answers = await Promise.all(
      [revoked.key, expired.key, wrong, 'onbook_x', 'x'.repeat(150), `onbook_${'0'.repeat(16)}_${'A'.repeat(43)}`].map(key =>
        host.ask('GET', '/v1/prompts', { key }),
      ),
    )
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(answers[0]!.status).toBe(401)
  })

  it('are not kept where anybody could read them', async () => {
    const secret = host.key.slice('onbook_0123456789abcdef_'.length)
    for await (const { bytes } of host.store.read('onbook', 'access/keys', -1)) expect(Buffer.from(bytes).toString()).not.toContain(secret)
  })

  it('have their use written down once a minute at most', async () => {
    for (let n = 0; n < 5; n++) await host.ask('GET', '/v1/prompts')
    await new Promise(resume => setTimeout(resume, 50))
    const [first] = await listKeys(host.store)
    expect(first?.lastUsedAt).not.toBeNull()
    let used = 0
    for await (const { event } of host.store.read('onbook', 'access/keys', -1))
      if (event.type === 'key.used' && (event.payload as { id: string }).id === first?.id) used++
    expect(used).toBe(1)
  })

  it('must be a member of a workspace that a request names', async () => {
    const member = await host.makeKey('acme', SCOPES, { workspaces: ['desk'] })
    const { key } = await host.makeKey('acme', SCOPES, { workspaces: ['elsewhere'] })
    const named: readonly [string, string, object?][] = [
      ['GET', '/v1/prompts?workspaceId=desk'],
      ['GET', '/v1/prompts/ours?workspaceId=desk'],
      ['POST', '/v1/prompts?workspaceId=desk', template('desk-template')],
      ['POST', '/v1/prompts:render', { ref: 'prompt:ours', variables: { topic: 'x' }, workspaceId: 'desk' }],
      ['POST', '/v1/prompts:resolve', { node: { nodeId: 'n' }, workspaceId: 'desk' }],
    ]
    for (const [method, path, body] of named) {
      const asking = body === undefined ? {} : { body }
      expect((await host.ask(method, path, { ...asking, key })).body.error, path).toBe('workspace_membership_required')
      expect((await host.ask(method, path, { ...asking, key: member.key })).status, path).toBeLessThan(300)
    }
  })
})

describe('labels', () => {
  it('are moved with a reason, protected, taken away, and never forget', async () => {
    await host.ask('POST', '/v1/prompts', { body: template('labelled') })
    await host.ask('PUT', '/v1/prompts/labelled', { body: template('labelled', { version: '2.0.0' }) })
    const move = (version: string, why?: string, key = host.key) =>
      host.ask('PUT', '/v1/labels/labelled/live', { body: { version, ...(why ? { why } : {}) }, key })
    expect((await move('1.0.0', 'first')).body).toEqual({ templateId: 'labelled', label: 'live', version: '1.0.0' })
    expect((await host.ask('GET', '/v1/labels/labelled')).body.labels).toMatchObject([{ label: 'live', version: '1.0.0', why: 'first' }])
    expect((await move('3.0.0')).status).toBe(404)
    await move('2.0.0')
    expect((await host.ask('DELETE', '/v1/labels/labelled/live?why=done')).status).toBe(204)
    expect((await host.ask('DELETE', '/v1/labels/labelled/live')).status).toBe(404)
    const { body } = await host.ask('GET', '/v1/labels/labelled/history')
    expect(body.history.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual([
      [null, '1.0.0'],
      ['1.0.0', '2.0.0'],
      ['2.0.0', null],
    ])
    expect(body.history.at(-1).why).toBe('done')
    expect(body.history[0].actor).toMatch(/^key:[0-9a-f]{16}$/)
  })

  it('move once for one Idempotency-Key, whatever happened since', async () => {
    await host.ask('POST', '/v1/prompts', { body: template('retried') })
    await host.ask('PUT', '/v1/prompts/retried', { body: template('retried', { version: '2.0.0' }) })
    const move = (version: string, headers = {}) => host.ask('PUT', '/v1/labels/retried/live', { body: { version }, headers })
    const once = { 'idempotency-key': 'first-move' }
    const first = await move('1.0.0', once)
    await move('2.0.0')
    const again = await move('1.0.0', once)
    expect([again.status, again.body, again.headers.get('openwop-idempotent-replay')]).toEqual([200, first.body, 'true'])
    expect((await host.ask('GET', '/v1/labels/retried')).body.labels).toMatchObject([{ version: '2.0.0' }])
    expect((await move('2.0.0', once)).body.error).toBe('idempotency_key_mismatch')
  })

  it('that are protected move only for those who may', async () => {
    const { key: plain } = await host.makeKey('acme', ['prompts:read', 'prompts:write', 'labels:write'])
    await host.ask('POST', '/v1/prompts', { body: template('guarded') })
    const move = (key: string) => host.ask('PUT', '/v1/labels/guarded/stable', { body: { version: '1.0.0' }, key })
    expect((await host.ask('PUT', '/v1/protected-labels/stable')).status).toBe(204)
    expect((await host.ask('PUT', '/v1/protected-labels/stable')).status).toBe(204)
    expect((await host.ask('GET', '/v1/protected-labels')).body).toEqual({ labels: ['stable'] })
    expect((await host.ask('GET', '/v1/protected-labels', { key: stranger })).body).toEqual({ labels: [] })
    expect((await move(plain)).body.error).toBe('label_protected')
    expect((await move(host.key)).status).toBe(200)
    expect((await host.ask('DELETE', '/v1/protected-labels/stable')).status).toBe(204)
    expect((await move(plain)).status).toBe(200)
  })
})

describe('bad input', () => {
  const deep = `${'['.repeat(3000)}${']'.repeat(3000)}`
  const bodies: readonly [string, string | Uint8Array, Record<string, string>, number][] = [
    ['no JSON', '{', {}, 400],
    ['nothing', '', {}, 400],
    ['half a surrogate pair', '{"ref":"\\ud800","variables":{}}', {}, 400],
    ['bytes that are not UTF-8', Buffer.from('7b2261223a22ff227d', 'hex'), {}, 400],
    ['too deep', `{"ref":"prompt:ours","variables":{"topic":${deep}}}`, {}, 400],
    ['a prototype', '{"__proto__":{"ref":"prompt:ours"},"variables":{}}', {}, 400],
    ['a constructor', '{"ref":"prompt:ours","variables":{},"constructor":{"prototype":{}}}', {}, 400],
    ['a key twice', '{"ref":"prompt:Not Valid!!","ref":"prompt:missing","variables":{}}', {}, 400],
    ['another type', 'ref=prompt:ours', { 'content-type': 'text/plain' }, 415],
    ['too much', `{"ref":"prompt:ours","variables":{"topic":"${'x'.repeat(1_100_000)}"}}`, {}, 413],
    ['null', 'null', {}, 400],
    ['a list', '[]', {}, 400],
  ]
  it.each(bodies)('%s is refused in one flat answer', async (_, body, headers, status) => {
    const answer = await host.ask('POST', '/v1/prompts:render', { body, headers })
    expect(answer.status).toBe(status)
    expect(Object.keys(answer.body).filter(key => !['error', 'message', 'details'].includes(key))).toEqual([])
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|at .*\.ts:/)
  })

  const paths = [
    '/v1/prompts/%2e%2e%2f',
    '/v1/prompts/%00',
    `/v1/prompts/${'x'.repeat(2000)}`,
    '/v1/prompts/a%',
    '/v1/nothing',
    '//',
    '/v1/prompts/__proto__',
    '/v1/prompts/ours?__proto__=1',
  ]
  it.each(paths)('the path %s is answered, never with a 5xx', async path => {
    const status = await rawStatus(path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect((await host.ask('GET', '/healthz')).status).toBe(200)
  })

  /** fetch would normalise the path. */
  const rawStatus = (path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(host.url)
      const asked = request({ hostname, port, path, headers: { authorization: `Bearer ${host.key}` } }, answer => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      asked.on('error', reject)
      asked.end()
    })

  const raw: readonly [string, string, number][] = [
    [
      'a flood of headers',
      `GET / HTTP/1.1\r\nhost: x\r\n${Array.from({ length: 400 }, (_, n) => `h${n}: ${'x'.repeat(60)}\r\n`).join('')}\r\n`,
      431,
    ],
    ['garbage', 'this is not HTTP\r\n\r\n', 400],
    ['a path that cannot be decoded', 'GET /v1/prompts/%zz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n', 400],
  ]
  it.each(raw)('%s is answered in the flat envelope too', async (_, text, status) => {
    const answer = await sendRaw(text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as object
    expect(Object.keys(body).filter(key => !['error', 'message', 'details'].includes(key))).toEqual([])
  })

  const sendRaw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(host.url)
      const socket = connect(Number(port), hostname, () => socket.write(text))
      let got = ''
      socket.on('data', data => {
        got += data
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(got))
    })
})
