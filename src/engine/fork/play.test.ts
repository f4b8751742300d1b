// A run replayed to its end from its record alone: identical from any starting event, and every difference named.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import { type RunEvent, runStream } from '../../core/run/events.ts'
import type { RunState } from '../../core/run/state.ts'
import type { Store } from '../../ports.ts'
import { withHistory, withoutObject } from '../../testing/mutations/changed-store.ts'
import { readStory, recordedStory, type Story } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { replayRun } from '../replay/replay.ts'
import { createFork } from './create.ts'
import { type Played, playFork } from './play.ts'

let house: RunHouse
let story: Story
let [tick, forks] = [0, 0]
/** No two commits at one moment: a fork can begin at each. */
const ticking = () => new Date(Date.UTC(2026, 0, 1) + tick++).toISOString()
beforeAll(async () => {
  house = await recordedStory(memoryStore(ticking, PRODUCT_PROJECTIONS))
  story = await readStory(house)
})
afterAll(async () => {
  await house.close()
  await house.store.close()
})

async function replayed(fromSeq = 0, from: Store = house.store): Promise<Played & { readonly forkId: string }> {
  const forkId = `f${forks++}`
  await createFork(house.store, TENANT, { runId: 'r1', forkId, mode: 'replay', fromSeq, actor: 'ada' }, from)
  return { ...(await playFork({ store: house.store, tenant: TENANT, forkId, from })), forkId }
}

/** Without what tells one from the other. */
const plain = ({ forkOf: _, nodes, runId: __, ...state }: RunState) => ({
  ...state,
  nodes: Object.fromEntries(Object.entries(nodes).map(([id, { session: ___, ...node }]) => [id, node])),
})

describe('a run with calls that are allowed, refused and fail, and a mode that changes', () => {
  it('comes out as it was, event for event', async () => {
    const { run, divergences, forkId } = await replayed()
    expect(divergences).toEqual([])
    expect(await house.story(forkId)).toEqual(await house.story('r1'))
    expect(plain(run.state)).toEqual(plain(await house.state('r1')))
  })

  it('comes out as it was from any of its events, and what was before is taken over as it was', async () => {
    const copied = new Map<number, number>()
    // All of them in test:deep.
    for (let fromSeq = 0; fromSeq < story.events.length; fromSeq += process.env.ONBOOK_EVERY_EVENT === undefined ? 5 : 1) {
      const { run, divergences, forkId } = await replayed(fromSeq)
      expect([fromSeq, divergences, await house.story(forkId)]).toEqual([fromSeq, [], await house.story('r1')])
      expect(plain(run.state)).toEqual(plain(await house.state('r1')))
      copied.set(fromSeq, run.state.forkOf!.copied)
    }
    expect([...copied].every(([fromSeq, count]) => count <= fromSeq)).toBe(true)
    // Where it begins moves on with the event: nowhere is more made again than what one commit wrote.
    expect(new Set(copied.values()).size).toBeGreaterThan(copied.size / 4)
  })

  it('is itself a run whose record holds: its decisions come out the same', async () => {
    const { forkId } = await replayed(12)
    expect(await replayRun(house.store, TENANT, forkId)).toMatchObject({ identical: true, prompts: 4, verdicts: 2 })
  })

  it('can be forked in turn, and its prompts still name the first', async () => {
    const { forkId } = await replayed()
    await createFork(house.store, TENANT, { runId: forkId, forkId: 'second', mode: 'replay', fromSeq: 0, actor: 'ada' })
    const { run, divergences } = await playFork({ store: house.store, tenant: TENANT, forkId: 'second' })
    expect([divergences, run.state.forkOf?.runId, run.state.forkOf?.names.runId]).toEqual([[], forkId, 'r1'])
    expect((await house.prompts('writer', 'second'))[0]).toContain('r1')
  })
})

/** The source as if its record said something else, tied together anew. */
const changed = (isMeant: (event: RecordedEvent) => boolean, change: (payload: Record<string, Json>) => object): [Store, number] => {
  const { seq } = story.events.find(isMeant)!
  const other = (event: RecordedEvent): RecordedEvent =>
    event.seq === seq
      ? { ...event, payload: { ...(event.payload as object), ...change(event.payload as Record<string, Json>) } as Json }
      : event
  return [withHistory(house.store, [runStream('r1')], other), seq]
}

const of = (type: RunEvent['type'], nodeId?: string) => (event: RecordedEvent) =>
  event.type === type && (nodeId === undefined || (event.payload as { nodeId?: string }).nodeId === nodeId)

describe('a source that says something else', () => {
  const zero = `sha256:${'0'.repeat(64)}`
  const cases: readonly [string, Parameters<typeof changed>, Partial<Divergence>][] = [
    [
      'which template was chosen',
      [of('prompt.traced'), () => ({ resolved: 'prompt:other@1.0.0' })],
      { point: 'agent.promptResolved', field: 'resolved' },
    ],
    [
      'what was composed',
      [of('prompt.composed', 'reader'), () => ({ ref: 'prompt:other@1.0.0' })],
      { point: 'prompt.composed', field: 'ref' },
    ],
    [
      'the hash of a variable',
      [of('prompt.composed', 'reader'), ({ variableHashes }) => ({ variableHashes: { ...(variableHashes as object), topic: zero } })],
      { point: 'prompt.composed' },
    ],
    ['what was sent', [of('step.started', 'reader'), () => ({ requestHash: zero })], { point: 'step.started', field: 'requestHash' }],
    [
      'what a call was judged to be',
      [of('call.judged'), ({ verdict }) => ({ verdict: { ...(verdict as object), decision: 'waiting' } })],
      { point: 'call.judged' },
    ],
    ['which edges held', [of('node.completed', 'writer'), () => ({ edges: [] })], { point: 'node.completed', field: 'edges' }],
    ['who was started', [of('node.started', 'reader'), () => ({ nodeId: 'nobody' })], { point: 'node.started' }],
  ]

  it.each(cases)('about %s diverges there, goes on, and says so in its own stream', async (_, change, where) => {
    const [from, sequence] = changed(...change)
    const { run, divergences, forkId } = await replayed(0, from)
    expect(divergences[0]).toMatchObject({ sequence, ...where })
    expect(run.state.phase).toBe('completed')
    const told = (await house.events(forkId)).find(event => event.type === 'replay.diverged')
    expect(told).toMatchObject({ sourceRunId: 'r1', atSequence: sequence, originalEventId: `r1:${sequence}`, divergencePoint: where.point })
  })
})

describe('what is not on record', () => {
  it('fails the node that needs it; nobody is asked in its place', async () => {
    const settled = story.events.find(of('step.settled', 'reader'))!
    const { reply } = settled.payload as unknown as { reply: Digest }
    const gone = { ...withoutObject(house.store, reply, null) }
    const forkId = `f${forks++}`
    await createFork(gone, TENANT, { runId: 'r1', forkId, mode: 'replay', fromSeq: 0, actor: 'ada' })
    const { run } = await playFork({ store: gone, tenant: TENANT, forkId })
    expect(run.state).toMatchObject({ phase: 'failed', failure: { code: 'replay_source_missing', failedNodeId: 'reader' } })
    expect(run.state.failure!.detail).toContain(reply)
  })

  it('a record that ends before its run does ends the replay there, without a divergence', async () => {
    const short: Store = {
      ...house.store,
      async *pages(tenant, stream, after) {
        for await (const page of house.store.pages(tenant, stream, after))
          yield [...page].filter(({ event }) => stream !== runStream('r1') || event.seq < 11)
      },
      head: (tenant, stream) => house.store.head(tenant, stream),
    }
    const { run, divergences } = await replayed(0, short)
    expect(run.state).toMatchObject({ phase: 'failed', failure: { code: 'replay_source_missing', failedNodeId: 'writer' } })
    expect(divergences.filter(({ point }) => point !== 'event')).toEqual([])
  })
})

it('a sequence that the source does not have is refused, and nothing is written', async () => {
  await expect(replayed(story.events.length)).rejects.toMatchObject({ code: 'fork_sequence_missing' })
})
