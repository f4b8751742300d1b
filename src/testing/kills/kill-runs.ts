// Runs on one record whose hosts are killed, one after the other, until there were so many kills. Every restart goes on from what was left.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { createKey } from '../../engine/access.ts'
import { publishAgent } from '../../engine/definitions/agents.ts'
import { publishWorkflow } from '../../engine/definitions/workflows.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/projections.ts'
import { listRuns } from '../../engine/runs/runs.ts'
import { commitChanges } from '../../engine/workspaces/commit.ts'
import type { Store } from '../../ports.ts'
import { events, type LoopbackChat, loopbackChat } from '../loopback-chat.ts'
import { clock, freshPath } from '../sqlite-place.ts'
import { testRuns } from '../test-runs.ts'
import { checkRecord, checkRun, type Gist, gistOf, type HeardRequest, isOnRecord, spelled, TENANT } from './check-run.ts'
import { type Client, doom, follow, type KilledHost, startKilledHost } from './killed-host.ts'
import { AGENT, askedBy, FACTS, HOME, say, type WireMessage, WORKFLOW } from './twenty-nodes.ts'

/** What a model takes for an answer, at most. */
const SLOWEST_MS = 40

export interface Killed {
  readonly kills: number
  readonly runs: number
  readonly told: number
  readonly heard: number
}

interface Place {
  readonly path: string
  readonly lines: string
  readonly key: string
  readonly chat: LoopbackChat
  readonly heard: HeardRequest[]
  readonly hears: EventEmitter
  /** Requests that were not on record when they came. */
  readonly early: HeardRequest[]
}

export async function killRuns(kills: number): Promise<Killed> {
  const place = await furnish()
  let expected: Gist | null = null
  let [killed, runs, told] = [0, 0, 0]
  try {
    // Nobody disturbs the first one: the others have to end like it.
    for (; expected === null || killed < kills; runs++) {
      const undisturbed: boolean = expected === null
      const client: Client = { runId: null, told: new Map() }
      let isOver = false
      while (!isOver) {
        const dies = !undisturbed && killed < kills
        const host = startKilledHost(place.path, place.lines, place.chat.url)
        isOver = await live(place, host, client, `run ${runs}`, dies)
        if (!isOver) killed++
      }
      told += client.told.size
      expected = await withStore(place.path, store => checkEnd(store, place, client, expected))
    }
    await withStore(place.path, async store => {
      await checkRecord(store)
      const listed: string[] = []
      for await (const { runId } of listRuns(store, TENANT)) listed.push(runId)
      assert.equal(listed.length, runs, 'a run was asked for once and is there twice')
    })
    assert.deepEqual(place.early, [])
    return { kills: killed, runs, told, heard: place.heard.length }
  } finally {
    await place.chat.close()
  }
}

/** One life of a host; whether it saw the end of the run. */
async function live(place: Place, host: KilledHost, client: Client, name: string, dies: boolean): Promise<boolean> {
  try {
    const following = follow(host, place.key, client, name)
    const killed = dies ? doom(host, place.hears).then(() => false) : new Promise<never>(() => {})
    const isOver = await Promise.race([following, killed])
    if (!isOver) assert(dies, 'the host ended by itself')
    return isOver
  } finally {
    host.child.kill('SIGKILL')
    await host.ended
    assert.equal(host.complaints(), '')
  }
}

async function checkEnd(store: Store, { heard, lines }: Place, { runId, told }: Client, expected: Gist | null): Promise<Gist> {
  const gist = await gistOf(store, runId!)
  if (expected !== null) assert.deepEqual(gist, expected)
  const own = heard.filter(({ run }) => run === runId)
  await checkRun(store, { runId: runId!, told, heard: own, lines: readFileSync(lines, 'utf8').split('\n').slice(0, -1) })
  writeFileSync(lines, '')
  return gist
}

async function withStore<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** A record with a workflow, an agent whose home has adopted a workspace, and a key; and a model that outlives every host. */
async function furnish(): Promise<Place> {
  const path = freshPath()
  const lines = `${path}.lines`
  writeFileSync(lines, '')
  const [heard, early]: [HeardRequest[], HeardRequest[]] = [[], []]
  const hears = new EventEmitter()
  let words = 0
  const chat = await loopbackChat('openai', (response, { body }) => {
    const { messages } = JSON.parse(body) as { readonly messages: readonly WireMessage[] }
    const request = { ...askedBy(messages), key: spelled(messages) }
    heard.push(request)
    hears.emit('heard')
    void withStore(path, store => isOnRecord(store, request)).then(isThere => {
      if (!isThere) early.push(request)
      const said = events(
        'openai',
        say(messages, () => `word-${++words}`),
      )
      setTimeout(() => response.setHeader('content-type', 'text/event-stream').end(said), Math.random() * SLOWEST_MS)
    })
    return undefined
  })
  const key = await withStore(path, async store => {
    const writer = { tenant: TENANT, policy: EVERYTHING, actor: 'test' }
    const changes = [{ path: FACTS.path, write: new TextEncoder().encode(FACTS.text) }]
    await commitChanges(store, writer, { workspace: 'desk', changes })
    await publishAgent(store, writer, AGENT)
    await publishWorkflow(store, writer, WORKFLOW)
    const { sessions, close } = testRuns(store)
    const home = { tenant: TENANT, session: HOME, actor: 'test' }
    await sessions.submit(home, { type: 'create', session: HOME, config: { ...emptyConfig, workspace: { name: 'desk', version: null } } })
    await sessions.submit(home, { type: 'requestSync' })
    await sessions.quiet(TENANT, HOME)
    await sessions.submit(home, { type: 'requestApply', when: 'immediate_if_idle' })
    await close()
    const made = await createKey(store, (bytes, as) => randomBytes(bytes).toString(as), {
      tenant: TENANT,
      scopes: ['runs:create', 'runs:read'],
      actor: 'test',
    })
    return made.key
  })
  return { path, lines, key, chat, heard, hears, early }
}
