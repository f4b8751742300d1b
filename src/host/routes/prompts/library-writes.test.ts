// Tests concurrent writes to the library over real HTTP: packs, twins, lost updates, workspaces of others.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SCOPES } from '../../../core/access/keys.ts'
import { protectLabel } from '../../../engine/library/labels.ts'
import { publishTemplates } from '../../../engine/library/publish.ts'
import { HOST_TENANT } from '../../../engine/library/rows.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'

let host: TestHost
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

let made = 0
const freshId = () => `written-${++made}`
const post = (body: unknown, headers = {}) => host.ask('POST', '/v1/prompts', { body, headers })
const put = (id: string, version: string, headers = {}) =>
  host.ask('PUT', `/v1/prompts/${id}`, { body: template(id, { version }), headers })
const remove = (id: string, headers = {}) => host.ask('DELETE', `/v1/prompts/${id}`, { headers })
async function created(): Promise<string> {
  const id = freshId()
  expect((await post(template(id))).status).toBe(201)
  return id
}
const eventCount = async () => (await host.store.head('acme', 'library/onbook')).seq

describe("an id that only a pack's library has", () => {
  it('cannot be created, replaced or removed', async () => {
    const id = freshId()
    const pack = { tenant: HOST_TENANT, libraryId: 'vendor.acme.pack', actor: 'test' }
    await publishTemplates(host.store, pack, [template(id)], { mode: 'create', origin: 'pack' })
    const answers = [await post(template(id, { version: '2.0.0' })), await put(id, '2.0.0'), await remove(id)]
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(Array(3).fill([403, 'template_read_only']))
    expect((await host.ask('GET', `/v1/prompts/${id}`)).body.meta.source).toBe('pack')
  })

  it('that comes later leaves what users made to them', async () => {
    const id = await created()
    const pack = { tenant: HOST_TENANT, libraryId: 'vendor.acme.late', actor: 'test' }
    await publishTemplates(host.store, pack, [template(id)], { mode: 'create', origin: 'pack' })
    const tag = (await host.ask('GET', `/v1/prompts/${id}?libraryId=onbook`)).headers.get('etag')!
    expect((await put(id, '1.1.0', { 'if-match': tag })).status).toBe(200)
    expect((await remove(id)).status).toBe(204)
    expect((await host.ask('GET', `/v1/prompts/${id}`)).body.meta.source).toBe('pack')
  })
})

describe('If-Match', () => {
  it('lets one of many writers through', async () => {
    const id = await created()
    const tag = (await host.ask('GET', `/v1/prompts/${id}`)).headers.get('etag')!
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map(n => put(id, `1.${n}.0`, { 'if-match': tag })))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status, body }) => status === 412 && body.error === 'precondition_failed')).toHaveLength(5)
  })

  it('compares strongly, and guards removal too', async () => {
    const id = await created()
    const tag = (await host.ask('GET', `/v1/prompts/${id}`)).headers.get('etag')!
    expect((await remove(id, { 'if-match': `W/${tag}` })).status).toBe(412)
    expect((await remove(id, { 'if-match': '"sha256:other"' })).status).toBe(412)
    expect((await remove(id, { 'if-match': `"other", ${tag}` })).status).toBe(204)
  })
})

describe('Idempotency-Key', () => {
  const replayedOf = (headers: Headers) => headers.get('openwop-idempotent-replay')

  it.each(['POST', 'PUT', 'DELETE'])('makes twins of %s one: one effect, equal answers', async method => {
    const id = method === 'POST' ? freshId() : await created()
    const headers = { 'idempotency-key': `twins-${method}` }
    const before = await eventCount()
    const act = () => (method === 'POST' ? post(template(id), headers) : method === 'PUT' ? put(id, '2.0.0', headers) : remove(id, headers))
    const all = await Promise.all([1, 2, 3, 4, 5].map(act))
    all.push(await act())
    expect(await eventCount()).toBe(before + 1)
    const shown = all.map(({ status, body, headers: got }) => JSON.stringify([status, body, got.get('etag'), got.get('location')]))
    expect(new Set(shown).size).toBe(1)
    expect(all[0]!.status).toBeLessThan(300)
    expect(all.filter(({ headers: got }) => replayedOf(got) === null)).toHaveLength(1)
    expect(replayedOf(all.at(-1)!.headers)).toBe('true')
  })

  it.each(['POST', 'PUT', 'DELETE'])('answers a %s that asked before its twin was done as its twin', async method => {
    const id = method === 'POST' ? freshId() : await created()
    const headers = { 'idempotency-key': `late-${method}` }
    const act = () => (method === 'POST' ? post(template(id), headers) : method === 'PUT' ? put(id, '2.0.0', headers) : remove(id, headers))
    const first = await act()
    const late = vi.spyOn(host.store, 'answer').mockResolvedValueOnce(null)
    const second = await act()
    late.mockRestore()
    expect([second.status, second.body, replayedOf(second.headers)]).toEqual([first.status, first.body, 'true'])
  })

  it('refuses another request under the same key, also when both come at once', async () => {
    const headers = { 'idempotency-key': 'two-bodies' }
    const [one, other] = await Promise.all([post(template(freshId()), headers), post(template(freshId()), headers)])
    expect([one.status, other.status].sort()).toEqual([201, 409])
    expect([one.body.error, other.body.error]).toContain('idempotency_key_mismatch')
  })

  it('is one key space for each tenant', async () => {
    const { key } = await host.makeKey('umbrella')
    const id = freshId()
    const headers = { 'idempotency-key': 'shared-name' }
    expect((await post(template(id), headers)).status).toBe(201)
    const theirs = await host.ask('POST', '/v1/prompts', { body: template(id, { text: 'theirs', variables: [] }), headers, key })
    expect([theirs.status, theirs.body.text, replayedOf(theirs.headers)]).toEqual([201, 'theirs', null])
  })

  it.each(['', ' ', 'x'.repeat(256), 'ä'])('must be one: not %j', async key => {
    const { status } = await post(template(freshId()), { 'idempotency-key': key })
    expect(status).toBe(key === '' || key === ' ' ? status : 400)
    expect(status).toBeLessThan(500)
  })
})

describe('a workspace named by whoever is no member', () => {
  const routes: readonly [string, string, object?][] = [
    ['GET', '/v1/prompts'],
    ['GET', '/v1/prompts/any'],
    ['POST', '/v1/prompts', template('any')],
    ['PUT', '/v1/prompts/any', template('any')],
    ['DELETE', '/v1/prompts/any'],
    ['POST', '/v1/prompts:render', { ref: 'prompt:any', variables: {} }],
    ['POST', '/v1/prompts:resolve', { node: { nodeId: 'n' } }],
    ['GET', '/v1/labels/any'],
    ['GET', '/v1/labels/any/history'],
    ['PUT', '/v1/labels/any/production', { version: '1.0.0' }],
    ['DELETE', '/v1/labels/any/production'],
    ['GET', '/v1/protected-labels'],
    ['PUT', '/v1/protected-labels/any'],
    ['DELETE', '/v1/protected-labels/any'],
  ]
  const refused = (answer: { status: number; body: { error: string } }) =>
    expect([answer.status, answer.body.error]).toEqual([403, 'workspace_membership_required'])

  it.each(routes)('is refused on %s %s', async (method, path, body) => {
    refused(await host.ask(method, `${path}?workspaceId=theirs`, { body }))
    refused(await host.ask(method, `${path}?workspaceId=a&workspaceId=b`, { body }))
    if (body !== undefined) refused(await host.ask(method, path, { body: { ...body, workspaceId: 'theirs' } }))
  })

  it('is no part of the template for a member', async () => {
    const { key } = await host.makeKey('acme', SCOPES, { workspaces: ['ours'] })
    await host.ask('POST', '/v1/workspaces/ours/commits', { body: { changes: [{ path: 'a.md', text: 'A' }] }, key })
    const id = freshId()
    const { status, body } = await host.ask('POST', '/v1/prompts', { body: { ...template(id), workspaceId: 'ours' }, key })
    expect(status).toBe(201)
    expect(body).not.toHaveProperty('workspaceId')
    refused(await host.ask('POST', '/v1/prompts', { body: { ...template(freshId()), workspaceId: 'theirs' }, key }))
  })
})

describe('what is switched off', () => {
  it('is off whatever is sent', async () => {
    const off = await startHost({ endpointsSupported: false })
    const frozen = await startHost({ mutableLibrary: false })
    try {
      const code = async (on: TestHost, method: string, path: string, body?: unknown) => {
        const answer = await on.ask(method, path, { body })
        return [answer.status, answer.body.error]
      }
      const gone = [501, 'capability_not_provided']
      for (const path of ['/v1/prompts', '/v1/prompts?limit=none', '/v1/prompts/a']) expect(await code(off, 'GET', path)).toEqual(gone)
      for (const path of ['/v1/prompts', '/v1/prompts:render', '/v1/prompts:resolve'])
        expect(await code(off, 'POST', path, { nonsense: 1 })).toEqual(gone)
      expect(await code(frozen, 'POST', '/v1/prompts', { nonsense: 1 })).toEqual(gone)
      expect(await code(frozen, 'PUT', '/v1/prompts/a', '{')).toEqual(gone)
      expect(await code(frozen, 'DELETE', '/v1/prompts/a')).toEqual(gone)
      expect((await frozen.ask('GET', '/v1/prompts')).body).toEqual({ items: [] })
    } finally {
      await off.close()
      await frozen.close()
    }
  })
})

describe('a list', () => {
  it('never has more than the limit, also where two libraries have one id, and leaves nothing out', async () => {
    const busy = await startHost()
    try {
      const pack = { tenant: HOST_TENANT, libraryId: 'vendor.acme.pack', actor: 'test' }
      const ids = ['a', 'a.b', 'a-b', 'b']
      for (const id of ids) await busy.ask('POST', '/v1/prompts', { body: template(id) })
      await publishTemplates(
        busy.store,
        pack,
        ids.map(id => template(id)),
        { mode: 'create', origin: 'pack' },
      )
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await busy.ask('GET', `/v1/prompts?limit=1${cursor}`)
        expect(body.items).toHaveLength(1)
        seen.push(`${body.items[0].templateId} ${body.items[0].meta.source}`)
        if (body.nextCursor === undefined) break
        cursor = `&cursor=${body.nextCursor}`
      }
      expect(seen).toEqual([...ids].sort().flatMap(id => [`${id} user`, `${id} pack`]))
    } finally {
      await busy.close()
    }
  })

  it('refuses to be called a bundle by a user', async () => {
    const meta = { packName: 'vendor.acme.prompts', packVersion: '1.0.0' }
    expect((await post({ ...template(freshId()), meta })).body.message).toContain('set by bundles')
  })

  it.each(['$..x', 'a[*]', 'a[?(@.b)]', '', 'a..b', '.a', "a['b']"])(
    'refuses the extractPath %j, which would find nothing',
    async extractPath => {
      const variables = [{ name: 'topic', type: 'string' as const, required: true, extractPath }]
      expect((await post(template(freshId(), { variables }))).body.message).toContain('extractPath of "topic"')
    },
  )

  it.each(['$', '$.a.b', 'a[0].b', 'user-name.first', '$[1]'])('takes the extractPath %j', async extractPath => {
    const variables = [{ name: 'topic', type: 'string' as const, required: true, extractPath }]
    expect((await post(template(freshId(), { variables }))).status).toBe(201)
  })

  it.each([{ createdAt: 'yesterday' }, { packName: 'Not A Pack' }, { source: 'elsewhere' }])('refuses the meta %j', async meta => {
    expect((await post({ ...template(freshId()), meta })).body.error).toBe('validation_error')
  })
})

describe('labels of a template that is removed', () => {
  it('go with it, on record; a protected one keeps it', async () => {
    const id = await created()
    const { key: plain } = await host.makeKey('acme', ['prompts:read', 'prompts:write', 'labels:write'])
    await host.ask('PUT', `/v1/labels/${id}/guarded`, { body: { version: '1.0.0', why: 'tested' } })
    await protectLabel(host.store, { tenant: 'acme', libraryId: 'onbook', actor: 'test' }, 'guarded', true)
    const refused = await host.ask('DELETE', `/v1/prompts/${id}`, { key: plain })
    expect([refused.status, refused.body.error]).toEqual([403, 'label_protected'])
    expect((await remove(id)).status).toBe(204)
    expect((await host.ask('GET', `/v1/labels/${id}`)).body.labels).toEqual([])
    const { history } = (await host.ask('GET', `/v1/labels/${id}/history`)).body
    expect(history).toMatchObject([
      { label: 'guarded', from: null, to: '1.0.0', why: 'tested' },
      { label: 'guarded', from: '1.0.0', to: null, why: 'the template was removed' },
    ])
    expect(history[1].actor).toMatch(/^key:/)
    expect(Date.parse(history[1].at)).toBeGreaterThan(0)
  })
})

describe('odd bodies', () => {
  it('that are empty are none, whatever was announced', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await remove(await created(), headers)).status).toBe(204)
    expect((await host.ask('POST', '/v1/prompts', { headers })).body.error).toBe('validation_error')
  })

  it('with a digest for a text are refused as such', async () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const id = await created()
    expect((await post({ ...template(freshId()), modelHints: { modelClass: digest } })).body.error).toBe('validation_error')
    const { status, body } = await host.ask('PUT', `/v1/labels/${id}/production`, { body: { version: '1.0.0', why: digest } })
    expect([status, body.error]).toEqual([400, 'validation_error'])
  })
})

it('goes on meaning what a tenant wrote when the host ships the same id later', async () => {
  const id = await created()
  const shipped = template(id, { text: 'shipped', variables: [] })
  const writer = { tenant: HOST_TENANT, libraryId: 'onbook', actor: 'test' }
  await publishTemplates(host.store, writer, [shipped, { ...shipped, version: '9.0.0' }], { mode: 'create', origin: 'host' })
  expect((await host.ask('GET', `/v1/prompts/${id}?version=1.0.0`)).body.text).toBe('Write about {{topic}}.')
  expect((await host.ask('GET', `/v1/prompts/${id}`)).body.version).toBe('1.0.0')
  expect((await host.ask('GET', `/v1/prompts/${id}?version=9.0.0`)).status).toBe(404)
  expect((await put(id, '1.1.0')).status).toBe(200)
  expect((await remove(id)).status).toBe(204)
  expect((await host.ask('GET', `/v1/prompts/${id}?version=1.0.0`)).status).toBe(404)
  const { key } = await host.makeKey('newcomer')
  expect((await host.ask('GET', `/v1/prompts/${id}`, { key })).body.version).toBe('9.0.0')
})

it('reliability D20: a PUT of a label that changes nothing is answered once under its Idempotency-Key', async () => {
  const id = await created()
  await put(id, '1.1.0')
  const move = (version: string, headers = {}) => host.ask('PUT', `/v1/labels/${id}/live`, { body: { version }, headers })
  const once = { 'idempotency-key': 'nothing-changes' }
  await move('1.0.0')
  expect((await move('1.0.0', once)).status).toBe(200)
  await move('1.1.0')
  const retry = await move('1.0.0', once)
  expect([retry.status, retry.headers.get('openwop-idempotent-replay')]).toEqual([200, 'true'])
  expect((await host.ask('GET', `/v1/labels/${id}`)).body.labels).toMatchObject([{ label: 'live', version: '1.1.0' }])
})
