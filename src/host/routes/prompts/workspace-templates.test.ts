// Tests templates of a workspace over HTTP: only members see and change them, and a workspace that does not exist is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../../../core/access/keys.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'

let host: TestHost
let all: string
let one: string
let two: string
beforeAll(async () => {
  host = await startHost({ observability: 'full' })
  const keyOf = async (...workspaces: string[]) => (await host.makeKey('acme', SCOPES, { workspaces })).key
  ;[all, one, two] = [await keyOf('*'), await keyOf('w1'), await keyOf('w2')]
  for (const workspace of ['w1', 'w2'])
    await host.ask('POST', `/v1/workspaces/${workspace}/commits`, { key: all, body: { changes: [{ path: 'a.md', text: 'A' }] } })
  const made = await host.ask('POST', '/v1/prompts', { key: one, body: { ...text('scoped', 'Of w1.'), workspaceId: 'w1' } })
  expect([made.status, made.body.workspaceId]).toEqual([201, undefined])
  expect((await host.ask('GET', made.headers.get('location')!, { key: one })).body.text).toBe('Of w1.')
})
afterAll(() => host.close())

const text = (id: string, words: string, version = '1.0.0') => template(id, { text: words, variables: [], version })
const get = (path: string, key: string) => host.ask('GET', `/v1/prompts${path}`, { key })
const post = (verb: string, key: string, body: object) => host.ask('POST', `/v1/prompts${verb}`, { key, body })
const idsOf = async (query: string, key: string) =>
  (await get(query, key)).body.items.map((item: { templateId: string }) => item.templateId)
const RENDER = { ref: 'prompt:scoped', variables: {} }
const RESOLVE = { node: { nodeId: 'n', config: { systemPromptRef: 'prompt:scoped' } }, kind: 'system' }

it('openwop D6: with its workspaceId a template is read, listed, rendered and resolved', async () => {
  for (const key of [one, all]) {
    expect((await get('/scoped?workspaceId=w1', key)).body.text).toBe('Of w1.')
    expect(await idsOf('?workspaceId=w1', key)).toContain('scoped')
    expect((await post(':render', key, { ...RENDER, workspaceId: 'w1' })).body.composed).toBe('Of w1.')
    const { body } = await post(':resolve', key, { ...RESOLVE, workspaceId: 'w1' })
    expect(body.resolutions[0].event.resolved).toBe('prompt:scoped@1.0.0')
  }
})

it.each(['', '?workspaceId=w2'])('openwop D6: with %j nobody reads, lists, replaces, labels or removes it', async query => {
  for (const key of query === '' ? [one, two, all] : [two, all]) {
    const inBody = query === '' ? {} : { workspaceId: 'w2' }
    const missing = { status: 404, body: { error: 'prompt_template_not_found' } }
    expect(await get(`/scoped${query}`, key)).toMatchObject(missing)
    expect(await get(`/scoped/diff${query === '' ? '?' : `${query}&`}from=1.0.0`, key)).toMatchObject(missing)
    expect(await idsOf(query, key)).not.toContain('scoped')
    expect(await post(':render', key, { ...RENDER, ...inBody })).toMatchObject(missing)
    expect(JSON.stringify((await post(':resolve', key, { ...RESOLVE, ...inBody })).body)).not.toContain('prompt:scoped@1.0.0')
    expect(await host.ask('PUT', `/v1/prompts/scoped${query}`, { key, body: text('scoped', 'x', '2.0.0') })).toMatchObject(missing)
    expect(await host.ask('PUT', `/v1/labels/scoped/live${query}`, { key, body: { version: '1.0.0' } })).toMatchObject(missing)
    expect(await host.ask('DELETE', `/v1/prompts/scoped${query}`, { key })).toMatchObject(missing)
  }
  expect((await get('/scoped?workspaceId=w1', one)).status).toBe(200)
})

it.each(['w1', 'nowhere', '*', 'w1/../w2'])('openwop D6: workspaceId %s is refused to a key that is not a member', async name => {
  const refused = { status: 403, body: { error: 'workspace_membership_required' } }
  const keys = name === 'w1' ? [two] : [two, all, one]
  for (const key of keys) {
    const query = `?workspaceId=${encodeURIComponent(name)}`
    expect(await get(`/scoped${query}`, key)).toMatchObject(refused)
    expect(await get(query, key)).toMatchObject(refused)
    expect(await post('', key, { ...text('new', 'x'), workspaceId: name })).toMatchObject(refused)
    expect(await post(query, key, text('new', 'x'))).toMatchObject(refused)
    expect(await post(':render', key, { ...RENDER, workspaceId: name })).toMatchObject(refused)
    expect(await host.ask('DELETE', `/v1/prompts/scoped${query}`, { key })).toMatchObject(refused)
  }
  expect((await get('/new', all)).status).toBe(404)
})

describe('one id in a workspace and in the tenant', () => {
  it('means the workspace’s own where that is named, and the tenant’s elsewhere', async () => {
    await post('', all, text('both', 'Of all.'))
    await post('', one, { ...text('both', 'Of w1.'), workspaceId: 'w1' })
    await post('', two, { ...text('both', 'Of w2.'), workspaceId: 'w2' })
    const texts = ['', '?workspaceId=w1', '?workspaceId=w2'].map(async query => (await get(`/both${query}`, all)).body.text)
    expect(await Promise.all(texts)).toEqual(['Of all.', 'Of w1.', 'Of w2.'])
    expect((await idsOf('?workspaceId=w1', one)).filter((id: string) => id === 'both')).toHaveLength(1)
    expect((await host.ask('DELETE', '/v1/prompts/both?workspaceId=w2', { key: two })).status).toBe(204)
    expect((await get('/both', all)).body.text).toBe('Of all.')
    expect((await get('/both?workspaceId=w2', two)).status).toBe(404)
  })

  it('labels of a workspace point to its own versions', async () => {
    await host.ask('PUT', '/v1/labels/both/live', { key: one, body: { version: '1.0.0', workspaceId: 'w1' } })
    const labels = async (query: string) => (await host.ask('GET', `/v1/labels/both${query}`, { key: all })).body.labels.length
    expect([await labels('?workspaceId=w1'), await labels('')]).toEqual([1, 0])
  })

  it('refuses two workspaces in one request', async () => {
    const { status } = await host.ask('POST', '/v1/prompts?workspaceId=w2', { key: all, body: { ...text('x', 'x'), workspaceId: 'w1' } })
    expect(status).toBe(400)
  })
})
