// Tests the limits of one caller over real sockets: too large, too slow, too often, too many at once.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { DEFAULT_LIMITS, type HostLimits } from './limits.ts'

const hosts: TestHost[] = []
const start = async (limits: Partial<HostLimits>): Promise<TestHost> => {
  const host = await startHost({}, { limits })
  hosts.push(host)
  return host
}
afterAll(() => Promise.all(hosts.map(host => host.close())))

/** Sends a text and waits until the host closes the connection. */
async function sendAndWait(host: TestHost, text: string): Promise<{ status: number; body: { error: string }; head: string }> {
  const socket = open(host)
  socket.write(text)
  let got = ''
  socket.on('data', data => {
    got += data
  })
  await once(socket, 'close')
  const [head = '', body = ''] = got.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) as { error: string }, head }
}
const open = (host: TestHost): Socket => connect(Number(new URL(host.url).port), '127.0.0.1')
const headOf = (host: TestHost, ...more: string[]): string =>
  [
    'POST /v1/prompts:render HTTP/1.1',
    `host: ${new URL(host.url).host}`,
    `authorization: Bearer ${host.key}`,
    'content-type: application/json',
    ...more,
  ].join('\r\n')

describe('requests that do not arrive', () => {
  let host: TestHost
  beforeAll(async () => {
    host = await start({ headersMs: 150, requestMs: 300 })
  })

  it('are answered with 408 and hung up on when their body is slow', async () => {
    const { status, body, head } = await sendAndWait(host, `${headOf(host, 'content-length: 100')}\r\n\r\n{"ref"`)
    expect([status, body.error]).toEqual([408, 'request_slow'])
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m)
  })

  it('are answered with 408 and hung up on when their headers are slow', async () => {
    expect((await sendAndWait(host, headOf(host))).body.error).toBe('request_slow')
  })

  it('leave others alone', async () => {
    expect((await host.ask('GET', '/v1/prompts')).status).toBe(200)
  })
})

it('closes connections on which nothing more is asked', async () => {
  const host = await start({ keepAliveMs: 100 })
  const socket = open(host)
  socket.write(`GET /healthz HTTP/1.1\r\nhost: ${new URL(host.url).host}\r\n\r\n`)
  socket.resume()
  await once(socket, 'close')
})

it('refuses headers and bodies that are too large', async () => {
  const host = await start({ headerBytes: 2_000, bodyBytes: 1_000 })
  expect((await sendAndWait(host, `${headOf(host, `x-long: ${'x'.repeat(3_000)}`)}\r\n\r\n`)).status).toBe(431)
  const big = await host.ask('POST', '/v1/prompts', { body: `{"a":"${'x'.repeat(2_000)}"}` })
  expect([big.status, big.body.error]).toEqual([413, 'body_too_large'])
})

it('believes neither of two headers that contradict each other', async () => {
  const host = await start({})
  const { status } = await sendAndWait(host, `${headOf(host, 'host: elsewhere.example', 'connection: close', 'content-length: 0')}\r\n\r\n`)
  expect(status).toBe(421)
})

it('holds only so many connections', async () => {
  const host = await start({ connections: 3 })
  const sockets = Array.from({ length: 6 }, () => open(host))
  let closed = 0
  for (const socket of sockets) socket.resume().on('close', () => closed++)
  await vi.waitFor(() => expect(closed).toBeGreaterThanOrEqual(3))
  expect(closed).toBeLessThan(6)
  for (const socket of sockets) socket.destroy()
})

it('takes its limits from the configuration, and from whoever starts it before that', async () => {
  const config = { limits: { ...DEFAULT_LIMITS, bodyBytes: 1_000, headerBytes: 2_000 } }
  const host = await startHost(config, { limits: { bodyBytes: 5_000 } })
  hosts.push(host)
  const sized = async (length: number) => (await host.ask('POST', '/v1/prompts', { body: `{"a":"${'x'.repeat(length)}"}` })).status
  expect([await sized(2_000), await sized(6_000)]).toEqual([400, 413])
  expect((await sendAndWait(host, `${headOf(host, `x-long: ${'x'.repeat(3_000)}`)}\r\n\r\n`)).status).toBe(431)
})

describe('too often', () => {
  it('is 429 for a key, with how long to wait, while other keys go on', async () => {
    const host = await start({ requestsPerMinute: 5 })
    const other = await host.makeKey('acme')
    const answers = await Promise.all(Array.from({ length: 7 }, () => host.ask('GET', '/v1/prompts')))
    const refused = answers.filter(({ status }) => status === 429)
    expect([refused.length, answers.length]).toEqual([2, 7])
    const [{ body, headers }] = refused as [(typeof refused)[number]]
    expect(body).toMatchObject({ error: 'rate_limited', details: { scope: 'key', limit: 5 } })
    expect(body.details.retryAfterMs).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBe(Math.ceil(body.details.retryAfterMs / 1_000))
    expect((await host.ask('GET', '/v1/prompts', { key: other.key })).status).toBe(200)
  })

  it('is 429 for an address that guesses, while a valid key from there works', async () => {
    const host = await start({ failuresPerMinute: 3 })
    const guess = () => host.ask('GET', '/v1/prompts', { key: `onbook_${'0'.repeat(16)}_${'A'.repeat(43)}` })
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) statuses.push((await guess()).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect((await guess()).body).toMatchObject({ error: 'rate_limited', details: { scope: 'address' } })
    expect((await host.ask('POST', '/v1/sign-in', { key: null, body: { token: 'x' } })).status).toBe(429)
    expect((await host.ask('GET', '/v1/prompts')).status).toBe(200)
  })

  it('is never, where there is no limit', async () => {
    const host = await start({ requestsPerMinute: 0 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => host.ask('GET', '/v1/prompts')))
    expect(answers.every(({ status, headers }) => status === 200 && headers.get('retry-after') === null)).toBe(true)
  })
})
