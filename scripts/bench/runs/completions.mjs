// @ts-check
// Runs of one node from asking to the end, with everything they put on record, beside SQLite alone that is given rows of the same sizes.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { median, number, table } from '../measuring/measure.mjs'
import { bareStore } from '../record/bare.mjs'
import { concurrently, inFolder } from '../record/story.mjs'
import { openStore } from '../sessions/story.mjs'
import { medianRatio, rounds } from './rounds.mjs'
import { complete, runsOn, sum, workflowOf, writtenBy } from './story.mjs'

const CALLERS = 64
const WORKFLOW = workflowOf(1)

/** @typedef {import('./story.mjs').Written} Written */

/** @param {{ full: boolean }} options */
export async function benchCompletions({ full }) {
  const total = CALLERS * (full ? 40 : 10)
  const written = await inFolder(async folder => {
    const store = openStore(folder)
    const found = await writtenBy(store, WORKFLOW)
    await store.close()
    return found
  })
  const events = written.flatMap(commit => commit.events)
  /** Milliseconds of processor time a run, round by round. @type {Record<string, number[]>} */
  const cpu = {}
  /** @param {string} name @param {() => Promise<number>} work */
  const counted = (name, work) => async () => {
    const before = process.cpuUsage()
    const ms = await work()
    const { user, system } = process.cpuUsage(before)
    cpu[name] = [...(cpu[name] ?? []), (user + system) / 1_000 / total]
    return ms
  }
  const taken = await rounds(
    {
      single: counted('single', () => bare(total, written.flatMap(singly))),
      events: counted('events', () => bare(total, written.map(withoutObjects))),
      all: counted('all', () => bare(total, written)),
      onbook: counted('onbook', () => completing(total)),
    },
    full ? 9 : 5,
  )
  const row = (/** @type {string} */ name, /** @type {keyof typeof taken} */ key) => {
    const each = median(taken[key])
    const ratio = key === 'onbook' ? '' : number(medianRatio(taken[key], taken.onbook))
    return [name, number(1_000 / each, 0), number((events.length * 1_000) / each, 0), ratio, number(median(cpu[key] ?? []))]
  }
  table(`Runs of one node to their end: ${events.length} events of ${number(sum(events) / 1024, 1)} kB, ${CALLERS} callers`, [
    ['', 'runs/s', 'events/s', 'onbook is', 'ms cpu a run'],
    row('bare SQLite, every event a commit', 'single'),
    row('bare SQLite, in the commits of the run', 'events'),
    row('bare SQLite, in the commits of the run, with its objects', 'all'),
    row('onbook', 'onbook'),
  ])
}

/** @param {Written} commit @returns {Written[]} */
const singly = ({ events }) => events.map(size => ({ events: [size], objects: [] }))
/** @param {Written} commit @returns {Written} */
const withoutObjects = ({ events }) => ({ events, objects: [] })

/** Milliseconds a run. @param {number} total */
const completing = total =>
  inFolder(async folder => {
    const store = openStore(folder)
    const { work, close } = runsOn(store)
    const ms = await concurrently(CALLERS, total, (caller, n) => complete(work, WORKFLOW, caller * total + n))
    await close()
    await store.close()
    return ms
  })

/** Milliseconds for as much as a run writes, of bytes made beforehand. @param {number} total @param {readonly Written[]} commits */
const bare = (total, commits) =>
  inFolder(async folder => {
    const store = bareStore(join(folder, 'bare.db'))
    const bodies = commits.map(({ events, objects }) => ({ events: events.map(filled), objects: objects.map(filled) }))
    const perRun = sum(commits.map(({ events }) => events.length))
    const ms = await concurrently(CALLERS, total, async (caller, n) => {
      let seq = n * perRun
      for (const { events, objects } of bodies)
        await Promise.all([
          ...events.map(bytes => store.append(caller, seq++, bytes)),
          ...objects.map(bytes => store.put(randomBytes(32), bytes)),
        ])
    })
    store.close()
    return ms
  })

/** @param {number} size */
const filled = size => Buffer.alloc(size, 'as many bytes ')
