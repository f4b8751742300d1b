// @ts-check
// Many runs at once in a process of its own: none ends before all are open. Says what each held in memory, and how long all took to end.
import { setTimeout as wait } from 'node:timers/promises'
import { inFolder } from '../record/story.mjs'
import { openStore, TENANT } from '../sessions/story.mjs'
import { complete, create, reply, runsOn, workflowOf } from './story.mjs'

const total = Number(process.argv[2] ?? 1_000)
const STOPS = 4
const workflow = workflowOf(1)

const heapNow = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

await inFolder(async folder => {
  const store = openStore(folder)
  /** @type {(() => void)[]} */
  const waiting = []
  let isOpen = true
  const { work, close } = runsOn(store, async () => {
    if (!isOpen) await new Promise(resolve => waiting.push(() => resolve(null)))
    return reply()
  })
  for (let run = 0; run < 64; run++) await complete(work, workflow, -1 - run)
  isOpen = false
  const heaps = [heapNow()]
  const started = performance.now()
  /** @type {string[]} */
  const runs = []
  for (let stop = 1; stop <= STOPS; stop++) {
    const more = Array.from({ length: total / STOPS }, (_, n) => create(work, workflow, runs.length + n))
    runs.push(...(await Promise.all(more)))
    while (waiting.length < runs.length) await wait(1)
    heaps.push(heapNow())
  }
  const opened = performance.now()
  for (const goOn of waiting) goOn()
  await Promise.all(runs.map(runId => work.quiet(TENANT, runId)))
  const ended = performance.now()
  await close()
  const after = heapNow()
  await store.close()
  process.stdout.write(
    JSON.stringify({ heaps, after, openMs: opened - started, endMs: ended - opened, rssMb: process.resourceUsage().maxRSS / 1024 }),
  )
})
