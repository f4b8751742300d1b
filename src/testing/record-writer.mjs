// @ts-check
// A process that writes to a store as fast as it can and says what was acknowledged, until it is killed. From dist: it runs without a test runner.
import { createHash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { sqliteStore } from '../../dist/adapters/sqlite-store/sqlite-store.js'

const [path = '', name = 'w', callers = '8'] = process.argv.slice(2)
const store = sqliteStore(path, () => new Date().toISOString())

/** @param {number} caller */
async function write(caller) {
  for (let n = 0; ; n++) {
    // Every other event goes to a stream that all processes share.
    const stream = n % 2 === 0 ? 'shared' : `${name}/${caller}`
    const body = new TextEncoder().encode(`${name} ${caller} ${n}`)
    const digest = /** @type {import('../../dist/core/digest/digest.js').Digest} */ (
      `sha256:${createHash('sha256').update(body).digest('hex')}`
    )
    const { seq } = await store.head('acme', stream)
    try {
      const { heads } = await store.commit({
        tenant: 'acme',
        objects: [body],
        appends: [{ stream, expected: seq, entries: [{ type: 'thing.happened', actor: name, payload: { digest }, refs: [digest] }] }],
      })
      // Only what was acknowledged is said, and it is said before anything else happens.
      writeSync(1, `${stream} ${heads[0]?.seq} ${heads[0]?.digest} ${digest}\n`)
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'stream_moved') throw error
    }
  }
}

await Promise.all(Array.from({ length: Number(callers) }, (_, caller) => write(caller)))
