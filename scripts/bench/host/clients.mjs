// @ts-check
// onbook/client beside @langfuse/client: a stampede, a label that moves, one that is deleted, a host that dies. Times, and what each said.
import { setTimeout as sleep } from 'node:timers/promises'
import { number, peers, table } from '../measuring/measure.mjs'
import { contenders, TTL_MS } from './clients/contenders.mjs'
import { promptServer } from './clients/prompt-server.mjs'

const AT_ONCE = 1_000
const WARM = 20_000
const LOOK_EVERY_MS = 10
/** How long a client that goes on giving what is gone is looked at. */
const LONG_MS = 3 * TTL_MS

/** @typedef {() => Promise<import('./clients/contenders.mjs').Said>} Get */

export async function benchClients() {
  // It writes every failure to the console; they are what is measured here.
  process.env.LANGFUSE_LOG_LEVEL = 'NONE'
  const { load } = peers(['@langfuse/client@5.11.1'])
  const rows = []
  for (const { name, make } of contenders(load)) rows.push([name, ...(await story(make))])
  const columns = [
    '',
    `${number(AT_ONCE, 0)} at once`,
    'warm get',
    'label moved',
    'label moved to 3, nobody asks for a while',
    'label deleted',
    'host dead',
    'host dead, new client',
  ]
  for (const [index, column] of columns.entries())
    if (index > 0)
      table(
        column,
        rows.map(row => [row[0] ?? '', row[index] ?? '']),
      )
}

/** @param {(url: string) => Get} make */
async function story(make) {
  const server = await promptServer()
  const get = make(server.url)
  const told = [
    await stampede(get, server),
    await warm(get),
    await moved(get, server),
    await movedUnseen(get, server),
    await deleted(get, server),
  ]
  server.label.version = 4
  await sleep(TTL_MS + LOOK_EVERY_MS)
  await get()
  await server.stop()
  await sleep(TTL_MS + LOOK_EVERY_MS)
  return [...told, await said(get), await said(make(server.url))]
}

/** @param {Get} get @param {import('./clients/prompt-server.mjs').PromptServer} server */
async function stampede(get, server) {
  const started = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, get))
  return `${number(performance.now() - started, 0)} ms, ${server.requests()} requests`
}

/** @param {Get} get */
async function warm(get) {
  await get()
  const started = performance.now()
  let done = 0
  for (; done < WARM && performance.now() - started < TTL_MS / 2; done++) await get()
  return `${number(((performance.now() - started) * 1_000) / done, 1)} µs`
}

/** @param {Get} get @param {import('./clients/prompt-server.mjs').PromptServer} server */
async function moved(get, server) {
  await sleep(TTL_MS + LOOK_EVERY_MS)
  await get()
  // Whoever refreshes behind the caller's back has done so by now.
  await sleep(LOOK_EVERY_MS * 5)
  await get()
  const started = performance.now()
  server.label.version = 2
  let late = 0
  for (; performance.now() - started < LONG_MS; await sleep(LOOK_EVERY_MS)) {
    const { version, stale } = await get()
    const after = performance.now() - started
    if (version === 2)
      return `new after ${number(after, 0)} ms; ${late === 0 ? 'nothing old after its time' : `${late} old after their time, unsaid`}`
    if (after > TTL_MS && stale !== true) late++
  }
  return 'never'
}

/** The first answer after a quiet time, long after what is kept was to be asked for again. @param {Get} get @param {import('./clients/prompt-server.mjs').PromptServer} server */
async function movedUnseen(get, server) {
  server.label.version = 3
  await sleep(LONG_MS)
  return said(get)
}

/** @param {Get} get @param {import('./clients/prompt-server.mjs').PromptServer} server */
async function deleted(get, server) {
  await sleep(LOOK_EVERY_MS * 5)
  server.label.version = null
  await sleep(LONG_MS)
  await get().catch(() => {})
  await sleep(LOOK_EVERY_MS * 5)
  return said(get)
}

/** What it says now, and how long that took. @param {Get} get */
async function said(get) {
  const started = performance.now()
  const what = await get().then(
    ({ version, stale }) => `version ${version}, ${stale === null ? 'says nothing of its age' : stale ? 'marked stale' : 'as fresh'}`,
    error => `refused: ${error.code ?? error.constructor.name}`,
  )
  return `${what}, ${number(performance.now() - started, 0)} ms`
}
