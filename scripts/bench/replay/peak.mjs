// @ts-check
// Replays one run in a process of its own and says how much memory that took: what it held at most after a collection, and the process.
import { replayRun } from '../../../dist/engine/replay/replay.js'
import { openStore, TENANT } from '../sessions/story.mjs'

const [folder = '.', level = '1'] = process.argv.slice(2)
const OFTEN = 500
const store = openStore(folder)
let [read, held] = [0, 0]
/** @type {import('onbook').Store} */
const looked = {
  ...store,
  async *pages(tenant, stream, after) {
    for await (const page of store.pages(tenant, stream, after)) yield looking(page)
  },
}
const { events } = await replayRun(looked, TENANT, 'r1', { level: level === '1' ? 1 : 2 })
await store.close()
process.stdout.write(JSON.stringify({ events, held: held / 2 ** 20, rss: process.resourceUsage().maxRSS / 1024 }))

/** @template T @param {Iterable<T>} page */
function* looking(page) {
  for (const stored of page) {
    if (read++ % OFTEN === 0) look()
    yield stored
  }
}

function look() {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  held = Math.max(held, heapUsed + arrayBuffers)
}
