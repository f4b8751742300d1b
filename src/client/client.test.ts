// Tests the client against a real HTTP server with prepared answers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Client, ClientError, createClient } from './index.ts'

interface Seen {
  readonly line: string
  readonly headers: IncomingMessage['headers']
}
type Handler = (request: IncomingMessage, response: ServerResponse) => void

let server: Server
let url: string
let seen: Seen[]
let handle: Handler
let client: Client

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const writer = (version: string) => ({ templateId: 'writer', version, kind: 'system' as const, text: `v${version}` })
const lines = (): readonly string[] => seen.map(({ line }) => line)

beforeEach(async () => {
  seen = []
  server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers })
    handle(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  client = createClient({ url, key: 'onbook_x' })
  handle = library({ production: '1.0.0' })
})
afterEach(async () => {
  vi.useRealTimers()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

const library =
  (labels: Record<string, string>): Handler =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    if (pathname.startsWith('/v1/labels/'))
      return json(response, 200, {
        templateId: 'writer',
        labels: Object.entries(labels).map(([label, version]) => ({ label, version })),
        new: 1,
      })
    const template = writer(searchParams.get('version') ?? '2.0.0')
    const etag = `"${template.version}"`
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end()
    json(response, 200, { ...template, unknown: true }, { etag })
  }

describe('pinned content', () => {
  it('is asked for once, however many ask and however often', async () => {
    await Promise.all(Array.from({ length: 100 }, () => client.prompts.get('prompt:writer@1.0.0')))
    const found = await client.prompts.get('prompt:writer@1.0.0')
    expect(found).toMatchObject({
      template: writer('1.0.0'),
      ref: 'prompt:writer@1.0.0',
      tag: '"1.0.0"',
      freshness: { source: 'memory', stale: false },
    })
    expect(lines()).toEqual(['GET /v1/prompts/writer?version=1.0.0'])
    expect(seen[0]!.headers.authorization).toBe('Bearer onbook_x')
  })

  it('is refused when the host gives another version', async () => {
    handle = (_, response) => json(response, 200, writer('9.9.9'))
    await expect(client.prompts.get('prompt:writer@1.0.0')).rejects.toMatchObject({ code: 'response_invalid' })
  })
})

it('latest is confirmed with its tag', async () => {
  await client.prompts.get('prompt:writer')
  expect(await client.prompts.get('prompt:writer')).toMatchObject({ template: { version: '2.0.0' }, freshness: { source: 'host' } })
  expect(seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"2.0.0"'])
  await client.prompts.get('prompt:writer@2.0.0')
  expect(seen).toHaveLength(2)
})

describe('labels', () => {
  it('100 cold gets make one request for the label and one for the content', async () => {
    await Promise.all(Array.from({ length: 100 }, () => client.prompts.get('prompt:writer@production')))
    expect(lines()).toEqual(['GET /v1/labels/writer', 'GET /v1/prompts/writer?version=1.0.0'])
  })

  it('are as old as the caller bears, and say so', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    await client.labels.get('writer', 'production')
    vi.advanceTimersByTime(5_000)
    const kept = await client.labels.get('writer', 'production', { maxAgeMs: 5_000 })
    expect(kept.freshness).toEqual({ source: 'memory', ageMs: 5_000, stale: false, error: null })
    expect(seen).toHaveLength(1)
    handle = library({ production: '2.0.0' })
    const asked = await client.labels.get('writer', 'production', { maxAgeMs: 4_999 })
    expect(asked).toMatchObject({ value: { version: '2.0.0' }, freshness: { source: 'host', ageMs: 0 } })
  })

  it('one that disappeared is an error, or marked stale for who asked for that', async () => {
    await client.prompts.get('prompt:writer@production')
    handle = library({})
    const again = (staleIfErrorMs?: number) => client.prompts.get('prompt:writer@production', staleIfErrorMs ? { staleIfErrorMs } : {})
    await expect(again()).rejects.toMatchObject({ code: 'label_missing', status: 404 })
    expect(await again(60_000)).toMatchObject({
      template: { version: '1.0.0' },
      freshness: { source: 'memory', stale: true, error: { code: 'label_missing' } },
    })
  })

  it('a dead host is an error, or marked stale for who asked for that; a refusal is always one', async () => {
    const hasty = createClient({ url, retries: 0 })
    await hasty.prompts.get('prompt:writer@production')
    handle = (_, response) => void response.destroy()
    await expect(hasty.prompts.get('prompt:writer@production')).rejects.toMatchObject({ code: 'host_unreachable', status: null })
    const stale = await hasty.prompts.get('prompt:writer@production', { staleIfErrorMs: 60_000 })
    expect(stale.freshness).toMatchObject({ stale: true, error: { code: 'host_unreachable' } })
    handle = (_, response) => json(response, 401, { error: 'unauthenticated', message: 'No.' })
    await expect(hasty.prompts.get('prompt:writer@production', { staleIfErrorMs: 60_000 })).rejects.toMatchObject({ status: 401 })
  })

  it('after a write nothing from before it is given', async () => {
    await client.labels.get('writer', 'production')
    handle = library({ production: '2.0.0' })
    await client.labels.move('writer', 'production', '2.0.0', { why: 'better' })
    expect((await client.labels.get('writer', 'production', { maxAgeMs: 60_000 })).value.version).toBe('2.0.0')
  })

  it('who asks after a write does not join who asked before it', async () => {
    const late: (() => void)[] = []
    handle = (request, response) => {
      if (request.method === 'GET' && late.length === 0) return void late.push(() => library({ production: '1.0.0' })(request, response))
      library({ production: '2.0.0' })(request, response)
    }
    const before = client.labels.get('writer', 'production')
    await vi.waitFor(() => expect(late).toHaveLength(1))
    await client.labels.move('writer', 'production', '2.0.0')
    const after = client.labels.get('writer', 'production')
    expect((await after).value.version).toBe('2.0.0')
    late[0]!()
    expect((await before).value.version).toBe('1.0.0')
    expect((await client.labels.get('writer', 'production', { maxAgeMs: 60_000 })).value.version).toBe('2.0.0')
  })

  it('one caller giving up leaves the others their answer', async () => {
    const { signal, abort } = ((controller = new AbortController()) => ({
      signal: controller.signal,
      abort: () => controller.abort('enough'),
    }))()
    handle = (request, response) => void setTimeout(() => library({ production: '1.0.0' })(request, response), 50)
    const [first, second] = [client.labels.get('writer', 'production', { signal }), client.labels.get('writer', 'production')]
    abort()
    await expect(first).rejects.toBe('enough')
    expect((await second).value.version).toBe('1.0.0')
    expect(seen).toHaveLength(1)
  })
})

describe('writes', () => {
  it('are tried again with the same key, after as long as the host asks', async () => {
    handle = (_, response) => {
      if (seen.length === 1) return void response.destroy()
      if (seen.length === 2) return json(response, 503, { error: 'store_busy', message: 'Later.' }, { 'retry-after': '1' })
      json(response, 201, writer('1.0.0'), { etag: '"a"' })
    }
    const begun = Date.now()
    expect(await client.prompts.create(writer('1.0.0'))).toEqual({ template: writer('1.0.0'), tag: '"a"' })
    expect(Date.now() - begun).toBeGreaterThan(990)
    const keys = seen.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  it('refusals are not tried again and come as they are', async () => {
    handle = (_, response) => json(response, 409, { error: 'template_exists', message: 'It exists.', details: { a: 1 } })
    const error = await client.prompts.create(writer('1.0.0'), { idempotencyKey: 'mine' }).catch(thrown => thrown)
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ code: 'template_exists', status: 409, message: 'It exists.', details: { a: 1 } })
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine'])
  })

  it('a host that wants to be left alone for longer than the time limit is an error at once', async () => {
    handle = (_, response) => json(response, 429, { error: 'busy', message: 'No.' }, { 'retry-after': '3600' })
    await expect(client.prompts.remove('writer')).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 })
    expect(seen).toHaveLength(1)
  })
})

it('a silent host is left after the time limit; a proxy page is an error', async () => {
  handle = () => {}
  await expect(client.render({ ref: 'prompt:writer', variables: {} }, { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'time_limit_reached',
  })
  handle = (_, response) => void response.writeHead(502).end('<html>')
  await expect(client.labels.history('writer')).rejects.toMatchObject({ code: 'response_invalid', status: 502 })
  await expect(client.labels.history('..')).rejects.toMatchObject({ code: 'ref_invalid' })
})

it('lists over cursors', async () => {
  handle = (request, response) =>
    json(response, 200, request.url!.includes('cursor=c1') ? { items: [writer('2.0.0')] } : { items: [writer('1.0.0')], nextCursor: 'c1' })
  const found: string[] = []
  for await (const { version } of client.prompts.list({ tags: ['a', 'b'] })) found.push(version)
  expect(found).toEqual(['1.0.0', '2.0.0'])
  expect(lines()).toEqual(['GET /v1/prompts?tag=a&tag=b', 'GET /v1/prompts?tag=a&tag=b&cursor=c1'])
})

it('works from a snapshot when there is no host', async () => {
  const offline = JSON.parse(JSON.stringify(await client.snapshot(['prompt:writer@production', 'prompt:writer'])))
  expect(offline.labels).toEqual([{ templateId: 'writer', label: 'production', version: '1.0.0' }])
  const alone = createClient({ offline })
  expect(await alone.prompts.get('prompt:writer@production')).toMatchObject({
    template: writer('1.0.0'),
    freshness: { source: 'offline', stale: true, error: { code: 'host_unset' } },
  })
  expect((await alone.prompts.get('prompt:writer')).template.version).toBe('2.0.0')
  expect((await alone.prompts.get('prompt:writer@1.0.0')).freshness).toMatchObject({ source: 'offline', stale: false })
  await expect(alone.prompts.get('prompt:other')).rejects.toMatchObject({ code: 'host_unset' })
  await expect(alone.snapshot(['prompt:writer'])).rejects.toMatchObject({ code: 'host_unset' })
})

it('a snapshot answers for a host that is dead, not for one that says no', async () => {
  const offline = { templates: [writer('1.0.0')], labels: [{ templateId: 'writer', label: 'production', version: '1.0.0' }] }
  const backed = createClient({ url, retries: 0, offline })
  handle = (_, response) => json(response, 500, { error: 'internal_error', message: 'Oh.' })
  expect(await backed.labels.get('writer', 'production')).toMatchObject({
    value: { version: '1.0.0' },
    freshness: { source: 'offline', ageMs: null, stale: true, error: { status: 500 } },
  })
  await expect(backed.labels.get('writer', 'production', { staleIfErrorMs: 60_000 })).rejects.toMatchObject({ status: 500 })
  handle = library({})
  await expect(backed.prompts.get('prompt:writer@production')).rejects.toMatchObject({ code: 'label_missing' })
})

it('events go on where they were after a break, and end with 204', async () => {
  handle = (_, response) => {
    if (seen.length === 3) return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`retry: 5\n\nid: ${seen.length}\nevent: future.thing\ndata: ${seen.length}\n\nid: 99\ndata: cut`)
  }
  const found: unknown[] = []
  for await (const event of client.events('/v1/x/events', { after: '0' })) found.push(event)
  expect(found).toEqual([1, 2].map(n => ({ id: `${n}`, type: 'future.thing', data: `${n}` })))
  expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1', '2'])
})

it('events stop with the reason of who aborts', async () => {
  const controller = new AbortController()
  handle = (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: a\n\n')
  const reading = (async () => {
    for await (const _ of client.events('/e', { signal: controller.signal })) controller.abort('enough')
  })()
  await expect(reading).rejects.toBe('enough')
})
