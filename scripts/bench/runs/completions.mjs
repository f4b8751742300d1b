// @ts-check
// Runs of one node from asking to the end, with everything they put on record, beside SQLite alone that is given rows of the same sizes.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { median, number, table } from '../measuring/measure.mjs'
import { bareStore } from '../record/bare.mjs'
import { concurrently, inFolder } from '../record/story.mjs'
import { medianRatio, rounds } from './rounds.mjs'
import { complete, openStore, runsOn, sum, workflowOf, writtenBy } from './story.mjs'

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
  /** @type {number[]} */
  const cpu = []
  const taken = await rounds(
    {
      single: () => bare(total, written.flatMap(singly)),
      events: () => bare(total, written.map(withoutObjects)),
      all: () => bare(total, written),
      onbook: async () => {
        const used = process.cpuUsage()
        const ms = await completing(total)
        const { user, system } = process.cpuUsage(used)
        cpu.push((user + system) / 1_000 / total)
        return ms
      },
    },
    full ? 9 : 5,
  )
  const row = (/** @type {string} */ name, /** @type {readonly number[]} */ ms) => {
    const each = median(ms)
    const ratio = ms === taken.onbook ? '' : number(medianRatio(ms, taken.onbook))
    return [name, number(1_000 / each, 0), number((events.length * 1_000) / each, 0), ratio]
  }
  table(`Runs of one node to their end: ${events.length} events, ${CALLERS} callers`, [
    ['', 'runs/s', 'events/s', 'onbook is'],
    row('bare SQLite, every event a commit', taken.single),
    row('bare SQLite, in the commits of the run', taken.events),
    row('bare SQLite, in the commits of the run, with its objects', taken.all),
    row('onbook', taken.onbook),
  ])
  console.log(`  ${number(sum(events) / 1024, 1)} kB of events a run; ${number(median(cpu.slice(1)))} ms of processor time a run`)
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
