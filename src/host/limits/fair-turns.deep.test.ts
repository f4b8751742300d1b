// Measures how long a tenant waits while another one floods the host, as a ratio to the same host when it is quiet.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { watchEventLoop } from '../../testing/event-loop.ts'
import { endedRun, runToEnd, startRun } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { testSessions } from '../../testing/hosts/test-sessions.ts'
import { gate, talkingChat } from '../../testing/models/talking-chat.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'

const MINUTES = 60_000
let host: TestHost
let other: TestHost['ask']
beforeAll(async () => {
  host = await startHost()
  const { key } = await host.makeKey('umbrella')
  other = (method, path, more = {}) => host.ask(method, path, { ...more, key })
})
afterAll(() => host.close())

const variables = [{ name: 'topic', type: 'string' }]

async function runOf(ask: TestHost['ask'], count: number, topic: string): Promise<string> {
  const nodes = Array.from({ length: count }, (_, index) => ({ id: `n${index}` }))
  await ask('PUT', `/v1/workflows/w${count}`, { body: { id: `w${count}`, objective: 'Write.', nodes, variables } })
  return (await runToEnd(ask, { workflowId: `w${count}`, inputs: { topic } }))[0]!.runId
}

/** 48 kB in 600 lines. Texts of different words share no line. */
const lines = (word: string): string => Array.from({ length: 600 }, (_, n) => `${word} ${n} ${'x'.repeat(65)}`).join('\n')

/** The median duration of sequential requests. */
async function medianMs(ask: () => Promise<unknown>, until: () => boolean): Promise<number> {
  const times: number[] = []
  do {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  } while (!until())
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

it(
  'reliability D2: diffs and exports of one tenant leave the event loop to others',
  async () => {
    const [a, b] = [await runOf(host.ask, 100, lines('one')), await runOf(host.ask, 100, lines('two'))]
    const theirs = await runOf(other, 1, 'short')
    const ask = () => other('GET', `/v1/runs/${theirs}`)
    let left = 200
    const quiet = await medianMs(ask, () => --left === 0)
    for (const question of [`/v1/runs/${a}/diff?with=${b}`, `/v1/runs/${a}:export`, `/v1/runs/${a}/replay`]) {
      let done = false
      const flood = Promise.all(Array.from({ length: 8 }, () => host.ask('GET', question))).finally(() => {
        done = true
      })
      const { value: busy, tookMs, longestMs } = await watchEventLoop(() => medianMs(ask, () => done))
      expect((await flood).map(({ status }) => status)).toEqual(Array(8).fill(200))
      console.log(question.replace(/^.*[/:]/, ''), { tookMs, longestMs, quiet, busy })
      // Without time slices, one of the eight questions would block for an eighth of the time.
      expect(longestMs / tookMs).toBeLessThan(0.1)
      expect(busy / quiet).toBeLessThan(40)
    }
  },
  10 * MINUTES,
)

it(
  'openwop D8: a hundred forks of a run of 60 nodes delay another tenant’s fork by a small factor',
  async () => {
    const [long, short] = [await runOf(host.ask, 60, 'long'), await runOf(other, 1, 'short')]
    const fork = async (ask: TestHost['ask'], runId: string): Promise<string> =>
      (await ask('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay' } })).body.runId
    const timed = async () => {
      const began = performance.now()
      await endedRun(other, await fork(other, short))
      return performance.now() - began
    }
    await timed()
    const quiet = await timed()
    const theirs = await Promise.all(Array.from({ length: 100 }, () => fork(host.ask, long)))
    const busy = await timed()
    const { body } = await host.ask('GET', '/v1/runs?status=running&limit=200')
    console.log({ quiet, busy, open: body.items.length })
    expect(body.items.length).toBeGreaterThan(theirs.length * 0.9)
    expect(busy / quiet).toBeLessThan(40)
  },
  10 * MINUTES,
)

it(
  'reliability D16: many runs of one tenant do not starve one run of another',
  async () => {
    const { open: release, passed } = gate()
    const models = talkingChat(async () => {
      await passed
      return 'Noted.'
    })
    const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
    const flooded = await startHost({}, { store, sessions: testSessions(store, undefined, { models }) })
    const { key } = await flooded.makeKey('umbrella')
    const theirs: TestHost['ask'] = (method, path, more = {}) => flooded.ask(method, path, { ...more, key })
    const nodes = Array.from({ length: 3 }, (_, index) => ({ id: `n${index}` }))
    const edges = nodes.slice(1).map(({ id }, index) => ({ from: `n${index}`, to: id }))
    for (const ask of [flooded.ask, theirs])
      await ask('PUT', '/v1/workflows/chain', { body: { id: 'chain', objective: 'Write.', nodes, edges } })
    const flood: string[] = []
    while (flood.length < 200) flood.push(await startRun(flooded.ask, { workflowId: 'chain' }))
    // The last run in the queue. Then all of them continue at once.
    const last = await startRun(theirs, { workflowId: 'chain' })
    release()
    await endedRun(theirs, last)
    for (const runId of flood) await endedRun(flooded.ask, runId)
    const endOf = async (ask: TestHost['ask']): Promise<readonly string[]> =>
      (await ask('GET', '/v1/runs?limit=200')).body.items.map(({ changedAt }: { readonly changedAt: string }) => changedAt)
    const [end] = await endOf(theirs)
    const later = (await endOf(flooded.ask)).filter(one => one > end!)
    console.log({ later: later.length })
    expect(later.length).toBeGreaterThan(flood.length / 2)
    await flooded.close()
  },
  10 * MINUTES,
)
