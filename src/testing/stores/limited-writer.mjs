// @ts-check
// Writes to a SQLite store until it is refused, says with what, and goes on when a line comes in. From dist: it runs without a test runner.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { sqliteStore } from '../../../dist/adapters/sqlite-store/sqlite-store.js'
import { digestBytes } from '../../../dist/core/index.js'

const [path = ''] = process.argv.slice(2)
const store = sqliteStore(path, () => new Date().toISOString())
let n = (await store.head('acme', 's')).seq + 1

/** @param {number} most */
async function write(most) {
  for (const end = n + most; n < end; n++) {
    const object = new TextEncoder().encode(`object ${n} `.repeat(2_000))
    const entries = [{ type: 'thing.happened', actor: 'ada', payload: { n, body: digestBytes(object) } }]
    const { heads } = await store.commit({ tenant: 'acme', objects: [object], appends: [{ stream: 's', expected: n - 1, entries }] })
    writeSync(1, `${heads[0]?.seq} ${heads[0]?.digest}\n`)
  }
}

try {
  await write(5000)
  writeSync(1, 'refused nothing\n')
} catch (error) {
  const { name, code } = /** @type {Error & { code?: string }} */ (error)
  writeSync(1, `refused ${name} ${code}\n`)
}
await once(process.stdin, 'data')
await write(20)
await store.close()
process.exit(0)
