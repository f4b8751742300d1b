// Several processes on one store, and killed processes. Acknowledged writes must be there, and nothing must be torn.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { memoryScratch } from '../../adapters/memory-store/memory-tables.ts'
import { verifyRecord } from '../../engine/verify/verify.ts'
import type { Store } from '../../ports.ts'
import { CONTRACT_PROJECTIONS, type ContractCase, type StorePlace } from './place.ts'
import { type Acknowledged, acknowledgedIn, TENANT } from './writer.ts'

const FAR_AHEAD = '2999-01-01T00:00:00.000Z'

interface Writer {
  readonly child: ChildProcess
  readonly output: Promise<string>
  readonly running: Promise<void>
}

function startWriter([program, ...args]: readonly [string, ...string[]], name: string): Writer {
  const child = spawn(program, [...args, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  const running = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('close', code => reject(new Error(`${name} ended by itself with ${code}`)))
  })
  child.stdout.on('data', chunk => {
    text += chunk
  })
  return { child, running, output: new Promise(resolve => child.on('close', () => resolve(text))) }
}

/** Two writers at a time, killed between `leastMs` and `mostMs`; returns the acknowledged writes. */
async function writeAndKill(place: StorePlace, round: number, leastMs: number, mostMs: number): Promise<readonly Acknowledged[]> {
  assert(place.writer !== null)
  const writers = [startWriter(place.writer, `a${round}`), startWriter(place.writer, `b${round}`)]
  await Promise.all(writers.map(({ running }) => running))
  for (const { child } of writers) {
    await new Promise(resume => setTimeout(resume, leastMs + Math.random() * (mostMs - leastMs)))
    child.kill('SIGKILL')
  }
  const told: Acknowledged[] = []
  for (const { output } of writers) told.push(...acknowledgedIn(await output))
  return told
}

/** Everything as it was acknowledged; chains, references and projections whole. */
async function checkStore(store: Store, told: readonly Acknowledged[]): Promise<void> {
  const { projections } = store
  const inspection = await store.inspect()
  const verified = await verifyRecord(inspection, {
    projections,
    scratch: memoryScratch(projections),
    check: null,
  })
  await inspection.close()
  assert.deepEqual(verified.breaks, [])

  const byStream = groupByStream(told)
  for (const [stream, promised] of byStream) {
    const found = new Map<number, unknown>()
    for await (const { event } of store.read(TENANT, stream, 0)) found.set(event.seq - 1, event.prev)
    const { seq, digest } = await store.head(TENANT, stream)
    found.set(seq, digest)
    for (const event of promised) assert.equal(found.get(event.seq), event.head, `${stream} ${event.seq}`)
  }
  for (const { body } of told) await store.object(TENANT, body)
}

function groupByStream(told: readonly Acknowledged[]): Map<string, Acknowledged[]> {
  const groups = new Map<string, Acknowledged[]>()
  for (const event of told) groups.set(event.stream, [...(groups.get(event.stream) ?? []), event])
  return groups
}

/** @param kills how many processes are killed; they come in pairs, ten pairs to a place */
export const crashCase = (place: () => Promise<StorePlace>, kills: number): ContractCase => ({
  name: `loses nothing it acknowledged in ${kills} kills of writers under load, two at a time`,
  async run() {
    let promised = 0
    for (let killed = 0; killed < kills; ) {
      const there = await place()
      const told: Acknowledged[] = []
      // Each round goes on from what the one before left behind.
      for (let round = 0; round < 10 && killed < kills; round++, killed += 2) told.push(...(await writeAndKill(there, round, 0, 60)))
      const store = await there.open(CONTRACT_PROJECTIONS)
      await checkStore(store, told)
      await store.close()
      promised += told.length
    }
    assert(promised > kills, `only ${promised} events were acknowledged`)
  },
})

export const sharingCase = (place: () => Promise<StorePlace>): ContractCase => ({
  name: 'lets several processes append to one stream and to their own, without a gap and without losing any',
  async run() {
    const there = await place()
    const store = await there.open(CONTRACT_PROJECTIONS)
    const collected: Promise<number>[] = []
    const collecting = setInterval(() => collected.push(store.collect(FAR_AHEAD)), 20)
    const told: Acknowledged[] = []
    const wroteTo = (start: string): boolean => told.some(({ stream }) => stream.startsWith(start))
    const isEnough = (): boolean => ['shared', 'a', 'b'].every(wroteTo)
    // On a busy machine a writer may be killed before it has written to every stream: then two others go on.
    for (let round = 0; round < 10 && !isEnough(); round++) told.push(...(await writeAndKill(there, round, 500, 700)))
    clearInterval(collecting)
    // An object that is written together with its reference is never dropped.
    assert.deepEqual(new Set(await Promise.all(collected)), new Set([0]))
    assert(isEnough())
    await checkStore(store, told)
    await store.close()
  },
})
