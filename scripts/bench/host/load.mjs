// @ts-check
// Load over plain sockets: one request under way per connection, answers read by their content-length. A client that parses more would
// be slower than the servers it measures.
import { connect } from 'node:net'

/** @typedef {{ readonly method: string, readonly path: string, readonly body?: string }} Call */
/** One key for each connection: a host counts how often a key asks. @typedef {{ readonly url: URL, readonly keys: readonly string[] }} Target */
/** @typedef {{ readonly requests: number, readonly rate: number, readonly p99: number }} Taken */

/** @param {URL} url @param {string} key @param {Call} call */
function requestBytes(url, key, { method, path, body = '' }) {
  const type = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\n${type}\r\n${body}`)
}

/**
 * As many requests as fit into the time.
 * @param {Target} to @param {Call | readonly Call[]} calls @param {{ connections: number, ms: number }} how @returns {Promise<Taken>}
 */
export async function load(to, calls, { connections, ms }) {
  /** @type {number[]} */
  const times = []
  const started = performance.now()
  const work = async (/** @type {unknown} */ _, /** @type {number} */ index) => {
    const key = to.keys[index % to.keys.length] ?? ''
    const requests = [calls].flat().map(call => requestBytes(to.url, key, call))
    let next = index
    const socket = await open(to.url)
    try {
      while (performance.now() - started < ms) {
        const began = performance.now()
        await exchange(socket, requests[next++ % requests.length] ?? Buffer.alloc(0))
        times.push(performance.now() - began)
      }
    } finally {
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  const seconds = (performance.now() - started) / 1000
  times.sort((a, b) => a - b)
  return { requests: times.length, rate: times.length / seconds, p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}

/** @param {URL} url @returns {Promise<import('node:net').Socket>} */
function open(url) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** @param {import('node:net').Socket} socket @param {Buffer} request @returns {Promise<void>} */
function exchange(socket, request) {
  return new Promise((resolve, reject) => {
    /** How many bytes the whole answer has; unknown until its head is here. */
    let whole = Number.POSITIVE_INFINITY
    let head = ''
    let got = 0
    const end = (/** @type {Error | null} */ error) => {
      socket.off('data', take)
      socket.off('close', closed)
      if (error === null) resolve()
      else reject(error)
    }
    const closed = () => end(new Error('the server closed the connection'))
    const take = (/** @type {Buffer} */ bytes) => {
      got += bytes.length
      if (whole === Number.POSITIVE_INFINITY) {
        head += bytes.toString('latin1')
        const body = head.indexOf('\r\n\r\n')
        if (body === -1) return
        if (!head.startsWith('HTTP/1.1 20')) return end(new Error(`answered ${head.slice(0, 2000)}`))
        const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, body))
        if (length === null) return end(new Error('an answer without content-length'))
        whole = body + 4 + Number(length[1])
      }
      if (got >= whole) end(null)
    }
    socket.on('data', take)
    socket.on('close', closed)
    socket.write(request)
  })
}
