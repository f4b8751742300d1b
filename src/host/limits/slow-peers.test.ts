// Tests peers that do not close, do not read or do not continue to send: each loses its connection, and other clients get in.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, it, vi } from 'vitest'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import type { HostLimits } from './limits.ts'

const CONNECTIONS = 4
const hosts: TestHost[] = []
const sockets: Socket[] = []
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(hosts.map(host => host.close()))
})

const start = async (limits: Partial<HostLimits> = {}): Promise<TestHost> => {
  const host = await startHost(
    {},
    { limits: { connections: CONNECTIONS, headersMs: 500, requestMs: 60_000, keepAliveMs: 60_000, ...limits } },
  )
  hosts.push(host)
  return host
}

/** Takes all connections of the host. Each peer sends the text, keeps its half open, and reads nothing. */
async function takeAll(host: TestHost, text: string): Promise<readonly Socket[]> {
  const own: Socket[] = []
  const { port } = new URL(host.url)
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true }).pause()
    socket.on('error', () => {})
    sockets.push(socket)
    own.push(socket)
    await once(socket, 'connect')
    await new Promise(sent => socket.write(text, sent))
  }
  return own
}

const isReached = async (host: TestHost): Promise<boolean> => {
  const answer = await fetch(`${host.url}/healthz`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(2_000) }).catch(
    () => null,
  )
  return answer?.status === 200
}
const getsIn = (host: TestHost) => vi.waitFor(async () => expect(await isReached(host)).toBe(true), { timeout: 30_000, interval: 100 })

const refused = (host: TestHost, ...more: string[]): string =>
  ['POST /v1/prompts:render HTTP/1.1', `host: ${new URL(host.url).host}`, 'content-type: application/json', ...more].join('\r\n')

it.concurrent.each([
  ['half a header', 'GET /healthz HTTP/1.1\r\nhost: h'],
  ['nothing at all', ''],
  ['bytes that are not HTTP', 'hello\r\n\r\n'],
  ['headers that are too large', `GET /healthz HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n`],
])('openwop D2: a peer that sends %s and never closes lets go of its connection', async (_what, text) => {
  const host = await start()
  await takeAll(host, text)
  await getsIn(host)
})

it.concurrent('openwop D2: a peer that sends garbage after a request and never closes lets go of its connection', async () => {
  const host = await start()
  await takeAll(host, `GET /healthz HTTP/1.1\r\nhost: ${new URL(host.url).host}\r\n\r\nhello\r\n\r\n`)
  await getsIn(host)
})

it.concurrent('openwop D2: a peer that closes its half in the middle of a header lets go of its connection', async () => {
  const host = await start({ headersMs: 60_000 })
  const peers = await takeAll(host, 'GET /healthz HTTP/1.1\r\nhost: h')
  expect(await isReached(host)).toBe(false)
  for (const socket of peers) socket.end()
  await getsIn(host)
})

it.concurrent('openwop D28: a slow body after a 401 does not keep its connection', async () => {
  const host = await start()
  await takeAll(host, `${refused(host, 'authorization: Bearer x', 'content-length: 1000')}\r\n\r\n{`)
  await getsIn(host)
})

it.concurrent('openwop D28: a body that goes on after a 401 is not read for longer than the linger time', async () => {
  const host = await start()
  const peers = await takeAll(host, `${refused(host, 'authorization: Bearer x', 'content-length: 100000')}\r\n\r\n{`)
  const dripping = peers.map(socket => setInterval(() => socket.write(' '), 20))
  await getsIn(host)
  for (const timer of dripping) clearInterval(timer)
})

it.concurrent('openwop D2: a peer that does not read its answers lets go of its connection', async () => {
  const host = await start({ unreadMs: 300 })
  const body = { templateId: 'long', version: '1.0.0', kind: 'system', text: 'x'.repeat(60_000) }
  expect((await host.ask('POST', '/v1/prompts', { body })).status).toBe(201)
  const one = `GET /v1/prompts/long HTTP/1.1\r\nhost: ${new URL(host.url).host}\r\nauthorization: Bearer ${host.key}\r\n\r\n`
  await vi.waitFor(() => takeAll(host, one.repeat(200)))
  await getsIn(host)
})

it.concurrent('openwop D2: a peer that is answered slowly keeps its connection', async () => {
  const host = await start({ unreadMs: 400, headersMs: 10_000 })
  await host.ask('POST', '/v1/prompts', { body: { templateId: 't', version: '1.0.0', kind: 'system', text: 'x' } })
  const answer = await fetch(`${host.url}/v1/streams/library%2Fonbook/events`, {
    headers: { authorization: `Bearer ${host.key}`, accept: 'text/event-stream' },
  })
  await new Promise(resume => setTimeout(resume, 1_500))
  expect(answer.status).toBe(200)
  const state = await Promise.race([
    answer.text().then(
      () => 'closed',
      () => 'closed',
    ),
    new Promise(resume => setTimeout(resume, 50, 'open')),
  ])
  expect(state).toBe('open')
})
