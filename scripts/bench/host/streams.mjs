// @ts-check
// A thousand clients that listen and hear nothing for a long time: what they cost the host, and the others who ask it meanwhile.
import { once } from 'node:events'
import { connect } from 'node:net'
import { median, number, table } from '../measuring/measure.mjs'
import { makeLibrary } from './library.mjs'
import { load } from './load.mjs'
import { drop, freshFolder, memoryOf, startHost } from './processes.mjs'

/** So many of one tenant a host admits. */
const PER_TENANT = 100
const TENANTS = 10
const ROUNDS = 5
const PINNED = { method: 'GET', path: '/v1/prompts/shared?version=1.0.0' }

/** @param {string} templateId */
const templateOf = templateId => ({ templateId, version: '1.0.0', kind: 'system', text: 'Write.' })

export async function benchStreams() {
  const folder = freshFolder()
  const tenants = Array.from({ length: TENANTS }, (_, n) => `tenant-${n}`)
  const keys = await makeLibrary(folder, 0, tenants)
  const host = await startHost(folder, keys)
  for (const key of keys) await publish(host.url, key, 'shared')

  const alone = await askPinned(host)
  const before = memoryOf(host.pid).now
  const started = performance.now()
  const clients = await Promise.all(Array.from({ length: PER_TENANT * TENANTS }, (_, n) => listen(host.url, keys[n % TENANTS] ?? '')))
  const opened = performance.now() - started
  const after = memoryOf(host.pid).now
  const beside = await askPinned(host)

  /** @type {number[]} */
  const reached = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const all = Promise.all(clients.map(client => client.hears(`news-${round}"`)))
    await Promise.all(keys.map(key => publish(host.url, key, `news-${round}`)))
    await all
    reached.push(performance.now() - began)
  }

  table(`${number(PER_TENANT * TENANTS, 0)} event streams, open and idle`, [
    ['all open after', `${number(opened, 0)} ms`],
    ['memory of the host before', `${number(before, 0)} MB`],
    ['memory of the host with them', `${number(after, 0)} MB`],
    ['memory at most', `${number(memoryOf(host.pid).most, 0)} MB`],
    ['one event to each, from asking to the last one who hears it', `${number(median(reached), 0)} ms`],
    ['pinned GET, p99, nobody listening', `${number(alone.p99)} ms at ${number(alone.rate, 0)} req/s`],
    ['pinned GET, p99, all listening', `${number(beside.p99)} ms at ${number(beside.rate, 0)} req/s`],
  ])
  for (const { socket } of clients) socket.destroy()
  await host.stop()
  drop(folder)
}

/** The second of two: the first warms up. @param {import('./processes.mjs').Server} host */
async function askPinned(host) {
  await load(host, PINNED, { connections: 16, ms: 1_000 })
  return load(host, PINNED, { connections: 16, ms: 2_000 })
}

/** @param {URL} url @param {string} key @param {string} templateId */
async function publish(url, key, templateId) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(new URL('/v1/prompts', url), { method: 'POST', headers, body: JSON.stringify(templateOf(templateId)) })
  if (answer.status !== 201) throw new Error(`POST answered ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** Resolves when the stream is open. @param {URL} url @param {string} key */
async function listen(url, key) {
  const socket = connect(Number(url.port), url.hostname)
  socket.write(
    `GET /v1/streams/library%2Fonbook/events HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\nlast-event-id: 0\r\n\r\n`,
  )
  const [head] = await once(socket, 'data')
  if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(`the stream was refused: ${head}`)
  /** @param {string} words @returns {Promise<void>} */
  const hears = words =>
    new Promise(resolve => {
      let heard = ''
      const take = (/** @type {Buffer} */ chunk) => {
        heard += chunk
        if (!heard.includes(words)) return
        socket.off('data', take)
        resolve()
      }
      socket.on('data', take)
    })
  return { socket, hears }
}
