// Tests every route that the framework knows, also new ones: without a key, with a key without scopes, and with a key of another tenant.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { rightRequest } from '../../testing/fuzz/any-request.ts'
import { send } from '../../testing/fuzz/ask-and-judge.ts'
import { furnishedHost } from '../../testing/fuzz/furnished-host.ts'
import type { HostRoute } from '../../testing/fuzz/host-routes.ts'

/** Routes without authentication. A new line here makes a route public. */
const OPEN = ['GET /', 'GET /.well-known/openwop', 'GET /healthz', 'GET /login', 'GET /readyz', 'GET /v1/openapi.json', 'POST /v1/sign-in']
/** Routes that any key may use. */
const UNSCOPED = ['DELETE /v1/sign-in', 'GET /v1/sign-in', 'POST /v1/login-tokens']

const { host, hintsFor } = await furnishedHost(7)
const { key: powerless } = await host.makeKey('acme', [])
const { key: stranger } = await host.makeKey('umbrella')
afterAll(() => host.close())

/** HEAD is GET without a body. */
const nameOf = ({ method, url }: { readonly method: string; readonly url: string }) => `${method === 'HEAD' ? 'GET' : method} ${url}`
const guarded = host.routes.filter(route => !OPEN.includes(nameOf(route)))
const codeOf = (text: string) => (text === '' ? null : (JSON.parse(text) as { error?: string }).error)

async function heads(): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { stream, digest } of host.store.streams('acme')) found.push(`${stream} ${digest}`)
  return found
}

it('knows the doors that stand open, and they are there', () => {
  expect(OPEN.filter(name => !host.routes.some(route => nameOf(route) === name))).toEqual([])
  expect(UNSCOPED.filter(name => !host.routes.some(route => nameOf(route) === name))).toEqual([])
})

const requestsTo = (route: HostRoute) => fc.sample(rightRequest(route, hintsFor(route)), 8)

describe.each(guarded)('$method $url', route => {
  const requests = requestsTo(route)

  it('refuses whoever has no key', async () => {
    for (const request of requests) {
      const { status, text } = await send(host, request, null)
      expect(status).toBe(401)
      if (route.method !== 'HEAD') expect(codeOf(text)).toBe('unauthenticated')
    }
  })

  it('neither shows nor does anything of ours to another tenant', async () => {
    const before = await heads()
    for (const request of requests) {
      const { text, status } = await send(host, request, stranger)
      expect(status).toBeLessThan(500)
      expect(text).not.toContain('words of ours')
      expect(text).not.toContain('acme')
    }
    expect(await heads()).toEqual(before)
  })
})

const scoped = guarded.filter(route => !UNSCOPED.includes(nameOf(route)))

it.each(scoped)('$method $url refuses a key that may nothing, and does nothing', async route => {
  const before = await heads()
  const statuses = new Set<number>()
  for (const request of requestsTo(route)) statuses.add((await send(host, request, powerless)).status)
  // A malformed body, for example with a prototype key, is refused before the scope is checked.
  statuses.delete(400)
  expect([...statuses]).toEqual([403])
  expect(await heads()).toEqual(before)
})
