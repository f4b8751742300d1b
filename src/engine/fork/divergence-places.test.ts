// A result that differs from the source is reported at its place, wherever the source records it, and never counts as identical.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { runStream } from '../../core/run/events.ts'
import type { Store } from '../../ports.ts'
import { withHistory, withoutObject, withReads } from '../../testing/mutations/changed-store.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { readStory, recordedStory, type Story } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { walkedByTwo } from '../../testing/stories/walked-by-two.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { messageObject } from '../sessions/requests.ts'
import { createFork } from './create.ts'
import { forkWork } from './forks.ts'
import { playFork } from './play.ts'
import { replayByFork } from './replay-by-fork.ts'

let house: RunHouse
let story: Story
let tick = 0
const validator = sharedValidator()
const ticking = () => new Date(Date.UTC(2026, 0, 1) + tick++).toISOString()
beforeAll(async () => {
  house = await recordedStory(memoryStore(ticking, PRODUCT_PROJECTIONS))
  story = await readStory(house)
})
afterAll(async () => {
  await house.close()
  await validator.close()
})

const failed = (error: Error): never => {
  throw error
}
const replay = (store: Store, forkId: string, from: Store = store, fromSeq = 0) =>
  createFork(store, TENANT, { runId: 'r1', forkId, mode: 'replay', fromSeq, actor: 'ada' }, from)
const told = async (runId: string) => (await house.events(runId)).flatMap(event => (event.type === 'replay.diverged' ? [event] : []))
const of = (type: string, nodeId: string) => (event: RecordedEvent) =>
  event.type === type && (event.payload as { nodeId?: string }).nodeId === nodeId
const changed = (events: readonly RecordedEvent[], which: (event: RecordedEvent) => boolean, change: Json) => {
  const { seq } = events.find(which)!
  return (event: RecordedEvent): RecordedEvent =>
    event.seq === seq ? { ...event, payload: { ...(event.payload as object), ...(change as object) } as unknown as Json } : event
}

it('level 3 does not say identical when what differs was met by another process that walks the same fork', async () => {
  const change = changed(story.events, of('node.completed', 'reader'), { output: story.objects.inputs as string })
  const from = withHistory(house.store, [runStream('r1')], change)
  let first = true
  const to: Store = {
    ...house.store,
    async commit(commit) {
      const done = await house.store.commit(commit)
      if (first && (await house.events('shared')).length > 0) {
        first = false
        await playFork({ store: { ...house.store }, tenant: TENANT, forkId: 'shared', from })
      }
      return done
    },
  }
  const { identical } = await replayByFork({ from, to, tenant: TENANT, runId: 'r1', forkId: 'shared', actor: 'ada', hostDefaults: null })
  expect([(await told('shared')).length > 0, identical]).toEqual([true, false])
})

it('a source that says something after its end is not identical', async () => {
  const [first] = story.events
  const log = { type: 'override.given', nodeId: null, text: story.objects.inputs } as const
  const longer: Store = withHistory(
    withReads(house.store, async function* (tenant, stream, after) {
      yield* house.store.read(tenant, stream, after)
      if (stream !== runStream('r1')) return
      const { type, ...payload } = log
      const event = { ...first!, seq: story.events.length, type, payload: payload as unknown as Json }
      yield { event, bytes: new Uint8Array() }
    }),
    [runStream('r1')],
    event => event,
  )
  await replay(house.store, 'longer', longer)
  const { divergences } = await playFork({ store: house.store, tenant: TENANT, forkId: 'longer', from: longer })
  expect(divergences).toHaveLength(1)
})

it('a source that has another result of a call than was made again is not identical', async () => {
  const change = changed(story.events, of('call.settled', 'writer'), { result: story.objects.inputs as string })
  const from = withHistory(house.store, [runStream('r1')], change)
  await replay(house.store, 'said', from)
  const { divergences } = await playFork({ store: house.store, tenant: TENANT, forkId: 'said', from })
  expect(divergences).not.toEqual([])
})

it('what is not on record is told where it would be, and names no event as its original', async () => {
  const gone = story.events.find(of('prompt.composed', 'reader'))!.seq
  const from = withHistory(
    withReads(house.store, async function* (tenant, stream, after) {
      for await (const one of house.store.read(tenant, stream, after)) if (stream !== runStream('r1') || one.event.seq !== gone) yield one
    }),
    [runStream('r1')],
    event => event,
  )
  await replay(house.store, 'extra', from)
  await playFork({ store: house.store, tenant: TENANT, forkId: 'extra', from })
  const [event] = (await told('extra')).filter(({ divergenceKind }) => divergenceKind === 'extra')
  expect([event?.divergencePoint, event?.atSequence, event?.originalEventId ?? null]).toEqual(['prompt.composed', gone, null])
})

it('a replay takes no message through its sessions, not even between two of its nodes', async () => {
  await replay(house.store, 'half')
  let at = 0
  const until: Store = {
    ...house.store,
    async commit(commit) {
      const done = await house.store.commit(commit)
      at = (await house.events('half')).findIndex(event => event.type === 'node.completed' && event.nodeId === 'writer')
      if (at >= 0) throw new Error('gone')
      return done
    },
  }
  await playFork({ store: until, tenant: TENANT, forkId: 'half' }).catch(() => {})
  expect((await house.state('half')).phase).toBe('running')
  const { digest, objects } = await messageObject(house.store, TENANT, 'Do something else.')
  const message = { kind: 'follow-up', id: 'c1', message: digest } as const
  const said = await house.runs
    .submit(
      { tenant: TENANT, runId: 'half', actor: 'ada' },
      { type: 'turn', nodeId: 'writer', command: { type: 'leaveMessage', message } },
      { objects },
    )
    .then(
      ({ refusal }) => refusal?.code,
      error => error.code,
    )
  expect(said).toBe('run_is_replay')
})

it('a branch from the last event of a replay that diverged is refused, or goes on with what it was given', async () => {
  const change = changed(story.events, ({ type }) => type === 'run.completed', { outputs: story.objects.inputs as string })
  const from = withHistory(house.store, [runStream('r1')], change)
  await replay(house.store, 'otherwise', from)
  await playFork({ store: house.store, tenant: TENANT, forkId: 'otherwise', from })
  const events = await house.events('otherwise')
  expect(events.at(-1)!.type).toBe('replay.diverged')
  const forks = forkWork({ store: house.store, validator, runs: house.runs, hostDefaults: {}, failed })
  const place = { tenant: TENANT, runId: 'over', actor: 'ada' }
  const overlay = { override: 'Be brief.', mode: 'implementation' } as const
  const done = await forks.fork(place, 'otherwise', { mode: 'branch', fromSeq: events.length - 1, overlay }).then(
    () => 'made',
    error => (error as { code: string }).code,
  )
  const isGiven = (await house.events('over')).some(({ type }) => type === 'override.given')
  expect([done, isGiven]).not.toEqual(['made', false])
})

it('another process that comes further just before a commit of the first changes nothing', async () => {
  await walkedByTwo(house, 3, [0, 6, 11])
})

it('one that cannot be walked to its end is ended, with the reason', async () => {
  const heard: string[] = []
  let reads = 0
  const store: Store = {
    ...house.store,
    pages: (tenant, stream, after) => {
      // Once to be put on record, once to be walked.
      if (stream === runStream('r1') && reads++ > 0) throw new Error('gone')
      return house.store.pages(tenant, stream, after)
    },
  }
  const forks = forkWork({ store, validator, runs: house.runs, hostDefaults: {}, failed: error => void heard.push(error.message) })
  await forks.fork({ tenant: TENANT, runId: 'stuck', actor: 'ada' }, 'r1', { mode: 'replay', fromSeq: 0 })
  await forks.quiet()
  expect([heard, await house.state('stuck')]).toMatchObject([['gone'], { phase: 'failed', failure: { code: 'internal_error' } }])
})

it('a source elsewhere of which something was erased is made again up to there', async () => {
  const settled = story.events.find(of('step.settled', 'reader'))!
  const { reply } = settled.payload as unknown as { reply: Digest }
  const to = memoryStore(ticking, PRODUCT_PROJECTIONS)
  const from = withoutObject(house.store, reply, null)
  const { phase, identical } = await replayByFork({
    from,
    to,
    tenant: TENANT,
    runId: 'r1',
    forkId: 'part',
    actor: 'ada',
    hostDefaults: null,
  })
  expect([phase, identical]).toEqual(['failed', false])
})
