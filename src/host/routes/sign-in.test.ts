// Tests sign-in by link: it works once, expires, serves only our own pages, and never has more rights than its key.
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { SCOPES } from '../../core/access/keys.ts'
import { revokeKey } from '../../engine/access/access.ts'
import { HOST_TENANT } from '../../engine/library/rows.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { type Answered, startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { auditOf } from '../access/audit.ts'
import { createLogin } from '../access/login.ts'

let host: TestHost
let port: string
beforeAll(async () => {
  host = await startHost({}, { hosts: ['onbook.example'], version: '1.2.3' })
  port = new URL(host.url).port
})
afterAll(() => host.close())

const own = () => ({ 'sec-fetch-site': 'same-origin', origin: host.url })

async function signIn(key = host.key, headers: Record<string, string> = own()): Promise<Answered> {
  const { body } = await host.ask('POST', '/v1/login-tokens', { key })
  return host.ask('POST', '/v1/sign-in', { key: null, body: { token: body.token }, headers })
}
const cookieOf = ({ headers }: Answered): string => headers.get('set-cookie')!.split(';')[0]!

async function signedIn(scopes?: readonly (typeof SCOPES)[number][]): Promise<{ id: string; cookie: string }> {
  const { id, key } = await host.makeKey('acme', scopes)
  return { id, cookie: cookieOf(await signIn(key)) }
}
const ask = (method: string, path: string, cookie: string, more: Record<string, string> = own(), body?: object) =>
  host.ask(method, path, { key: null, headers: { cookie, ...more }, ...(body === undefined ? {} : { body }) })

describe('a login link', () => {
  it('becomes a session that opens what its key opens', async () => {
    const answer = await signIn()
    expect([answer.status, answer.body.tenant]).toEqual([200, 'acme'])
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^onbook_${port}=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict$`),
    )
    expect((await ask('GET', '/v1/prompts', cookieOf(answer))).status).toBe(200)
    expect((await ask('GET', '/v1/sign-in', cookieOf(answer))).body).toMatchObject({ tenant: 'acme', expiresAt: answer.body.expiresAt })
  })

  it('works once', async () => {
    const { body } = await host.ask('POST', '/v1/login-tokens')
    const use = () => host.ask('POST', '/v1/sign-in', { key: null, body: { token: body.token } })
    const both = await Promise.all([use(), use()])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
    expect((await use()).body.error).toBe('login_token_invalid')
  })

  it('works for ten minutes, and its session for twelve hours', () => {
    let now = Date.parse('2030-01-01T00:00:00.000Z')
    const login = createLogin(() => new Date(now).toISOString())
    const late = login.issue('k')
    now += 10 * 60_000
    expect(login.redeem(late.token)).toBeNull()
    const session = login.redeem(login.issue('k').token)!
    now += 12 * 3_600_000 - 1
    expect(login.find(session.id)).toMatchObject({ keyId: 'k' })
    now += 1
    expect(login.find(session.id)).toBeNull()
  })

  it('is worth nothing when its key was revoked meanwhile', async () => {
    const { id, key } = await host.makeKey('acme')
    const { body } = await host.ask('POST', '/v1/login-tokens', { key })
    await revokeKey(host.store, id, 'test')
    expect((await host.ask('POST', '/v1/sign-in', { key: null, body: { token: body.token } })).status).toBe(401)
  })

  it('is kept for a bounded number of tokens: the oldest goes first', () => {
    const login = createLogin(() => '2030-01-01T00:00:00.000Z')
    const [first, second] = [login.issue('k'), login.issue('k')]
    for (let n = 0; n < 999; n++) login.issue('k')
    expect([login.redeem(first.token), login.redeem(second.token)?.keyId]).toEqual([null, 'k'])
  })

  it('makes a cookie for TLS where the page came by TLS', async () => {
    const { body } = await host.ask('POST', '/v1/login-tokens')
    const cookie = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'onbook.example', origin: 'https://onbook.example', 'content-type': 'application/json' }
      const asked = request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/sign-in', headers }, answer => {
        answer.resume()
        resolve(String(answer.headers['set-cookie']))
      })
      asked.on('error', reject)
      asked.end(JSON.stringify({ token: body.token }))
    })
    expect(cookie).toMatch(/; Secure/)
  })
})

describe('a session', () => {
  it('ends with its key', async () => {
    const { id, cookie } = await signedIn()
    await revokeKey(host.store, id, 'test')
    expect((await ask('GET', '/v1/prompts', cookie)).status).toBe(401)
  })

  it('has the scopes of its key and no others', async () => {
    const { cookie } = await signedIn(['prompts:read'])
    expect((await ask('GET', '/v1/prompts', cookie)).status).toBe(200)
    expect((await ask('GET', '/metrics', cookie)).body).toMatchObject({ error: 'forbidden', details: { scope: 'metrics:read' } })
  })

  it('ends when it is signed out of', async () => {
    const { cookie } = await signedIn()
    const answer = await ask('DELETE', '/v1/sign-in', cookie)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect((await ask('GET', '/v1/prompts', cookie)).status).toBe(401)
  })

  it('is not opened by a cookie that nobody was given', async () => {
    expect((await ask('GET', '/v1/prompts', `onbook_${port}=${'A'.repeat(43)}`)).status).toBe(401)
    expect((await ask('GET', '/v1/prompts', `onbook_${port}=`)).status).toBe(401)
  })

  const reads: readonly [string, Record<string, string>, number][] = [
    ['our own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['the address bar', { 'sec-fetch-site': 'none' }, 200],
    ['a browser that does not say', {}, 200],
    ['a page on another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['a page from elsewhere', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a page from elsewhere, in a browser that says only this', { origin: 'https://elsewhere.example' }, 403],
  ]
  it.each(reads)('may be used to read by %s: %o', async (_, headers, status) => {
    const { cookie } = await signedIn()
    expect((await ask('GET', '/v1/prompts', cookie, headers)).status).toBe(status)
  })

  const writes: readonly [string, (url: string) => Record<string, string>, number][] = [
    ['our own page', url => ({ 'sec-fetch-site': 'same-origin', origin: url }), 201],
    ['our own page, in a browser that says only this', url => ({ origin: url }), 201],
    ['whoever says nothing', () => ({}), 403],
    ['the address bar', () => ({ 'sec-fetch-site': 'none' }), 403],
    ['another name of this machine', url => ({ origin: url.replace('127.0.0.1', 'localhost') }), 403],
    ['a page on another port', () => ({ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }), 403],
    ['a page from elsewhere', () => ({ 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }), 403],
    ['a page without a name', () => ({ 'sec-fetch-site': 'cross-site', origin: 'null' }), 403],
  ]
  it.each(writes)('may be used to write by %s', async (name, headersFor, status) => {
    const { cookie } = await signedIn()
    const id = `by-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
    expect((await ask('POST', '/v1/prompts', cookie, headersFor(host.url), template(id))).status).toBe(status)
    expect((await host.ask('GET', `/v1/prompts/${id}`)).status).toBe(status === 201 ? 200 : 404)
  })

  it('makes no link for another: that needs a key', async () => {
    const { cookie } = await signedIn()
    expect((await ask('POST', '/v1/login-tokens', cookie)).status).toBe(401)
  })

  it('leaves keys alone: they need no page', async () => {
    const { cookie } = await signedIn()
    expect((await host.ask('POST', '/v1/prompts', { body: template('by-key'), headers: { cookie } })).status).toBe(201)
  })
})

describe('pages', () => {
  it.each(['/login', '/'])('%s allows nothing but itself, and is kept nowhere', async path => {
    const answer = await fetch(`${host.url}${path}`)
    const html = await answer.text()
    const policy = answer.headers.get('content-security-policy')!
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/)
    expect(policy).not.toContain('unsafe')
    expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
    for (const [, script] of html.matchAll(/<script>([\s\S]*?)<\/script>/g))
      expect(policy).toContain(`'sha256-${createHash('sha256').update(script!).digest('base64')}'`)
    for (const [, style] of html.matchAll(/<style>([\s\S]*?)<\/style>/g))
      expect(policy).toContain(`'sha256-${createHash('sha256').update(style!).digest('base64')}'`)
    expect(html).not.toMatch(/ on[a-z]+=| style=|javascript:/)
  })

  /** Simulates the browser features that the page uses. */
  async function openLink(path: string): Promise<{ went: string[]; said: string }> {
    const html = await (await fetch(`${host.url}/login`)).text()
    const state = { textContent: '' }
    const went: string[] = []
    const { hash } = new URL(path, host.url)
    const browser = {
      location: { hash, replace: (to: string) => went.push(to) },
      history: { replaceState: (_: null, __: string, to: string) => went.push(to) },
      document: { getElementById: () => state },
      fetch: (to: string, init: RequestInit) => fetch(new URL(to, host.url), init),
    }
    runInNewContext(/<script>([\s\S]*)<\/script>/.exec(html)![1]!, browser)
    await vi.waitFor(() => expect(went.length === 2 || state.textContent !== '').toBe(true))
    return { went, said: state.textContent }
  }

  it('has a script that hides the token, trades it for a session and goes on; or says why not', async () => {
    const { body } = await host.ask('POST', '/v1/login-tokens')
    expect((await openLink(body.path)).went).toEqual(['/login', '/'])
    expect(await openLink(body.path)).toMatchObject({ went: ['/login'], said: expect.stringContaining('onbook key login') })
    expect((await openLink('/login')).said).toContain('no token')
  })

  it('says whether one is signed in', async () => {
    const { cookie } = await signedIn()
    const signed = await (await fetch(host.url, { headers: { cookie } })).text()
    expect(signed).toContain('You are signed in')
    expect(signed).toContain('1.2.3')
    expect(await (await fetch(host.url)).text()).toContain('You are not signed in')
    expect(await (await fetch(host.url, { headers: { cookie, 'sec-fetch-site': 'cross-site' } })).text()).toContain('You are not signed in')
  })
})

describe('the audit stream', () => {
  const events = async (store = host.store) => {
    const found: { type: string; actor: string; payload: Record<string, unknown> }[] = []
    for await (const { event } of store.read(HOST_TENANT, 'access/audit', -1)) found.push(event as never)
    return found
  }

  it('has who signed in and out', async () => {
    const { id, cookie } = await signedIn()
    await ask('DELETE', '/v1/sign-in', cookie)
    const ours = (await events()).filter(({ actor }) => actor === `key:${id}`)
    expect(ours.map(({ type, payload }) => [type, payload])).toEqual([
      ['access.signedIn', { keyId: id, address: '127.0.0.1' }],
      ['access.signedOut', { keyId: id }],
    ])
  })

  it('counts what was refused and writes it down together, without what was shown, at the latest when the host stops', async () => {
    const path = freshPath()
    const audited = await startHost({}, { store: sqliteStore(path, clock, PRODUCT_PROJECTIONS) })
    const reader = await audited.makeKey('acme', ['prompts:read'])
    const guess = `onbook_${'0'.repeat(16)}_${'S'.repeat(43)}`
    for (let n = 0; n < 100; n++) await audited.ask('GET', '/v1/prompts', { key: guess })
    for (let n = 0; n < 3; n++) await audited.ask('GET', '/v1/streams', { key: reader.key })
    await audited.ask('GET', '/v1/prompts?workspaceId=desk', { key: reader.key })
    await audited.close()
    const again = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
    const found = await events(again)
    await again.close()
    const refused = [
      { keyId: reader.id, code: 'forbidden', count: 3 },
      { keyId: reader.id, code: 'workspace_membership_required', count: 1 },
    ]
    expect(found.map(({ type, payload }) => [type, payload])).toEqual([
      ['access.refused', { since: expect.any(String), failures: [{ address: '127.0.0.1', count: 100 }], refused }],
    ])
  })

  it('is written while the host runs, too', async () => {
    const audited = await startHost({}, { limits: { auditEveryMs: 50 } })
    await audited.ask('GET', '/v1/prompts', { key: null })
    await vi.waitFor(async () => expect(await events(audited.store)).toHaveLength(1))
    await audited.close()
  })

  it('names fifty places and keys at most, however many knock', async () => {
    const store = memoryStore(clock, PRODUCT_PROJECTIONS)
    const audit = auditOf(store, clock, 60_000, () => {})
    for (let n = 0; n < 1_000; n++) {
      audit.failed(`10.0.0.${n}`)
      audit.refused(`key-${n}`, 'forbidden')
    }
    await audit.flush()
    const [{ payload }] = (await events(store)) as unknown as [{ payload: Record<'failures' | 'refused', { count: number }[]> }]
    for (const counted of [payload.failures, payload.refused]) {
      expect(counted.length).toBeLessThanOrEqual(51)
      expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(1_000)
    }
  })
})
