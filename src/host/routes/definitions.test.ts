// Tests /v1/workflows and /v1/agents over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestJson, type Json } from '../../core/digest/digest.ts'
import { publishWorkflow } from '../../engine/definitions/workflows.ts'
import { HOST_TENANT } from '../../engine/library/rows.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'

let host: TestHost
let stranger: string
beforeAll(async () => {
  host = await startHost()
  stranger = (await host.makeKey('umbrella')).key
})
afterAll(() => host.close())

interface Kind {
  readonly path: string
  readonly named: string
  readonly missing: string
  readonly invalid: string
  readonly first: string
  readonly other: string
  readonly absent: string
  readonly documentOf: (id: string, words: string) => Readonly<Record<string, Json>>
}
const KINDS: readonly Kind[] = [
  {
    path: '/v1/workflows',
    named: 'workflowId',
    missing: 'workflow_not_found',
    invalid: 'workflow_invalid',
    first: 'desk',
    other: 'night-desk',
    absent: 'nobody',
    documentOf: (id, objective) => ({ id, objective, nodes: [{ id: 'writer', agent: 'local.desk.writer' }] }),
  },
  {
    path: '/v1/agents',
    named: 'agentId',
    missing: 'agent_not_found',
    invalid: 'agent_invalid',
    first: 'local.desk.writer',
    other: 'local.night.nightWriter',
    absent: 'local.desk.nobody',
    documentOf: (agentId, systemPrompt) => ({ agentId, systemPrompt, modelClass: 'writing' }),
  },
]

describe.each(KINDS)('$path', ({ path, named, missing, invalid, first, other, absent, documentOf }) => {
  /** Our own list of agents is a view: the plain path is OpenWOP's inventory. */
  const view = path === '/v1/agents' ? '&view=summaries' : ''
  const put = (id: string, words: string, headers: Record<string, string> = {}, key = host.key) =>
    host.ask('PUT', `${path}/${id}`, { body: documentOf(id, words), headers, key })
  const get = (id: string, headers: Record<string, string> = {}, key = host.key) => host.ask('GET', `${path}/${id}`, { headers, key })

  it('keeps a document as it was sent, under its digest', async () => {
    const document = documentOf(first, 'one')
    const digest = digestJson(document)
    const created = await put(first, 'one')
    expect([created.status, created.body]).toEqual([201, { [named]: first, outcome: 'created', revision: 1, digest }])
    expect([created.headers.get('location'), created.headers.get('etag')]).toEqual([`${path}/${first}`, `"${digest}"`])
    const read = await get(first)
    expect([read.status, read.body, read.headers.get('etag')]).toEqual([200, document, `"${digest}"`])
    expect((await get(first, { 'if-none-match': `"${digest}"` })).status).toBe(304)
    expect((await put(first, 'one')).body).toMatchObject({ outcome: 'unchanged', revision: 1 })
    const replaced = await put(first, 'two')
    expect([replaced.status, replaced.body]).toMatchObject([200, { outcome: 'replaced', revision: 2 }])
    expect((await host.ask('GET', `/v1/objects/${digest}`)).status).toBe(200)
  })

  it('is written only for whoever saw what is there', async () => {
    const { body } = await put(other, 'one', { 'if-none-match': '*' })
    expect(body.outcome).toBe('created')
    expect((await put(other, 'two', { 'if-none-match': '*' })).body.error).toBe('precondition_failed')
    expect((await put(other, 'two', { 'if-match': `"${digestJson('another')}"` })).status).toBe(412)
    expect((await put(other, 'two', { 'if-match': `"${body.digest}"` })).status).toBe(200)
    expect((await host.ask('DELETE', `${path}/${other}`, { headers: { 'if-match': `"${body.digest}"` } })).status).toBe(412)
    expect((await put(absent, 'x', { 'if-match': '*' })).status).toBe(412)
  })

  it('is answered as the first time under the same Idempotency-Key', async () => {
    const once = { 'idempotency-key': 'first' }
    const answer = await put(other, 'three', once)
    await put(other, 'four')
    const again = await put(other, 'three', once)
    expect([again.status, again.body, again.headers.get('openwop-idempotent-replay')]).toEqual([answer.status, answer.body, 'true'])
    expect((await put(other, 'five', once)).body.error).toBe('idempotency_key_mismatch')
    expect((await get(other)).body).toEqual(documentOf(other, 'four'))
    const unchanged = { 'idempotency-key': 'unchanged' }
    expect((await put(other, 'four', unchanged)).body.outcome).toBe('unchanged')
    await put(other, 'five')
    expect((await put(other, 'four', unchanged)).headers.get('openwop-idempotent-replay')).toBe('true')
  })

  it('is listed by id, in pages', async () => {
    const { body } = await host.ask('GET', `${path}?limit=1${view}`)
    expect(body.items).toMatchObject([{ [named]: first, revision: 2, source: 'user', actor: expect.stringMatching(/^key:/) }])
    const { body: rest } = await host.ask('GET', `${path}?cursor=${body.nextCursor}${view}`)
    expect(rest.items.map((item: Record<string, string>) => item[named])).toEqual([other])
    expect(rest.nextCursor).toBeUndefined()
  })

  it('is each tenant’s own', async () => {
    expect((await get(first, {}, stranger)).body).toMatchObject({ error: missing, details: { [named]: first } })
    expect((await put(first, 'theirs', {}, stranger)).body).toMatchObject({ outcome: 'created', revision: 1 })
    expect((await get(first)).body).toEqual(documentOf(first, 'two'))
    expect((await host.ask('GET', `${path}?limit=9${view}`, { key: stranger })).body.items).toHaveLength(1)
  })

  it('refuses what is no such document, or another than the path says', async () => {
    const wrong = { ...documentOf(first, 'x'), colour: 'red' }
    expect((await host.ask('PUT', `${path}/${first}`, { body: wrong })).body).toMatchObject({
      error: invalid,
      details: { problems: [{ pointer: '/colour' }] },
    })
    expect((await host.ask('PUT', `${path}/${other}`, { body: documentOf(first, 'x') })).body.error).toBe('validation_error')
    for (const body of [[], 'x', null]) expect((await host.ask('PUT', `${path}/${first}`, { body })).status).toBe(400)
  })

  it('is gone when it was taken away, once for one key', async () => {
    const once = { headers: { 'idempotency-key': 'gone' } }
    expect((await host.ask('DELETE', `${path}/${first}`, once)).status).toBe(204)
    expect((await get(first)).body.error).toBe(missing)
    expect((await host.ask('DELETE', `${path}/${first}`)).body.error).toBe(missing)
    expect((await put(first, 'two', { 'if-match': '*' })).status).toBe(412)
    expect((await put(first, 'two', { 'if-none-match': '*' })).body).toMatchObject({ outcome: 'created', revision: 3 })
    expect((await host.ask('DELETE', `${path}/${first}`, once)).headers.get('openwop-idempotent-replay')).toBe('true')
    expect((await get(first)).status).toBe(200)
  })
})

it('shows what the host ships to every tenant, and lets nobody change it', async () => {
  const document = { id: 'shipped', nodes: [{ id: 'a' }] }
  await publishWorkflow(host.store, { tenant: HOST_TENANT, actor: 'onbook' }, document)
  expect((await host.ask('GET', '/v1/workflows/shipped', { key: stranger })).body).toEqual(document)
  const { body } = await host.ask('GET', '/v1/workflows', { key: stranger })
  expect(body.items).toMatchObject([{ source: 'user' }, { workflowId: 'shipped', source: 'host' }])
  for (const method of ['PUT', 'DELETE'])
    expect(await host.ask(method, '/v1/workflows/shipped', { body: { ...document, name: 'Mine' } })).toMatchObject({
      status: 403,
      body: { error: 'definition_read_only' },
    })
})

describe('a manifest of OpenWOP', () => {
  const agentId = 'vendor.acme.desk.writer'
  const manifest = { agentId, persona: 'Writer', modelClass: 'writing' }
  const path = `/v1/agents/${agentId}`
  const refused = async (body: object) => {
    const { status, body: answer } = await host.ask('PUT', path, { body })
    return [status, answer.error, answer.message]
  }

  it('openwop D20: with no prompt at all is refused, and so is one with two', async () => {
    expect(await refused(manifest)).toEqual([400, 'agent_invalid', expect.stringContaining('the agent has no prompt')])
    const two = { manifest: { ...manifest, systemPrompt: 'a', systemPromptRef: 'w.md' }, files: { 'w.md': 'b' } }
    expect(await refused(two)).toEqual([400, 'agent_invalid', expect.stringContaining('keep one')])
    expect((await host.ask('GET', path)).status).toBe(404)
  })

  it('openwop D20: with a systemPromptRef is sent with its file, and the agent has that text', async () => {
    const body = { manifest: { ...manifest, systemPromptRef: 'prompts/writer.md' }, files: { 'prompts/writer.md': 'I write.\n' } }
    const { status, body: published } = await host.ask('PUT', path, { body })
    expect([status, published.outcome]).toEqual([201, 'created'])
    expect((await host.ask('GET', path)).body).toEqual({ ...manifest, systemPrompt: 'I write.\n' })
    expect((await host.ask('PUT', path, { body: { ...manifest, systemPrompt: 'I write.\n' } })).body.outcome).toBe('unchanged')
  })

  it.each<[string, object, string, RegExp]>([
    ['no file', { ...manifest, systemPromptRef: 'w.md' }, 'agent_invalid', /send its text beside the manifest.*"files": \{"w\.md"/],
    ['another file', { manifest: { ...manifest, systemPromptRef: 'w.md' }, files: { 'v.md': 'b' } }, 'validation_error', /files has v\.md/],
    [
      'a path out of the package',
      { manifest: { ...manifest, systemPromptRef: '../w.md' }, files: { '../w.md': 'b' } },
      'agent_invalid',
      /leads out/,
    ],
    ['an empty file', { manifest: { ...manifest, systemPromptRef: 'w.md' }, files: { 'w.md': '' } }, 'agent_invalid', /w\.md is empty/],
    [
      'a file nobody names',
      { manifest: { ...manifest, systemPrompt: 'a' }, files: { 'w.md': 'b' } },
      'validation_error',
      /files has w\.md/,
    ],
    ['something else beside it', { manifest: { ...manifest, systemPrompt: 'a' }, file: {} }, 'validation_error', /there is no "file"/],
  ])('openwop D20: with %s is refused, and the error says what to send', async (_, body, code, message) =>
    expect(await refused(body)).toEqual([400, code, expect.stringMatching(message)]),
  )
})
