// Runs on one record whose hosts are killed, one after the other, until there were so many kills. Every restart goes on from what was left;
// some hosts are only stopped, and wake up when another is at their work.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { listRuns } from '../../engine/runs/runs.ts'
import type { Store } from '../../ports.ts'
import { checkRecord, checkRun, type Gist, gistOf, TENANT } from './check-run.ts'
import { furnish, type Place, withStore } from './furnish.ts'
import { approveAll, type Client, doom, follow, type KilledHost, kill, startKilledHost, thaw } from './killed-host.ts'

/** A host without progress for this long, which was not stopped, is stuck. */
const STUCK_MS = 60_000
/** The share of hosts that are stopped at the end of their time and wake up later. The others are killed. */
const FROZEN = 0.2

export interface Killed {
  /** Counts hosts that were at work on a run. */
  readonly kills: number
  readonly frozen: number
  readonly runs: number
  readonly told: number
  readonly heard: number
}

export async function killRuns(kills: number): Promise<Killed> {
  const place = await furnish()
  let expected: Gist | null = null
  let [killed, frozen, runs, told] = [0, 0, 0, 0]
  try {
    // The first run is not disturbed: the others have to end like it.
    for (; expected === null || killed < kills; runs++) {
      const isFirst: boolean = expected === null
      const client: Client = { runId: null, told: new Map() }
      let left: KilledHost | null = null
      for (let isOver = false; !isOver; ) {
        const life: Life = await live(place, left, client, `run ${runs}`, !isFirst && killed < kills)
        ;({ isOver, left } = life)
        if (isOver || client.runId === null) continue
        if (left === null) killed++
        else frozen++
      }
      told += client.told.size
      expected = await withStore(place.path, store => checkEnd(store, place, client, expected))
    }
    // The host that saw the end of the last run was killed at that moment: what it had no time for is done by the next.
    const last = startHost(place)
    await last.url
    await kill(last)
    await withStore(place.path, async store => {
      await checkRecord(store)
      const listed: string[] = []
      for await (const { runId } of listRuns(store, TENANT)) listed.push(runId)
      assert.equal(listed.length, runs, 'a run was asked for once and is there twice')
    })
    return { kills: killed, frozen, runs, told, heard: place.heard.length }
  } finally {
    await place.chat.close()
  }
}

const startHost = ({ path, lines, chat, nextName }: Place): KilledHost => startKilledHost(path, lines, chat.url, nextName())

interface Life {
  readonly isOver: boolean
  /** The host itself, when it was only stopped. */
  readonly left: KilledHost | null
}

/** One life of a host. @param before one that was stopped, and wakes up to find its place taken */
async function live(place: Place, before: KilledHost | null, client: Client, name: string, dies: boolean): Promise<Life> {
  const host = startHost(place)
  const end = new AbortController()
  if (before !== null) void thaw(before, host)
  let left: KilledHost | null = null
  try {
    const following = follow(host, place.key, client, name, end.signal)
    // A host that wakes up late may take the run over, and only the run's owner can answer.
    for (const one of before === null ? [host] : [before, host]) void approveAll(one, place.key, end.signal)
    const doomed = dies ? doom(host, place.hears).then(() => false) : new Promise<never>(() => {})
    const isOver = await Promise.race([following, doomed, stuck(client, end.signal)])
    assert(isOver || dies, 'the host ended by itself')
    if (!isOver && Math.random() < FROZEN && host.child.kill('SIGSTOP')) left = host
    return { isOver, left }
  } finally {
    end.abort()
    if (before !== null) await kill(before)
    if (left === null) await kill(host)
  }
}

/** Throws when there is nothing new for too long. */
async function stuck({ told }: Client, signal: AbortSignal): Promise<never> {
  for (let known = -1; known < told.size; ) {
    known = told.size
    await pause(STUCK_MS, undefined, { signal })
  }
  throw new Error(`nothing goes on any more after event ${told.size - 1}`)
}

async function checkEnd(store: Store, { heard, early, lines }: Place, { runId, told }: Client, expected: Gist | null): Promise<Gist> {
  assert.deepEqual(early, [])
  const gist = await gistOf(store, runId!)
  if (expected !== null) assert.deepEqual(gist, expected)
  const own = heard.filter(({ run }) => run === runId)
  await checkRun(store, { runId: runId!, told, heard: own, lines: readFileSync(lines, 'utf8').split('\n').slice(0, -1) })
  writeFileSync(lines, '')
  return gist
}
