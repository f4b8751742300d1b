// Tests a key that is limited to one workspace on every route: things of another workspace answer as if they did not exist.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.ts'
import { SCOPES } from '../../core/access/keys.ts'
import { digestText } from '../../core/digest/digest.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'

const FILE = 'Words of the vault, in a file.'
const PRELUDE = JSON.stringify([{ role: 'system', content: 'Words of the vault, in a prelude.' }])
const config = { provider: 'scripted', model: 'small' }

/** The values of request parameters that name hidden things. */
const HIDDEN = {
  templateId: 'vault-template',
  label: 'live',
  workspace: 'vault',
  session: 'vault-session',
  runId: 'vault-run',
  runAndVerb: 'vault-run:cancel',
  approval: 'vault-approval',
  token: 'vault-approval',
  digest: digestText(FILE) as string,
  stream: 'workspace/vault',
}
/** The same parameters with names that do not exist. */
const ABSENT: typeof HIDDEN = {
  templateId: 'other-template',
  label: 'live',
  workspace: 'other',
  session: 'other-session',
  runId: 'other-run',
  runAndVerb: 'other-run:cancel',
  approval: 'other-approval',
  token: 'other-approval',
  digest: digestText('other'),
  stream: 'workspace/other',
}
/** Parameters of routes for things that all keys of the tenant share. */
const SHARED = { workflowId: 'heist', agentId: 'local.vault.keeper', name: 'reviewer', nodeId: 'n', step: '1', '*': 'notes.md' }

let host: TestHost
let admin: string
let limited: string
/** Texts of the hidden workspace that no answer may contain. */
const secrets: string[] = ['Words of the vault', HIDDEN.digest, digestText(PRELUDE)]

beforeAll(async () => {
  host = await startHost({ observability: 'full' })
  admin = (await host.makeKey('acme', SCOPES, { workspaces: ['*'] })).key
  limited = (await host.makeKey('acme', SCOPES, { workspaces: ['open'] })).key
  const ask = async (method: string, path: string, body: object) => {
    const answer = await host.ask(method, path, { key: admin, body })
    expect(`${path} ${answer.status} ${answer.status < 300 ? '' : JSON.stringify(answer.body)}`).toMatch(/ 20\d $/)
    return answer.body
  }
  await ask('POST', '/v1/workspaces/open/commits', { changes: [{ path: 'notes.md', text: 'Open.' }] })
  const changes = [
    { path: 'notes.md', text: FILE },
    { path: 'prompts/packs/default.json', text: PRELUDE },
  ]
  secrets.push((await ask('POST', '/v1/workspaces/vault/commits', { changes })).root)
  await ask('POST', '/v1/prompts', { ...template('vault-template', { text: 'Words of the vault.', variables: [] }), workspaceId: 'vault' })
  await ask('PUT', '/v1/labels/vault-template/live', { version: '1.0.0', workspaceId: 'vault' })
  await ask('POST', '/v1/sessions', { session: 'vault-session', config })
  await ask('POST', '/v1/sessions/vault-session/sync', { workspace: 'vault', prelude: 'default' })
  await ask('POST', '/v1/sessions/vault-session/apply', { when: 'immediate_if_idle' })
  const direct = await ask('POST', '/v1/sessions/vault-session/runs', { input: 'Hello' })
  await host.sessions.runs.quiet('acme', direct.runId)
  await ask('PUT', '/v1/agents/local.vault.keeper', { agentId: 'local.vault.keeper', systemPrompt: 'Keep.', session: 'vault-session' })
  const workflow = {
    id: 'heist',
    name: 'Heist',
    objective: 'Go.',
    orchestration: 'interactive',
    nodes: [{ id: 'n', agent: 'local.vault.keeper' }],
  }
  await ask('PUT', '/v1/workflows/heist', workflow)
  const { runId } = await ask('POST', '/v1/runs', { workflowId: 'heist', mode: 'planning' })
  await host.sessions.runs.quiet('acme', runId)
  HIDDEN.runId = runId
  HIDDEN.runAndVerb = `${runId}:cancel`
  const wants = { kind: 'mode', mode: 'implementation', reason: 'Words of the vault' } as const
  const place = { tenant: 'acme', runId, actor: 'test' }
  await host.sessions.runs.submit(place, { type: 'askApproval', approval: 'vault-approval', nodeId: 'n', wants })
  expect((await host.ask('GET', `/v1/runs/${runId}/prompts`, { key: admin })).status).toBe(200)
}, 60_000)
afterAll(() => host.close(), 60_000)

type Names = typeof HIDDEN
const BODIES: Readonly<Record<string, (names: Names) => object>> = {
  'POST /v1/prompts': () => template('made'),
  'PUT /v1/prompts/{templateId}': ({ templateId }) => template(templateId, { version: '2.0.0' }),
  'POST /v1/prompts:render': ({ templateId }) => ({ ref: `prompt:${templateId}`, variables: {} }),
  'POST /v1/prompts:resolve': ({ templateId }) => ({ node: { nodeId: 'n', config: { systemPromptRef: `prompt:${templateId}` } } }),
  'PUT /v1/labels/{templateId}/{label}': () => ({ version: '1.0.0' }),
  'POST /v1/workspaces/{workspace}/commits': () => ({ changes: [{ path: 'mine.md', text: 'x' }] }),
  'POST /v1/sessions': () => ({}),
  'PUT /v1/sessions/{session}/config': () => ({}),
  'POST /v1/sessions/{session}/runs': () => ({ input: 'x' }),
  'POST /v1/sessions/{session}/commands': () => ({ kind: 'pause' }),
  'POST /v1/sessions/{session}/input': () => ({ message: 'x' }),
  'POST /v1/sessions/{session}/sync': () => ({ workspace: 'open' }),
  'POST /v1/sessions/{session}/apply': () => ({}),
  'POST /v1/runs/{runId}:fork': () => ({ mode: 'replay' }),
  'POST /v1/runs/{runId}/cancel': () => ({}),
  'POST /v1/runs/{runAndVerb}': () => ({}),
  'POST /v1/runs/{runId}/mode': () => ({ mode: 'planning' }),
  'POST /v1/runs/{runId}/override': () => ({ text: 'x' }),
  'POST /v1/runs/{runId}/nodes/{nodeId}/messages': () => ({ kind: 'steer', message: 'x' }),
  'POST /v1/approvals/{approval}': () => ({ decision: 'approved' }),
  'POST /v1/runs:bulk-cancel': ({ runId }) => ({ runIds: [runId] }),
  'POST /v1/interrupts/{token}': () => ({ resumeValue: { action: 'accept' } }),
  'POST /v1/runs/{runId}/interrupts/{nodeId}': () => ({ resumeValue: { action: 'accept' } }),
  'POST /v1/policy:explain': ({ runId }) => ({ tool: 'workspace.read', runId, nodeId: 'n' }),
}
const QUERIES: Readonly<Record<string, string>> = {
  'GET /v1/runs/{runId}/diff': '?nodeId=n&steps=1..1',
  'GET /v1/prompts/{templateId}/diff': '?from=1.0.0',
}

async function send(route: string, names: Names, headers: Record<string, string> = {}) {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent({ ...SHARED, ...names }[name as keyof Names]))
  const body = BODIES[route]?.(names)
  return host.ask(method, `${path}${QUERIES[route] ?? ''}`, { key: limited, headers, ...(body === undefined ? {} : { body }) })
}

/** The answer with every name of the request replaced, so that two answers can be compared. */
function unnamed({ status, body }: { status: number; body: unknown }, names: Names): string {
  let text = `${status} ${JSON.stringify(body)}`
  for (const [name, value] of Object.entries(names).sort(([, a], [, b]) => b.length - a.length))
    text = text.replaceAll(value, name).replaceAll(encodeURIComponent(value), name)
  return text
}

/** Routes for things that all keys of the tenant share, or that belong to the key itself: no workspace is involved. */
const OF_ALL = /^(?:PUT|DELETE) \/v1\/(?:agents|workflows)|\/v1\/(?:sign-in|login-tokens)|\/v1\/host\/sample|^DELETE \/v1\/protected/
const routesOf = async (): Promise<readonly string[]> => {
  const { body } = await host.ask('GET', '/v1/openapi.json', { key: limited })
  return Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .map(method => `${method.toUpperCase()} ${path}`)
      .filter(route => !OF_ALL.test(route)),
  )
}

it('reliability D3, agentos D2: on every route, hidden things answer as absent ones do', async () => {
  const routes = await routesOf()
  expect(routes.length).toBeGreaterThan(60)
  for (const route of routes) {
    const hidden = await send(route, HIDDEN)
    expect(hidden.status, `${route} ${JSON.stringify(hidden.body)}`).toBeLessThan(500)
    for (const secret of secrets) expect(JSON.stringify(hidden.body).replaceAll(HIDDEN.digest, 'digest'), route).not.toContain(secret)
    if (/\{(?:templateId|workspace|session|runId|runAndVerb|approval|token|digest|stream)\}|bulk-cancel/.test(route))
      expect(`${route} ${unnamed(hidden, HIDDEN)}`).toBe(`${route} ${unnamed(await send(route, ABSENT), ABSENT)}`)
  }
}, 60_000)

it('reliability D3: lists name nothing of a hidden workspace', async () => {
  for (const route of (await routesOf()).filter(one => one.startsWith('GET ') && !one.includes('{'))) {
    const { body } = await send(route, HIDDEN)
    expect(`${route} ${JSON.stringify(body)}`).not.toMatch(/"(?:workspace\/|session\/|run\/)?vault(?:-session|-template|-approval)?"/)
    expect(`${route} ${JSON.stringify(body)}`).not.toContain(`run/${HIDDEN.runId}`)
  }
})

it.each(['session/vault-session', 'run/', 'workspace-library/vault/onbook', 'record/checkpoints', 'record/audit'])(
  'reliability D3: the stream %s is missing, in pages and as it happens',
  async name => {
    const stream = encodeURIComponent(name === 'run/' ? `run/${HIDDEN.runId}` : name)
    for (const headers of [{}, { accept: 'text/event-stream' }])
      expect(await host.ask('GET', `/v1/streams/${stream}/events`, { key: limited, headers })).toMatchObject({
        status: 404,
        body: { error: 'stream_missing' },
      })
  },
)

describe('what a limited key names', () => {
  const make = (more: object) => host.ask('POST', '/v1/sessions', { key: limited, body: { config: { ...config, ...more } } })
  const upload = (text: string, key = limited) =>
    host.ask('POST', '/v1/objects', { key, body: text, headers: { 'content-type': 'text/plain' } })

  it('agentos D2: objects of others are neither read nor put into a prompt', async () => {
    const hidden = digestText(PRELUDE)
    expect((await host.ask('GET', `/v1/objects/${hidden}`, { key: admin })).status).toBe(200)
    expect(await make({ promptDigests: [hidden] })).toMatchObject({ status: 404, body: { error: 'object_missing' } })
    expect(await make({ toolDigests: [hidden] })).toMatchObject({ status: 404 })
    const { body: session } = await make({})
    const run = (input: unknown) => host.ask('POST', `/v1/sessions/${session.session}/runs`, { key: limited, body: { input } })
    expect(await run({ digest: hidden })).toMatchObject({ status: 404, body: { error: 'object_missing' } })
    const image = { role: 'user', content: [{ type: 'image', digest: HIDDEN.digest }] }
    expect(await run(image)).toMatchObject({ status: 404, body: { error: 'object_missing' } })
    const { body: wrapped } = await upload(JSON.stringify(image))
    expect(await make({ promptDigests: [wrapped.digest] })).toMatchObject({ status: 404, body: { error: 'object_missing' } })
  })

  it('its own uploads are read and used as ever', async () => {
    const { body } = await upload(JSON.stringify([{ role: 'system', content: 'Mine.' }]))
    expect((await host.ask('GET', `/v1/objects/${body.digest}`, { key: limited })).status).toBe(200)
    expect((await make({ promptDigests: [body.digest] })).status).toBe(201)
    const { key: other } = await host.makeKey('acme', SCOPES, { workspaces: ['open'] })
    expect((await host.ask('GET', `/v1/objects/${body.digest}`, { key: other })).status).toBe(404)
  })

  it('agentos D15: a pending snapshot of another workspace is not applied, and its session is not run', async () => {
    await host.ask('POST', '/v1/sessions', { key: limited, body: { session: 'mixed', config } })
    expect((await host.ask('POST', '/v1/sessions/mixed/sync', { key: limited, body: { workspace: 'open' } })).status).toBe(200)
    await host.ask('POST', '/v1/sessions/mixed/sync', { key: admin, body: { workspace: 'vault', prelude: 'default' } })
    for (const [path, body] of [
      ['apply', {}],
      ['runs', { input: 'x' }],
    ] as const)
      expect(await host.ask('POST', `/v1/sessions/mixed/${path}`, { key: limited, body })).toMatchObject({
        status: 404,
        body: { error: 'session_missing' },
      })
    expect((await host.ask('GET', '/v1/sessions/mixed', { key: admin })).body.workspace).toMatchObject({ active: null })
  })

  it('a run whose agent is at home in a hidden session does not start', async () => {
    const count = async () => (await host.ask('GET', '/v1/runs', { key: admin })).body.items.length
    const before = await count()
    expect(await host.ask('POST', '/v1/runs', { key: limited, body: { workflowId: 'heist' } })).toMatchObject({ status: 404 })
    expect(await count()).toBe(before)
  })
})

it('a session without a workspace is hidden once a run brought text of a hidden one into it', async () => {
  const workflow = {
    id: 'smuggle',
    objective: 'Go.',
    nodes: [
      { id: 'keeper', agent: 'local.vault.keeper' },
      { id: 'clerk', session: 'ledger' },
    ],
    edges: [{ from: 'keeper', to: 'clerk' }],
  }
  await host.ask('PUT', '/v1/workflows/smuggle', { key: admin, body: workflow })
  for (const session of ['ledger', 'asked']) await host.ask('POST', '/v1/sessions', { key: limited, body: { session, config } })
  const { runId } = (await host.ask('POST', '/v1/runs', { key: admin, body: { workflowId: 'smuggle' } })).body
  const overrides = { ...config, workspace: { name: 'vault' }, prelude: 'default' }
  const direct = await host.ask('POST', '/v1/sessions/asked/runs', { key: admin, body: { input: 'x', overrides } })
  expect(direct.status).toBe(201)
  for (const id of [runId, direct.body.runId]) await host.sessions.runs.quiet('acme', id)
  for (const path of ['/v1/sessions/ledger', '/v1/sessions/asked', `/v1/runs/${runId}`, `/v1/runs/${direct.body.runId}`]) {
    expect((await host.ask('GET', path, { key: admin })).status, path).toBe(200)
    expect((await host.ask('GET', path, { key: limited })).status, path).toBe(404)
  }
})

it('reliability D3: an open event stream ends before a hidden workspace is named in it', async () => {
  await host.ask('POST', '/v1/sessions', { key: limited, body: { session: 'followed', config } })
  const { sessions } = createClient({ url: host.url, key: limited })
  const seen: unknown[] = []
  const following = (async () => {
    for await (const event of sessions.events('followed', { signal: AbortSignal.timeout(3_000) })) {
      seen.push(event)
      if (seen.length === 1)
        await host.ask('POST', '/v1/sessions/followed/sync', { key: admin, body: { workspace: 'vault', prelude: 'default' } })
    }
  })()
  await following.catch(() => {})
  expect(JSON.stringify(seen)).toContain('session.created')
  expect(JSON.stringify(seen)).not.toContain('vault')
})

it('sees everything of its own workspace and of sessions without one', async () => {
  await host.ask('POST', '/v1/sessions', { key: admin, body: { session: 'plain', config } })
  for (const path of [
    '/v1/sessions/plain',
    '/v1/workspaces/open/tree',
    '/v1/streams/workspace%2Fopen/events',
    '/v1/streams/session%2Fplain/events',
  ])
    expect((await host.ask('GET', path, { key: limited })).status).toBe(200)
  const { body } = await host.ask('GET', '/v1/streams', { key: limited })
  expect(body.items.map(({ stream }: { stream: string }) => stream)).toEqual(expect.arrayContaining(['workspace/open', 'session/plain']))
})
