// Tests workspaces over real HTTP: versions, files, ranges, preconditions, and refusals.
import { Agent, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../../../core/access/keys.ts'
import { digestBytes } from '../../../core/digest/digest.ts'
import { encodeName } from '../../../core/workspace/path.ts'
import { type Asking, startHost, type TestHost } from '../../../testing/hosts/start-host.ts'

let host: TestHost
let key: string
beforeAll(async () => {
  host = await startHost()
  key = (await host.makeKey('acme', SCOPES, { workspaces: ['*'] })).key
})
afterAll(() => host.close())

let made = 0
const fresh = () => `ws-${++made}`
const ask = (method: string, path: string, asking: Asking = {}) => host.ask(method, `/v1/workspaces${path}`, { key, ...asking })
const commit = (name: string, changes: object[], more: object = {}, asking: Asking = {}) =>
  ask('POST', `/${name}/commits`, { body: { changes, ...more }, ...asking })
async function created(files: Readonly<Record<string, string>> = { 'a.md': 'A', 'docs/b.md': 'B' }): Promise<string> {
  const name = fresh()
  const { status } = await commit(
    name,
    Object.entries(files).map(([path, text]) => ({ path, text })),
  )
  expect(status).toBe(201)
  return name
}
const raw = (method: string, path: string, headers: Record<string, string> = {}, body?: Uint8Array<ArrayBuffer>) =>
  fetch(`${host.url}/v1/workspaces${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  })
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
const eventsOf = async (name: string) => (await host.store.head('acme', `workspace/${name}`)).seq + 1

describe('a version', () => {
  it('is made of several changes at once, listed, pinned and compared', async () => {
    const name = await created()
    const second = await commit(
      name,
      [
        { path: 'a.md', text: 'A2' },
        { path: 'docs/b.md', remove: true },
        { path: 'run.sh', base64: 'IyEvYmluL3No', mode: '0755' },
      ],
      { expectedHead: 1, message: 'second' },
    )
    expect(second).toMatchObject({ status: 201, body: { outcome: 'committed', version: 2, files: 2, bytes: 11 } })
    expect(second.body.changes.map(({ path, kind }: { path: string; kind: string }) => [path, kind])).toEqual([
      ['a.md', 'changed'],
      ['docs/b.md', 'removed'],
      ['run.sh', 'added'],
    ])
    const head = await ask('GET', `/${name}`)
    expect(head.body).toMatchObject({ workspace: name, version: 2, head: 2, root: second.body.root, message: 'second' })
    expect(head.body.actor).toMatch(/^key:/)
    expect(head.headers.get('etag')).toBe(`"${second.body.root}"`)
    expect((await ask('GET', `/${name}`, { headers: { 'if-none-match': head.headers.get('etag')! } })).status).toBe(304)
    expect((await ask('GET', `/${name}?version=1`)).body).toMatchObject({ version: 1, head: 2, files: 2 })
    expect((await ask('GET', `/${name}/diff`)).body).toMatchObject({ from: 1, to: 2, changes: second.body.changes })
    expect((await ask('GET', `/${name}/diff?from=0&to=1&path=docs`)).body.changes).toMatchObject([{ path: 'docs/b.md', kind: 'added' }])
    const versions = await ask('GET', `/${name}/versions?limit=1`)
    expect(versions.body).toMatchObject({ items: [{ version: 2, checks: null }], nextCursor: '2' })
    expect((await ask('GET', `/${name}/versions?cursor=2`)).body).toMatchObject({ items: [{ version: 1 }] })
    expect(await eventsOf(name)).toBe(2)
  })

  it('is not made when nothing is different', async () => {
    const name = await created()
    expect(await commit(name, [{ path: 'a.md', text: 'A' }])).toMatchObject({ status: 200, body: { outcome: 'unchanged', version: 1 } })
    expect((await raw('PUT', `/${name}/files/a.md`, {}, Buffer.from('A'))).status).toBe(200)
    expect(await eventsOf(name)).toBe(1)
  })

  it('is listed by folder and below, in pages', async () => {
    const name = await created({ 'a.md': '1', 'docs/b.md': '2', 'docs/c/d.md': '3' })
    const paths = async (query: string) => {
      const { body } = await ask('GET', `/${name}/tree?${query}`)
      return [body.entries.map(({ path }: { path: string }) => path), body.nextCursor]
    }
    expect(await paths('')).toEqual([['a.md', 'docs'], undefined])
    expect(await paths('path=docs&scope=subtree&limit=2')).toEqual([['docs/b.md', 'docs/c'], 'docs/c'])
    expect(await paths('path=docs&scope=subtree&limit=2&cursor=docs/c')).toEqual([['docs/c/d.md'], undefined])
    expect((await ask('GET', `/${name}/tree?path=nowhere`)).body.error).toBe('workspace_path_missing')
    expect((await ask('GET', `/${name}/tree?path=a.md`)).body.error).toBe('workspace_path_conflict')
  })

  it('has annotations that a write leaves alone and null takes away', async () => {
    const name = await created()
    await commit(name, [
      { path: 'a.md', annotations: { reviewed: true, by: 'desk' } },
      { path: '', annotations: { owner: 'news' } },
    ])
    await commit(name, [
      { path: 'a.md', text: 'A2' },
      { path: '', annotations: { owner: null } },
    ])
    const read = async (path: string) => (await ask('GET', `/${name}/annotations?path=${path}`)).body.annotations
    expect([await read('a.md'), await read(''), await read('docs')]).toEqual([{ reviewed: true, by: 'desk' }, {}, {}])
    expect((await commit(name, [{ path: 'a.md', annotations: { $node: 'tree' } }])).status).toBe(400)
    expect((await ask('GET', `/${name}/annotations?path=nowhere`)).status).toBe(404)
  })
})

describe('a file', () => {
  it('comes as bytes that no browser will run, whole or in part', async () => {
    const name = await created({ 'page.html': '<script>alert(1)</script>' })
    const whole = await raw('GET', `/${name}/files/page.html`)
    expect((await bytesOf(whole)).toString()).toBe('<script>alert(1)</script>')
    expect(
      Object.fromEntries(
        ['content-type', 'x-content-type-options', 'content-disposition', 'etag'].map(one => [one, whole.headers.get(one)]),
      ),
    ).toEqual({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="page.html"',
      etag: `"${digestBytes(Buffer.from('<script>alert(1)</script>'))}"`,
    })
    const part = async (range: string, more = {}) => {
      const answer = await raw('GET', `/${name}/files/page.html`, { range, ...more })
      return [answer.status, answer.headers.get('content-range'), (await bytesOf(answer)).toString()]
    }
    expect(await part('bytes=1-6')).toEqual([206, 'bytes 1-6/25', 'script'])
    expect(await part('bytes=-9')).toEqual([206, 'bytes 16-24/25', '</script>'])
    expect(await part('bytes=20-')).toEqual([206, 'bytes 20-24/25', 'ript>'])
    expect((await part('bytes=1-6', { 'if-range': '"other"' }))[0]).toBe(200)
    expect((await part('bytes=0-1,4-5'))[0]).toBe(200)
    expect((await part('bytes=25-')).slice(0, 2)).toEqual([416, 'bytes */25'])
    expect((await raw('GET', `/${name}/files/page.html`, { 'if-none-match': whole.headers.get('etag')! })).status).toBe(304)
    expect((await raw('HEAD', `/${name}/files/page.html`)).headers.get('content-length')).toBe('25')
  })

  it('is written and taken away, each a version, whatever type it is said to have', async () => {
    const name = fresh()
    const put = await raw(
      'PUT',
      `/${name}/files/data/x.json?mode=0755&message=first`,
      { 'content-type': 'application/json' },
      Buffer.from('{not json'),
    )
    expect(await put.json()).toMatchObject({ outcome: 'committed', version: 1, previousRoot: null })
    expect((await bytesOf(await raw('GET', `/${name}/files/data/x.json`))).toString()).toBe('{not json')
    expect((await ask('GET', `/${name}/tree?scope=subtree`)).body.entries[1]).toMatchObject({ path: 'data/x.json', mode: '0755' })
    expect((await raw('PUT', `/${name}/files/empty`)).status).toBe(200)
    expect((await bytesOf(await raw('GET', `/${name}/files/empty`))).length).toBe(0)
    expect((await raw('DELETE', `/${name}/files/data/x.json`)).status).toBe(200)
    expect((await raw('GET', `/${name}/files/data/x.json`)).status).toBe(404)
    expect((await bytesOf(await raw('GET', `/${name}/files/data/x.json?version=1`))).toString()).toBe('{not json')
    expect(await eventsOf(name)).toBe(3)
  })

  it('may have fifty megabytes, and not more than sixty-four', async () => {
    const name = fresh()
    const big = Buffer.alloc(50 * 1024 * 1024, 'onbook ')
    expect((await raw('PUT', `/${name}/files/big.bin`, {}, big)).status).toBe(200)
    const back = await raw('GET', `/${name}/files/big.bin`)
    expect(digestBytes(await bytesOf(back))).toBe(digestBytes(big))
    const end = await raw('GET', `/${name}/files/big.bin`, { range: `bytes=${big.length - 5}-` })
    expect((await bytesOf(end)).equals(big.subarray(-5))).toBe(true)
    const tooBig = await raw('PUT', `/${name}/files/huge.bin`, {}, Buffer.alloc(64 * 1024 * 1024 + 1))
    expect([tooBig.status, ((await tooBig.json()) as { error: string }).error]).toEqual([413, 'file_too_large'])
    expect(await eventsOf(name)).toBe(1)
  })

  it.each([
    ['PUT', '/v1/workspaces/any/files/reserved.json'],
    ['POST', '/v1/objects'],
  ])('that is refused halfway keeps nobody waiting on the same connection: %s %s', async (method, path) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = (body: Buffer) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' }
        const sent = httpRequest(`${host.url}${path}`, { agent, method, headers }, answer => {
          answer.resume().on('end', () => resolve(answer.statusCode))
        })
        sent.on('error', reject).end(body)
      })
    const reserved = Buffer.concat([Buffer.from('{"$node":'), Buffer.alloc(3 * 1024 * 1024, ' ')])
    for (let time = 0; time < 5; time++) {
      expect(await send(reserved)).toBe(422)
      expect(await send(Buffer.from('fine'))).toBeLessThan(300)
    }
    agent.destroy()
  })
})

describe('who saw something else is refused', () => {
  it('by the number of the version', async () => {
    const name = await created()
    const stale = await commit(name, [{ path: 'a.md', text: 'x' }], { expectedHead: 4 })
    expect(stale).toMatchObject({ status: 409, body: { error: 'workspace_conflict', details: { expected: 4, found: 1 } } })
    expect((await commit(name, [{ path: 'new.md', text: 'x' }], { expectedHead: 0 })).status).toBe(409)
    expect((await commit(fresh(), [{ path: 'new.md', text: 'x' }], { expectedHead: 1 })).status).toBe(409)
    expect(await eventsOf(name)).toBe(1)
  })

  it('by If-Match, which names the root or the file', async () => {
    const name = await created()
    const { root } = (await ask('GET', `/${name}`)).body
    const file = (await raw('GET', `/${name}/files/a.md`)).headers.get('etag')!
    const put = (tag: string, text: string) => raw('PUT', `/${name}/files/a.md`, { 'if-match': tag }, Buffer.from(text))
    expect((await put('"sha256:0"', 'x')).status).toBe(412)
    expect((await put(`"${root}"`, 'x')).status).toBe(200)
    expect((await put(`"${root}"`, 'y')).status).toBe(412)
    expect((await put(file, 'y')).status).toBe(412)
    expect((await put((await raw('GET', `/${name}/files/a.md`)).headers.get('etag')!, 'y')).status).toBe(200)
    expect((await raw('PUT', `/${name}/files/new.md`, { 'if-match': '*' }, Buffer.from('x'))).status).toBe(412)
    expect((await raw('DELETE', `/${name}/files/a.md`, { 'if-match': file })).status).toBe(412)
    expect((await raw('PUT', `/${fresh()}/files/a.md`, { 'if-match': file }, Buffer.from('x'))).status).toBe(412)
    expect(await eventsOf(name)).toBe(3)
  })

  it('and of many at once one is let through, or all where they touch different files', async () => {
    const name = await created()
    const same = await Promise.all([1, 2, 3, 4, 5].map(n => commit(name, [{ path: 'a.md', text: `${n}` }], { expectedHead: 1 })))
    expect(same.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    const other = await Promise.all([1, 2, 3, 4, 5].map(n => raw('PUT', `/${name}/files/n${n}.md`, {}, Buffer.from('x'))))
    expect(other.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect((await ask('GET', `/${name}`)).body).toMatchObject({ version: 7, files: 7 })
  })

  it('unless it is the same request again', async () => {
    const name = await created()
    const once = { headers: { 'idempotency-key': `k-${name}` } }
    const first = await commit(name, [{ path: 'a.md', text: 'once' }], { expectedHead: 1 }, once)
    await commit(name, [{ path: 'a.md', text: 'later' }])
    const again = await commit(name, [{ path: 'a.md', text: 'once' }], { expectedHead: 1 }, once)
    expect([again.status, again.body, again.headers.get('openwop-idempotent-replay')]).toEqual([201, first.body, 'true'])
    expect((await commit(name, [{ path: 'a.md', text: 'else' }], {}, once)).body.error).toBe('idempotency_key_mismatch')
    const put = (text: string) => raw('PUT', `/${name}/files/p.md`, { 'idempotency-key': 'p' }, Buffer.from(text))
    expect([(await put('x')).status, (await put('x')).headers.get('openwop-idempotent-replay'), (await put('y')).status]).toEqual([
      200,
      'true',
      409,
    ])
    const unchanged = () => raw('PUT', `/${name}/files/p.md`, { 'idempotency-key': 'q' }, Buffer.from('x'))
    await unchanged()
    await raw('DELETE', `/${name}/files/p.md`)
    expect(((await (await unchanged()).json()) as { outcome: string }).outcome).toBe('unchanged')
    expect((await raw('GET', `/${name}/files/p.md`)).status).toBe(404)
  })
})

describe('a key', () => {
  it('reaches the workspaces it names, and learns nothing of others', async () => {
    const [mine, theirs] = [await created(), await created()]
    const member = (await host.makeKey('acme', SCOPES, { workspaces: [mine] })).key
    const as = (method: string, path: string, body?: object) => ask(method, path, { key: member, ...(body ? { body } : {}) })
    expect((await as('GET', `/${mine}`)).status).toBe(200)
    const { body: listed } = await as('GET', '')
    expect(listed.items.map(({ workspace }: { workspace: string }) => workspace)).toEqual([mine])
    const refused = [
      await as('GET', `/${theirs}`),
      await as('GET', `/${theirs}/tree`),
      await as('GET', `/${theirs}/files/a.md`),
      await as('GET', `/${theirs}/diff?from=0`),
      await as('GET', `/${theirs}/versions`),
      await as('GET', `/${theirs}/annotations`),
      await as('POST', `/${theirs}/commits`, { changes: [{ path: 'a.md', text: 'x' }] }),
      await as('DELETE', `/${theirs}/files/a.md`),
    ]
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual(Array(8).fill([403, 'workspace_not_allowed']))
    const absent = await as('GET', '/nowhere-at-all')
    expect([absent.status, absent.body.error]).toEqual([403, 'workspace_not_allowed'])
    expect((await as('PUT', `/${theirs}/files/a.md`)).status).toBe(403)
    expect(await eventsOf(theirs)).toBe(1)
  })

  it('with a star is a member of every workspace that exists, also where OpenWOP asks', async () => {
    const name = await created()
    expect((await host.ask('GET', `/v1/prompts?workspaceId=${name}`, { key })).status).toBe(200)
    expect((await host.ask('GET', '/v1/prompts?workspaceId=nowhere', { key })).body.error).toBe('workspace_membership_required')
    const { key: none } = await host.makeKey('acme', SCOPES, { workspaces: [] })
    expect((await host.ask('GET', `/v1/prompts?workspaceId=${name}`, { key: none })).body.error).toBe('workspace_membership_required')
  })

  it('without workspaces reaches none', async () => {
    const name = await created()
    const { key: none } = await host.makeKey('acme', SCOPES, { workspaces: [] })
    expect((await host.ask('GET', `/v1/workspaces/${name}`, { key: none })).body.error).toBe('workspace_not_allowed')
    expect((await host.ask('GET', '/v1/workspaces', { key: none })).body).toEqual({ items: [] })
  })

  it('of another tenant has workspaces of its own under the same names', async () => {
    const name = await created({ 'a.md': 'ours' })
    const stranger = (await host.makeKey('umbrella', SCOPES, { workspaces: ['*'] })).key
    expect((await ask('GET', `/${name}`, { key: stranger })).body.error).toBe('workspace_missing')
    expect(
      (await ask('POST', `/${name}/commits`, { key: stranger, body: { changes: [{ path: 'a.md', text: 'theirs' }], expectedHead: 0 } }))
        .status,
    ).toBe(201)
    expect((await bytesOf(await raw('GET', `/${name}/files/a.md`))).toString()).toBe('ours')
  })
})

describe('bad input', () => {
  it.each(['.onbook/host.json', 'a/.Onbook/local.key', 'onbook.host.yaml', '.git/config', `${encodeName('.on\u200cbook')}/x`])(
    'agentos D14: refuses %s, which a checkout would make configuration',
    async path => {
      const name = await created()
      const error = 'workspace_path_reserved'
      expect(await commit(name, [{ path, text: '{}' }])).toMatchObject({ status: 400, body: { error } })
      const put = await raw('PUT', `/${name}/files/${path}`, {}, Buffer.from('x'))
      expect([put.status, ((await put.json()) as { error: string }).error]).toEqual([400, error])
      expect(await eventsOf(name)).toBe(1)
    },
  )

  it.each(['a/..', '../x', 'a/../b', '/a', 'a/', 'a//b', 'a b', 'ä', 'a\\b', '~2E2E', '~'])('refuses the path %s', async path => {
    const name = await created()
    expect((await commit(name, [{ path, text: 'x' }])).body.error).toBe('workspace_path_invalid')
    expect((await ask('GET', `/${name}/tree?path=${encodeURIComponent(path)}`)).body.error).toBe('workspace_path_invalid')
    const put = await raw('PUT', `/${name}/files/${encodeURIComponent(path)}`, {}, Buffer.from('x'))
    expect([put.status, ((await put.json()) as { error: string }).error]).toEqual([400, 'workspace_path_invalid'])
    expect(await eventsOf(name)).toBe(1)
  })

  it.each([
    ['nothing said', [{ path: 'x' }], 400],
    ['two things said', [{ path: 'x', text: 'a', remove: true }], 400],
    [
      'a path twice',
      [
        { path: 'x', text: 'a' },
        { path: 'x', text: 'b' },
      ],
      409,
    ],
    ['a file where a folder is', [{ path: 'docs', text: 'a' }], 409],
    ['a file below a file', [{ path: 'a.md/x', text: 'a' }], 409],
    ['a folder taken away', [{ path: 'docs', remove: true }], 409],
    ['what is not there taken away', [{ path: 'nope', remove: true }], 404],
    ['bad base64', [{ path: 'x', base64: '!' }], 400],
    ['a mode that runs as somebody else', [{ path: 'x', text: 'a', mode: '4755' }], 400],
    ['an object that was never uploaded', [{ path: 'x', digest: `sha256:${'0'.repeat(64)}` }], 404],
    ['a digest beside bytes', [{ path: 'x', text: 'x', digest: `sha256:${'0'.repeat(64)}` }], 400],
    ['what begins like a folder', [{ path: 'x', text: '{"$node":"tree","entries":[]}' }], 422],
    ['no changes', [], 400],
  ])('refuses %s, and nothing is written', async (_, changes, status) => {
    const name = await created()
    expect((await commit(name, changes)).status).toBe(status)
    expect(await eventsOf(name)).toBe(1)
  })

  it.each(['/..', '/a%2fb', '/%00', '/a%20b', '/.'])('refuses a workspace called %s', async path => {
    const { status } = await raw('GET', path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })

  it('says which versions there are', async () => {
    const name = await created()
    expect((await ask('GET', `/${name}?version=9`)).body).toMatchObject({
      error: 'workspace_version_missing',
      details: { version: 9, head: 1 },
    })
    expect((await ask('GET', '/nowhere')).body.error).toBe('workspace_missing')
    expect((await ask('GET', `/${name}/files/docs`)).body.error).toBe('workspace_path_conflict')
  })
})
