// @ts-check
// npm run bench -- replay [level1 level2 level3 memory why regression]: folding a record beside JSON.parse of its bytes, making steps again beside
// making them live, the whole run made again as a fork beside level 2, what a replay holds at once, why beside one plain read, and the regression set (also by itself: npm run bench -- regression).
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { memoryStore } from '../../dist/adapters/memory-store/memory-store.js'
import { runStream } from '../../dist/core/run/events.js'
import { replayByFork } from '../../dist/engine/fork/replay-by-fork.js'
import { replayRun } from '../../dist/engine/replay/replay.js'
import { whyRun } from '../../dist/engine/why/why.js'
import { median, number, table } from './measuring/measure.mjs'
import { inFolder } from './record/story.mjs'
import { composeLive, stepsOf } from './replay/live.mjs'
import { bytesOf, recordNodes, recordPrompts, recordSteps } from './replay/recorded.mjs'
import { medianRatio, rounds } from './runs/rounds.mjs'
import { TENANT } from './sessions/story.mjs'

/** @typedef {import('onbook').Store} Store */

const ROUNDS = 9
const BENCHES = {
  level1: benchFold,
  level2: benchSteps,
  level3: benchFork,
  memory: benchMemory,
  why: benchWhy,
  regression: () => import('./regression.mjs'),
}
const asked = process.argv.slice(2)
for (const [name, bench] of Object.entries(BENCHES)) if (asked.length === 0 || asked.includes(name)) await bench()

/** @param {(folder: string) => Promise<Store>} record @param {(store: Store, folder: string) => Promise<void>} work */
function recorded(record, work) {
  return inFolder(async folder => {
    const store = await record(folder)
    await work(store, folder)
    await store.close()
  })
}

/** Milliseconds of processor time: nothing here waits, and others may be at work on the machine. @param {() => unknown} work */
async function timed(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** @param {Store} store @param {1 | 2} level */
async function replayed(store, level) {
  const found = await replayRun(store, TENANT, 'r1', { level })
  if (!found.identical) throw new Error(JSON.stringify(found.divergences[0]))
  return found
}

async function benchFold() {
  const rows = [['', 'events', 'kB', 'JSON.parse, µs each', 'plain read', 'level 1', 'level 1 is']]
  const decoder = new TextDecoder()
  /** @type {[string, (folder: string) => Promise<Store>][]} */
  const shapes = [
    ['one node, 150 steps', folder => recordSteps(folder, 150)],
    ['one node, 800 steps', folder => recordSteps(folder, 800)],
    ['110 nodes, one step each', folder => recordNodes(folder, 110)],
    ['490 nodes, one step each', folder => recordNodes(folder, 490)],
  ]
  for (const [name, record] of shapes)
    await recorded(record, async store => {
      const all = await bytesOf(store)
      const taken = await rounds(
        {
          parse: () => timed(() => all.forEach(bytes => void JSON.parse(decoder.decode(bytes)))),
          read: () => timed(() => bytesOf(store)),
          fold: () => timed(() => replayed(store, 1)),
        },
        ROUNDS,
      )
      const each = (/** @type {readonly number[]} */ ms) => number((median(ms) * 1_000) / all.length, 1)
      const size = all.reduce((sum, { length }) => sum + length, 0) / 1024
      const ratio = number(medianRatio(taken.parse, taken.fold))
      rows.push([name, number(all.length, 0), number(size, 0), each(taken.parse), each(taken.read), each(taken.fold), ratio])
    })
  table('Level 1 of a replay: read, tied together, folded; beside JSON.parse of the same bytes', rows)
}

async function benchSteps() {
  const rows = [['', 'steps', 'live composing, µs each', 'level 2', 'level 2 is']]
  /** @type {[string, (folder: string) => Promise<Store>][]} */
  const shapes = [
    ['60 nodes, templates of four kinds', folder => recordPrompts(folder, 60)],
    ['60 nodes, no template', folder => recordNodes(folder, 60)],
    ['one node that is told next to nothing', folder => recordSteps(folder, 200)],
  ]
  for (const [name, record] of shapes)
    await recorded(record, async store => {
      const steps = await stepsOf(store)
      const taken = await rounds(
        { live: () => timed(() => composeLive(store, steps)), again: () => timed(() => replayed(store, 2)) },
        ROUNDS,
      )
      const each = (/** @type {readonly number[]} */ ms) => number((median(ms) * 1_000) / steps.length, 0)
      rows.push([name, number(steps.length, 0), each(taken.live), each(taken.again), number(medianRatio(taken.live, taken.again))])
    })
  table('Level 2 of a replay: everything read, decided again and compared; beside composing the steps, without reading or writing', rows)
}

async function benchFork() {
  const rows = [['', 'steps', 'level 2, µs each', 'level 3', 'level 3 is']]
  /** @type {[string, (folder: string) => Promise<Store>][]} */
  const shapes = [
    ['60 nodes, templates of four kinds', folder => recordPrompts(folder, 60)],
    ['one node, 200 steps', folder => recordSteps(folder, 200)],
  ]
  for (const [name, record] of shapes)
    await recorded(record, async store => {
      const steps = await stepsOf(store)
      const taken = await rounds({ again: () => timed(() => replayed(store, 2)), fork: () => timed(() => forked(store)) }, ROUNDS)
      const each = (/** @type {readonly number[]} */ ms) => number((median(ms) * 1_000) / steps.length, 0)
      rows.push([
        name,
        number(steps.length, 0),
        each(taken.again),
        each(taken.fork),
        `${number(medianRatio(taken.fork, taken.again))} times`,
      ])
    })
  table('Level 3 of a replay: the run made again as a fork, in memory; beside level 2', rows)
}

/** @param {Store} from */
async function forked(from) {
  const to = memoryStore(() => new Date().toISOString())
  const named = { tenant: TENANT, runId: 'r1', forkId: 'f1', actor: 'bench' }
  const found = await replayByFork({ from, to, ...named, hostDefaults: null })
  if (!found.identical) throw new Error(JSON.stringify(found.divergences[0]))
  await to.close()
}

async function benchMemory() {
  const rows = [['', 'events', 'level 1 holds, MB', 'process', 'level 2 holds, MB', 'process']]
  for (const times of [1, 4, 16])
    await recorded(
      folder => recordSteps(folder, 100 * times),
      async (_, folder) => {
        const found = [1, 2].map(level => peak(folder, level))
        const sizes = found.flatMap(({ held, rss }) => [number(held, 1), number(rss, 0)])
        rows.push([`${times} ×`, number(found[0]?.events ?? 0, 0), ...sizes])
      },
    )
  table('Memory of a process that replays one run, at its peak', rows)
}

/** @param {string} folder @param {number} level @returns {{ events: number, held: number, rss: number }} */
function peak(folder, level) {
  const args = ['--expose-gc', resolve('scripts/bench/replay/peak.mjs'), folder, String(level)]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

async function benchWhy() {
  await recorded(
    folder => recordSteps(folder, 2_500),
    async store => {
      let events = 0
      const read = async () => {
        events = 0
        for await (const _ of store.read(TENANT, runStream('r1'), -1)) events++
      }
      const taken = await rounds({ read: () => timed(read), why: () => timed(() => whyRun(store, TENANT, 'r1')) }, ROUNDS)
      table('Why, of a long run', [
        ['', 'events', 'one plain read, ms', 'why, ms', 'reads'],
        ['one node', number(events, 0), number(median(taken.read)), number(median(taken.why)), number(medianRatio(taken.why, taken.read))],
      ])
    },
  )
}
