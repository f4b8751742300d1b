// One sequence of a session and of the runs that worked in it: its order, and reading on from every place.
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import type { Json } from '../../core/digest/digest.ts'
import { readStory, STORY_START, type StoryItem, type StoryPlace } from './read-story.ts'

const OF = { tenant: 'acme', session: 'writer' }
type Draft = readonly [type: string, payload?: Json]

/** Commits with the millisecond of each. */
async function recorded(commits: readonly (readonly [ms: number, ...appends: (readonly [stream: string, ...Draft[]])[]])[]) {
  let now = 0
  const store = memoryStore(() => new Date(now).toISOString())
  const write = async ([ms, ...appends]: (typeof commits)[number]) => {
    now = ms
    const at = async ([stream, ...drafts]: readonly [stream: string, ...Draft[]]) => ({
      stream,
      expected: (await store.head('acme', stream)).seq,
      entries: drafts.map(([type, payload = {}]) => ({ type, actor: 'test', payload })),
    })
    await store.commit({ tenant: 'acme', appends: await Promise.all(appends.map(at)) })
  }
  for (const commit of commits) await write(commit)
  return { store, write }
}

const attached = (run: number, runId: string): Draft => ['run.attached', { run, runId, nodeId: 'n' }]
const detached = (run: number, runId: string): Draft => ['run.detached', { run, runId, nodeId: 'n' }]
const started: Draft = ['node.started', { nodeId: 'n', session: 'writer' }]
const of = (nodeId: string, type: string): Draft => [type, { nodeId }]

/** A run that visits its node twice, and another run between the visits. Other nodes of it are at work too. */
const STORY = await recorded([
  [1, ['session/writer', ['session.created']]],
  [2, ['run/r1', ['run.created'], of('other', 'node.started')]],
  [3, ['session/writer', attached(1, 'r1')], ['run/r1', started, of('n', 'step.started'), of('other', 'step.started')]],
  [4, ['session/writer', ['workspace.syncRequested']]],
  [5, ['run/r1', of('n', 'calls.asked'), ['run.paused'], ['log.appended', { nodeId: 'other' }]]],
  [5, ['session/writer', ['workspace.syncFailed']]],
  [6, ['session/writer', detached(1, 'r1')], ['run/r1', of('n', 'node.completed'), of('other', 'node.completed')]],
  [6, ['session/writer', attached(2, 'r2')], ['run/r2', ['run.created'], started, of('n', 'node.failed')]],
  [6, ['session/writer', detached(2, 'r2')]],
  [7, ['session/writer', attached(3, 'r1')], ['run/r1', started, of('n', 'step.started')]],
  [8, ['session/writer', detached(3, 'r1')], ['run/r1', of('n', 'node.cancelled'), ['run.cancelling']]],
])
const ORDER = [
  'session.created',
  'run.attached',
  'run.created',
  'node.started',
  'step.started',
  'workspace.syncRequested',
  'workspace.syncFailed',
  'calls.asked',
  'run.paused',
  'node.completed',
  'run.detached',
  'run.attached',
  'run.created',
  'node.started',
  'node.failed',
  'run.detached',
  'run.attached',
  'run.created',
  'node.started',
  'step.started',
  'node.cancelled',
  'run.detached',
]

async function read(from: StoryPlace): Promise<readonly StoryItem[]> {
  const items: StoryItem[] = []
  for await (const item of readStory(STORY.store, OF, from)) items.push(item)
  return items
}

const typesOf = (items: readonly StoryItem[]): readonly string[] => items.map(({ entry }) => entry.event.type)

it('has the events of each visit between its two ends, by time, and of one millisecond the session’s first', async () => {
  expect(typesOf(await read(STORY_START))).toEqual(ORDER)
})

it('goes on from every place with what comes next, after the visit that is read again', async () => {
  const all = await read(STORY_START)
  for (const [index, { place }] of all.entries()) {
    const rest = await read(place)
    const isNew = rest.filter(({ isKnown }) => !isKnown)
    expect(typesOf(isNew)).toEqual(ORDER.slice(index + 1))
    expect(isNew.map(item => item.place)).toEqual(all.slice(index + 1).map(item => item.place))
    // The known ones are the visit so far.
    const known = typesOf(rest.filter(({ isKnown }) => isKnown))
    const first = all.slice(0, index + 1).findLastIndex(({ entry }) => entry.event.type === 'run.attached')
    const ofRun = first < 0 ? [] : all.slice(first, index + 1).filter(({ entry }, n) => n === 0 || entry.of === 'run')
    expect(known).toEqual(typesOf(ofRun))
  }
})

it('follows both streams, and ends with its signal', async () => {
  const { store, write } = await recorded([[1, ['session/writer', ['session.created']]]])
  const stop = new AbortController()
  const seen: string[] = []
  const next: (readonly [number, ...(readonly [string, ...Draft[]])[]])[] = [
    [2, ['session/writer', attached(1, 'r1')], ['run/r1', ['run.created'], started]],
    [3, ['run/r1', of('other', 'step.started')]],
    [4, ['run/r1', of('n', 'step.started')]],
    [5, ['session/writer', detached(1, 'r1')], ['run/r1', of('n', 'node.completed')]],
  ]
  const after: Readonly<Record<string, number>> = { 'session.created': 1, 'node.started': 2, 'step.started': 1 }
  for await (const { entry } of readStory(store, OF, STORY_START, stop.signal)) {
    seen.push(entry.event.type)
    setImmediate(async () => {
      for (const commit of next.splice(0, after[entry.event.type] ?? 0)) await write(commit)
    })
    if (entry.event.type === 'run.detached') stop.abort()
  }
  expect(seen).toEqual(['session.created', 'run.attached', 'run.created', 'node.started', 'step.started', 'node.completed', 'run.detached'])
})
