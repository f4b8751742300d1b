// Tests regression over real HTTP: the answer is visible only to its tenant, stays within limits, and shows no more text than the host allows.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SCOPES } from '../../../core/access/keys.ts'
import { runStream } from '../../../core/run/events.ts'
import { runToEnd } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'
import type { Observability } from '../../../wire/openwop/run-event.ts'

interface Opened {
  readonly host: TestHost
  readonly key: string
}
let opened: Opened
async function open(observability: Observability): Promise<Opened> {
  const host = await startHost({ observability })
  const { key } = await host.makeKey('acme', SCOPES, { workspaces: ['desk'] })
  const ask = await checkedAsk(host)
  await ask('POST', '/v1/prompts', { body: { ...template('brave'), text: 'Write.', variables: [] }, key })
  const document = { id: 'one', objective: 'Write.', nodes: [{ id: 'writer', systemPromptRef: 'prompt:brave' }] }
  await ask('PUT', '/v1/workflows/one', { body: document, key })
  for (let n = 0; n < 2; n++) await runToEnd(ask, { workflowId: 'one' })
  for (const objective of ['Write.', 'Read.'])
    await ask('POST', '/v1/workspaces/desk/commits', {
      body: { changes: [{ path: 'workflows/one.yaml', text: JSON.stringify({ ...document, objective }) }] },
      key,
    })
  return { host, key }
}
beforeAll(async () => {
  opened = await open('full')
})
afterAll(() => opened.host.close())

const regression = async (query = '', { host, key }: Opened = opened) =>
  (await checkedAsk(host))('GET', `/v1/workspaces/desk/regression${query}`, { key })

it('answers for the newest version, or the one that is named', async () => {
  const { status, body } = await regression()
  expect([status, body]).toMatchObject([200, { against: { workspace: 'desk', version: 2 }, runs: 2, prompts: 2, changed: 2 }])
  expect(body.causes).toMatchObject([
    {
      cause: 'workflow',
      name: 'one',
      part: 'objective',
      file: 'workflows/one.yaml',
      runs: 2,
      prompts: 2,
      examples: [{ block: 'task', found: 'Read' }, {}],
    },
  ])
  expect((await regression('?version=1')).body).toMatchObject({ changed: 0, unchanged: 2, causes: [] })
  expect((await regression('?limit=1')).body).toMatchObject({ runs: 1, older: 1 })
  expect((await regression('?workflowId=another')).body).toMatchObject({ runs: 0 })
})

it('says where and not what, where the host does not show prompts', async () => {
  const silent = await open('hashed')
  const { body } = await regression('', silent)
  expect(body.causes[0].examples[0]).toMatchObject({ block: 'task', expected: null, found: null, lines: [] })
  const document = { id: 'one', objective: 'Write.', nodes: [{ id: 'writer', systemPromptRef: 'prompt:brave@9.0.0' }] }
  await (await checkedAsk(silent.host))('POST', '/v1/workspaces/desk/commits', {
    body: { changes: [{ path: 'workflows/one.yaml', text: JSON.stringify(document) }] },
    key: silent.key,
  })
  const failing = (await regression('', silent)).body
  expect(failing.causes[0].examples[0]).toMatchObject({ block: null, expected: null, found: 'prompt_template_not_found', lines: [] })
  await silent.host.close()
})

it.each([
  ['?version=9', 404],
  ['?version=0', 400],
  ['?limit=1001', 400],
  ['?since=yesterday', 400],
  ['?since=2026-02-30T00:00:00Z', 400],
  ['?since=2026-13-01T00:00:00Z', 400],
])('%s is refused', async (query, status) => {
  expect((await regression(query)).status).toBe(status)
})

it('a run that was created in the second that is named was created since', async () => {
  const { host, key } = opened
  const { body } = await host.ask('GET', '/v1/runs?limit=1', { key })
  const [{ runId }] = body.items ?? body.runs
  const { value } = await host.store.read('acme', runStream(runId), -1)[Symbol.asyncIterator]().next()
  expect((await regression(`?since=${value!.event.at.slice(0, 19)}Z`)).body.runs).toBeGreaterThan(0)
  expect((await regression('?since=2999-01-01T00:00:00Z')).body).toMatchObject({ runs: 0 })
})

it('wants all three scopes, and shows another tenant nothing', async () => {
  const { host } = opened
  for (const scope of ['workspaces:read', 'runs:read', 'record:read'] as const) {
    const half = SCOPES.filter(one => one !== scope)
    expect((await regression('', { host, key: (await host.makeKey('acme', half, { workspaces: ['desk'] })).key })).status).toBe(403)
  }
  const { key } = await host.makeKey('umbrella', SCOPES, { workspaces: ['*'] })
  expect((await regression('', { host, key })).status).toBe(404)
})
