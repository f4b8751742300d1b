// Tests /v1/prompts over real HTTP: the rules of OpenWOP's RFC 0028, and the known mistakes of its reference host.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canonicalJson, digestText, type Json } from '../../../core/digest/digest.ts'
import { publishTemplates } from '../../../engine/library/publish.ts'
import { HOST_TENANT } from '../../../engine/library/rows.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'

let host: TestHost
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

const post = (body: unknown, headers = {}) => host.ask('POST', '/v1/prompts', { body, headers })
const put = (id: string, body: unknown, headers = {}) => host.ask('PUT', `/v1/prompts/${id}`, { body, headers })
const get = (path: string, headers = {}) => host.ask('GET', `/v1/prompts${path}`, { headers })
let made = 0
const freshId = () => `template-${++made}`
const created = async (more = {}) => {
  const id = freshId()
  expect((await post(template(id, more))).status).toBe(201)
  return id
}

it.each([
  ['/v1/prompts?kind=sytem', 'must be one of system, user, few-shot, schema-hint'],
  ['/v1/prompts?kin=system', 'has no "kin"'],
])('says what %s should have been', async (path, message) => {
  expect((await host.ask('GET', path)).body.message).toContain(message)
})

describe('create', () => {
  it('answers with the template, where it is, and a strong tag over its canonical JSON', async () => {
    const id = freshId()
    const { status, headers, body } = await post(template(id, { meta: { author: 'ada', source: 'host' } }))
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/v1/prompts/${id}?version=1.0.0`)
    expect(body).toEqual({ ...template(id), meta: { author: 'ada', source: 'user' } })
    expect(headers.get('etag')).toBe(`"${digestText(canonicalJson(body as Json))}"`)
  })

  const bad: readonly [string, object][] = [
    ['an id outside the grammar', { templateId: 'Bad ID' }],
    ['a version that is none', { version: 'banana' }],
    ['a version that SemVer does not know', { version: '01.0.0' }],
    ['an unknown kind', { kind: 'bogus' }],
    ['variables that are no list', { variables: 'nope' }],
    ['a variable declared twice', { variables: [1, 2].map(() => ({ name: 'a', type: 'string', required: true })) }],
    ['an unknown key', { colour: 'red' }],
    ['a text that is too long', { text: 'x'.repeat(65_537) }],
    ['a text of too many bytes', { text: 'ä'.repeat(40_000) }],
    ['a text that does not parse', { text: 'Hello {{name' }],
    ['too many tags', { tags: Array.from({ length: 33 }, (_, n) => `t${n}`) }],
    ['an empty tag', { tags: [''] }],
    ['a temperature above 2', { modelHints: { temperature: 2.1 } }],
  ]
  it.each(bad)('refuses %s, and lists go on working', async (_, more) => {
    const { status, body } = await post({ ...template(freshId()), ...more })
    expect([status, body.error]).toEqual([400, 'validation_error'])
    expect((await get('')).status).toBe(200)
  })

  it('writes a version once, for ever, also after it was removed', async () => {
    const id = await created()
    expect((await post(template(id, { text: 'other' }))).body.error).toBe('template_exists')
    expect((await host.ask('DELETE', `/v1/prompts/${id}`)).status).toBe(204)
    expect((await get(`/${id}`)).status).toBe(404)
    expect((await get(`/${id}?version=1.0.0`)).status).toBe(404)
    expect((await host.ask('DELETE', `/v1/prompts/${id}`)).status).toBe(404)
    expect((await post(template(id))).status).toBe(409)
    expect((await post(template(id, { version: '1.0.1' }))).status).toBe(201)
  })
})

describe('read', () => {
  it('tells pinned from latest, and keeps both out of shared caches', async () => {
    const id = await created()
    expect((await get(`/${id}`)).headers.get('cache-control')).toBe('private, max-age=60')
    expect((await get(`/${id}?version=1.0.0`)).headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    expect((await get(`/${id}?version=9.0.0`)).body.error).toBe('prompt_template_not_found')
  })

  it('answers 304 for a tag, a list of tags, a weak one and a star', async () => {
    const id = await created()
    const tag = (await get(`/${id}`)).headers.get('etag')!
    const asked = async (given: string) => (await get(`/${id}`, { 'if-none-match': given })).status
    expect(await Promise.all([tag, `"other", ${tag}`, `W/${tag}`, '*'].map(asked))).toEqual([304, 304, 304, 304])
    expect(await Promise.all(['"other"', tag.slice(1, -1), ''].map(asked))).toEqual([200, 200, 200])
  })

  it('orders versions as SemVer does, pre-releases too', async () => {
    const id = await created({ version: '1.0.0' })
    for (const version of ['1.0.1-rc.1', '1.0.1-rc.2', '1.0.1-rc.10', '1.0.1', '1.10.0', '1.9.0']) {
      expect((await post(template(id, { version }))).status, version).toBe(201)
    }
    expect((await get(`/${id}`)).body.version).toBe('1.10.0')
    expect((await get(`/${id}?version=1.0.1-rc.2`)).body.version).toBe('1.0.1-rc.2')
  })
})

describe('replace', () => {
  it('needs a greater version, and keeps the one before', async () => {
    const id = await created({ version: '1.0.0' })
    expect((await put(id, template(id, { version: '1.0.0' }))).status).toBe(409)
    expect((await put(id, template(id, { version: '1.0.0-rc.1' }))).body.error).toBe('version_not_greater')
    const { status, body } = await put(id, template(id, { version: '1.1.0', text: 'new' }))
    expect([status, body.version]).toEqual([200, '1.1.0'])
    expect((await get(`/${id}?version=1.0.0`)).status).toBe(200)
    expect((await get(`/${id}`)).body.text).toBe('new')
  })

  it('survives a body without a version, and one for another id', async () => {
    const id = await created()
    const { version: _, ...rest } = template(id)
    expect((await put(id, rest)).status).toBe(400)
    expect((await put(id, template('another'))).status).toBe(400)
    expect((await put(freshId(), template(`template-${made}`))).status).toBe(404)
    expect((await get(`/${id}`)).status).toBe(200)
  })

  it('refuses whoever has seen another version than there is', async () => {
    const id = await created()
    const tag = (await get(`/${id}`)).headers.get('etag')!
    expect((await put(id, template(id, { version: '2.0.0' }), { 'if-match': '"stale"' })).status).toBe(412)
    expect((await put(id, template(id, { version: '2.0.0' }), { 'if-match': `W/${tag}` })).status).toBe(412)
    expect((await put(id, template(id, { version: '2.0.0' }), { 'if-match': tag })).status).toBe(200)
    expect((await host.ask('DELETE', `/v1/prompts/${id}`, { headers: { 'if-match': tag } })).status).toBe(412)
  })

  it('leaves what the host ships alone', async () => {
    const writer = { tenant: HOST_TENANT, libraryId: 'onbook', actor: 'test' }
    await publishTemplates(host.store, writer, [template('shipped')], { mode: 'create', origin: 'host' })
    expect((await get('/shipped')).body.meta.source).toBe('host')
    for (const answer of [
      await put('shipped', template('shipped', { version: '2.0.0' })),
      await post(template('shipped', { version: '2.0.0' })),
    ])
      expect([answer.status, answer.body.error]).toEqual([403, 'template_read_only'])
    expect((await host.ask('DELETE', '/v1/prompts/shipped')).status).toBe(403)
  })
})

describe('list', () => {
  it('pages through everything once, whatever is written meanwhile', async () => {
    const other = await startHost()
    const ids = Array.from({ length: 23 }, (_, n) => `t-${String(n).padStart(2, '0')}`)
    for (const id of ids) await other.ask('POST', '/v1/prompts', { body: template(id) })
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; ; page++) {
      const { body } = await other.ask('GET', `/v1/prompts?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...body.items.map((item: { templateId: string }) => item.templateId))
      if (page === 0) {
        await other.ask('POST', '/v1/prompts', { body: template('t-00a') })
        await other.ask('DELETE', '/v1/prompts/t-01')
      }
      if (body.nextCursor === undefined) break
      cursor = body.nextCursor
    }
    expect(seen).toEqual(ids)
    await other.close()
  })

  it('filters by kind, source, model class and all of the tags', async () => {
    const id = await created({ kind: 'schema-hint', tags: ['red', 'blue'], modelHints: { modelClass: 'coding' } })
    const found = async (query: string) =>
      (await get(`?${query}&limit=200`)).body.items.map((item: { templateId: string }) => item.templateId)
    expect(await found('kind=schema-hint&tag=red&tag=blue&modelClass=coding&source=user')).toEqual([id])
    expect(await found('kind=schema-hint&tag=red&tag=green')).toEqual([])
  })

  it.each([
    'kind=bogus',
    'source=elsewhere',
    'limit=0',
    'limit=201',
    'limit=x',
    'cursor=!',
    'cursor=MTpBQUE',
    'colour=red',
    'limit=1&limit=2',
  ])('refuses %s instead of ignoring it', async query => {
    const { status, body } = await get(`?${query}`)
    expect([status, body.error]).toEqual([400, 'validation_error'])
  })
})

describe('Idempotency-Key', () => {
  it('answers a retry as it answered first, and refuses another body', async () => {
    const id = freshId()
    const headers = { 'idempotency-key': `key of ${id}` }
    const first = await post(template(id), headers)
    const again = await post(template(id), headers)
    expect(again.headers.get('openwop-idempotent-replay')).toBe('true')
    expect([again.status, again.body, again.headers.get('location')]).toEqual([first.status, first.body, first.headers.get('location')])
    expect((await post(template(id, { version: '2.0.0' }), headers)).body.error).toBe('idempotency_key_mismatch')
    const removal = { headers: { 'idempotency-key': 'gone' } }
    expect((await host.ask('DELETE', `/v1/prompts/${id}`, removal)).status).toBe(204)
    expect((await host.ask('DELETE', `/v1/prompts/${id}`, removal)).status).toBe(204)
  })

  it('does one thing for twins that come together', async () => {
    const id = freshId()
    const twins = await Promise.all([1, 2, 3, 4].map(() => post(template(id), { 'idempotency-key': `twins ${id}` })))
    expect(twins.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  })

  it('does not remember a refusal', async () => {
    const id = freshId()
    const headers = { 'idempotency-key': `refused ${id}` }
    expect((await post({ ...template(id), kind: 'bogus' }, headers)).status).toBe(400)
    expect((await post(template(id), headers)).status).toBe(201)
  })
})

describe('gates', () => {
  it('answers 501 for what is not advertised', async () => {
    const [closed, fixed] = [await startHost({ endpointsSupported: false }), await startHost({ mutableLibrary: false })]
    for (const [method, path] of [
      ['GET', '/v1/prompts'],
      ['GET', '/v1/prompts/x'],
      ['DELETE', '/v1/prompts/x'],
    ] as const)
      expect((await closed.ask(method, path)).body.error).toBe('capability_not_provided')
    expect((await closed.ask('POST', '/v1/prompts:render', { body: { ref: 'prompt:x', variables: {} } })).status).toBe(501)
    expect((await fixed.ask('POST', '/v1/prompts', { body: template('x') })).status).toBe(501)
    expect((await fixed.ask('GET', '/v1/prompts')).status).toBe(200)
    await Promise.all([closed.close(), fixed.close()])
  })
})
