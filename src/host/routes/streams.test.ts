// Tests the record over HTTP, in pages and as a stream, with readers that read, stall, disconnect and resume.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { EventSource } from 'eventsource'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { createClient } from '../../client/index.ts'
import { SCOPES } from '../../core/access/keys.ts'
import { createKey, revokeKey } from '../../engine/access/access.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import type { Store } from '../../ports.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { createHost } from '../app.ts'
import { DEFAULT_CONFIG } from '../config.ts'

let host: TestHost
beforeAll(async () => {
  host = await startHost({}, { limits: { streamKeepAliveMs: 100, streamsPerTenant: 5 } })
  await append(host.store, 'runs/a', 3)
  await append(host.store, 'runs/b', 1)
})
afterAll(() => host.close())

async function append(store: Store, stream: string, count: number, text = 'x'): Promise<void> {
  const { seq } = await store.head('acme', stream)
  const entries = Array.from({ length: count }, (_, n) => ({ type: 'thing.happened', actor: 'test', payload: { n: seq + 1 + n, text } }))
  await store.commit({ tenant: 'acme', appends: [{ stream, expected: seq, entries }] })
}

const pathOf = (stream: string): string => `/v1/streams/${encodeURIComponent(stream)}/events`

/** Reads the text of a stream until `enough` returns true. */
async function readUntil(
  enough: (text: string) => boolean,
  { stream = 'runs/a', headers = {}, query = '', key = host.key }: { stream?: string; headers?: object; query?: string; key?: string } = {},
): Promise<string> {
  const stop = new AbortController()
  const answer = await fetch(`${host.url}${pathOf(stream)}${query}`, {
    signal: stop.signal,
    headers: { accept: 'text/event-stream', authorization: `Bearer ${key}`, ...headers },
  })
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'text/event-stream',
    'no-store',
  ])
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (enough(text)) break
  }
  stop.abort()
  return text
}
const idsIn = (text: string): readonly number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(match => Number(match[1]))
const eventsIn = (count: number) => (text: string) => idsIn(text).length >= count

describe('GET /v1/streams', () => {
  it('lists the streams of the tenant with their heads, page by page', async () => {
    const first = await host.ask('GET', '/v1/streams?limit=1')
    expect(first.body.items).toMatchObject([{ stream: 'runs/a', digest: expect.stringMatching(/^sha256:/) }])
    const second = await host.ask('GET', `/v1/streams?limit=1&cursor=${first.body.nextCursor}`)
    expect(second.body).toEqual({ items: [expect.objectContaining({ stream: 'runs/b', seq: 0 })] })
  })

  it('takes only cursors that it gave', async () => {
    for (const cursor of ['x', '', Buffer.from('2:runs/a').toString('base64url')])
      expect((await host.ask('GET', `/v1/streams?cursor=${cursor}`)).status).toBe(400)
  })
})

describe('GET /v1/streams/{stream}/events', () => {
  it('gives the recorded bytes in pages', async () => {
    const first = await host.ask('GET', `${pathOf('runs/a')}?limit=2`)
    expect([first.body.events.map(({ seq }: { seq: number }) => seq), first.body.next]).toEqual([[0, 1], 1])
    const rest = await host.ask('GET', `${pathOf('runs/a')}?after=1`)
    expect([rest.body.events.map(({ seq }: { seq: number }) => seq), rest.body.next]).toEqual([[2], null])
    const bytes: string[] = []
    for await (const stored of host.store.read('acme', 'runs/a', -1)) bytes.push(Buffer.from(stored.bytes).toString())
    const whole = await fetch(`${host.url}${pathOf('runs/a')}`, { headers: { authorization: `Bearer ${host.key}` } })
    expect(await whole.text()).toBe(`{"events":[${bytes.join(',')}],"next":null}`)
  })

  it('streams what there is and then what comes, each with its sequence, type and bytes', async () => {
    const reading = readUntil(eventsIn(5))
    await new Promise(resume => setTimeout(resume, 100))
    await append(host.store, 'runs/a', 2)
    const text = await reading
    expect(text.startsWith('retry: 2000\n\n')).toBe(true)
    expect(idsIn(text)).toEqual([0, 1, 2, 3, 4])
    const [first] = [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)]
    expect(first![1]).toBe('thing.happened')
    for await (const { bytes } of host.store.read('acme', 'runs/a', -1)) {
      expect(first![2]).toBe(Buffer.from(bytes).toString())
      break
    }
  })

  it('goes on after Last-Event-ID, or after what the query says', async () => {
    expect(idsIn(await readUntil(eventsIn(1), { headers: { 'last-event-id': '1' } }))[0]).toBe(2)
    expect(idsIn(await readUntil(eventsIn(1), { query: '?after=1' }))[0]).toBe(2)
    expect(idsIn(await readUntil(eventsIn(1), { query: '?after=0', headers: { 'last-event-id': '1' } }))[0]).toBe(2)
  })

  it('says that it lives when nothing happens', async () => {
    const text = await readUntil(text => (text.match(/^: /gm) ?? []).length >= 2, { stream: 'runs/b' })
    expect(idsIn(text)).toEqual([0])
  })

  const wrong: readonly [string, string, object, number, string][] = [
    ['a stream that is not there', pathOf('runs/none'), {}, 404, 'stream_missing'],
    ['an id that is no sequence', pathOf('runs/a'), { 'last-event-id': 'abc' }, 400, 'validation_error'],
    ['a sequence that has not come', `${pathOf('runs/a')}?after=99`, {}, 400, 'validation_error'],
    ['a query that is no sequence', `${pathOf('runs/a')}?after=x`, {}, 400, 'validation_error'],
  ]
  it.each(wrong)('refuses %s before anything is streamed', async (_, path, headers, status, error) => {
    const answer = await host.ask('GET', path, { headers: { accept: 'text/event-stream', ...headers } })
    expect([answer.status, answer.body.error]).toEqual([status, error])
  })

  it('shows another tenant no stream of ours', async () => {
    const { key } = await host.makeKey('umbrella')
    const answer = await host.ask('GET', pathOf('runs/a'), { key, headers: { accept: 'text/event-stream' } })
    expect([answer.status, answer.body.error]).toEqual([404, 'stream_missing'])
  })

  it('ends when the key is revoked, and when it expires', async () => {
    const revoked = await host.makeKey('acme')
    const expired = await host.makeKey('acme', SCOPES, { expiresAt: new Date(Date.now() + 400).toISOString() })
    const ended = [revoked.key, expired.key].map(key => readUntil(() => false, { key }))
    await new Promise(resume => setTimeout(resume, 150))
    await revokeKey(host.store, revoked.id, 'test')
    for (const text of await Promise.all(ended)) expect(idsIn(text).length).toBeGreaterThan(0)
  })

  it('opens so many at a time and no more, and counts those that are closed', async () => {
    const open = Array.from({ length: 5 }, () => new AbortController())
    const streams = await Promise.all(
      open.map(({ signal }) =>
        fetch(`${host.url}${pathOf('runs/a')}`, { signal, headers: { accept: 'text/event-stream', authorization: `Bearer ${host.key}` } }),
      ),
    )
    const sixth = () => host.ask('GET', pathOf('runs/a'), { headers: { accept: 'text/event-stream' } })
    expect(await sixth()).toMatchObject({ status: 429, body: { error: 'streams_exhausted', details: { scope: 'tenant', limit: 5 } } })
    expect((await host.ask('GET', pathOf('runs/a'))).status).toBe(200)
    for (const one of open) one.abort()
    await Promise.all(streams.map(({ body }) => body!.cancel().catch(() => {})))
    await vi.waitFor(async () => expect((await host.ask('GET', '/metrics')).body).toContain('onbook_event_streams_open 0'))
    expect(idsIn(await readUntil(eventsIn(1)))[0]).toBe(0)
  })
})

describe('a reader that does not read', () => {
  const EVENTS = 50_000
  it('makes the host read no further than what is under way, and misses nothing when it reads again', async () => {
    const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
    let pulled = 0
    const counting: Store = {
      ...store,
      async *follow(...given) {
        for await (const stored of store.follow(...given)) {
          pulled++
          yield stored
        }
      },
    }
    const slow = await startHost({}, { store: counting })
    await append(store, 'runs/long', 1)
    const stalled = request(`${slow.url}${pathOf('runs/long')}`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${slow.key}` },
    })
    stalled.end()
    const [answer] = (await once(stalled, 'response')) as [import('node:http').IncomingMessage]
    answer.pause()
    const text = 'y'.repeat(1_000)
    for (let n = 0; n < EVENTS / 1_000; n++) await append(store, 'runs/long', 1_000, text)
    await new Promise(resume => setTimeout(resume, 300))
    expect(pulled).toBeLessThan(EVENTS / 2)
    expect((await slow.ask('GET', '/healthz')).status).toBe(200)

    let last = -1
    let rest = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        if (!line.startsWith('id: ')) continue
        expect(Number(line.slice(4))).toBe(++last)
      }
      if (last === EVENTS) break
    }
    expect(last).toBe(EVENTS)
    stalled.destroy()
    await slow.close()
  })

  it('is cut off after a while: it may come back to where it was', async () => {
    const short = await startHost({}, { limits: { streamKeepAliveMs: 50 } })
    for (let n = 0; n < 30; n++) await append(short.store, 'runs/a', 1_000, 'y'.repeat(1_000))
    const { hostname, port } = new URL(short.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET ${pathOf('runs/a')} HTTP/1.1\r\nhost: ${hostname}:${port}\r\naccept: text/event-stream\r\nauthorization: Bearer ${short.key}\r\n\r\n`,
    )
    socket.pause()
    await vi.waitFor(async () => expect((await short.ask('GET', '/metrics')).body).toContain('onbook_event_streams_open 1'))
    await vi.waitFor(async () => expect((await short.ask('GET', '/metrics')).body).toContain('onbook_event_streams_open 0'), 5_000)
    socket.destroy()
    await short.close()
  })
})

describe('judges we did not write', () => {
  it('the eventsource package comes back to where it was when the host has started anew on the same port', () =>
    restarts(async (url, headers, until) => {
      const seen: string[] = []
      const source = new EventSource(url, { fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }) })
      source.addEventListener('thing.happened', ({ lastEventId }) => seen.push(lastEventId))
      await until(() => seen.length)
      source.close()
      return seen
    }))

  it('our own client does too', () =>
    restarts(async (url, headers, until) => {
      const seen: string[] = []
      const stop = new AbortController()
      const { origin, pathname } = new URL(url)
      const client = createClient({ url: origin, key: headers.authorization.slice('Bearer '.length) })
      const reading = (async () => {
        for await (const { id, type } of client.events(pathname, { signal: stop.signal })) if (type === 'thing.happened') seen.push(id)
      })().catch(() => {})
      await until(() => seen.length)
      stop.abort()
      await reading
      return seen
    }))

  it('curl -N prints events as they come', async () => {
    const curl = spawn('curl', [
      '-sN',
      '-H',
      'accept: text/event-stream',
      '-H',
      `authorization: Bearer ${host.key}`,
      `${host.url}${pathOf('runs/b')}`,
    ])
    let out = ''
    curl.stdout.on('data', data => {
      out += data
    })
    await vi.waitFor(() => expect(idsIn(out)).toEqual([0]), 5_000)
    await append(host.store, 'runs/b', 1)
    await vi.waitFor(() => expect(idsIn(out)).toEqual([0, 1]), 5_000)
    curl.kill()
  })

  type Follow = (
    url: string,
    headers: { authorization: string },
    until: (count: () => number) => Promise<void>,
  ) => Promise<readonly string[]>

  /** Two events, a restart of the host on the same port, two more events: each arrives once, in order. */
  async function restarts(follow: Follow): Promise<void> {
    const path = freshPath()
    const start = async (port: number) => {
      const store = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
      const app = createHost({ store, clock, config: DEFAULT_CONFIG })
      const url = await app.listen({ host: '127.0.0.1', port })
      return { store, url, stop: () => app.close().then(() => store.close()) }
    }
    let running = await start(0)
    const { url } = running
    const { key } = await createKey(running.store, (bytes, as) => Buffer.alloc(bytes, 7).toString(as), {
      tenant: 'acme',
      workspaces: ['*'],
      scopes: SCOPES,
      actor: 'test',
    })
    await append(running.store, 'runs/a', 2)
    const seen = await follow(`${url}${pathOf('runs/a')}`, { authorization: `Bearer ${key}` }, async count => {
      await vi.waitFor(() => expect(count()).toBe(2), 10_000)
      await running.stop()
      running = await start(Number(new URL(url).port))
      await append(running.store, 'runs/a', 2)
      await vi.waitFor(() => expect(count()).toBe(4), 20_000)
    })
    expect(seen).toEqual(['0', '1', '2', '3'])
    await running.stop()
  }
})
