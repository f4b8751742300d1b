// Differences between real runs: each test changes one thing, and the diff names exactly that. Real store, real runs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { runStream } from '../../core/run/events.ts'
import type { Store } from '../../ports.ts'
import { withHistory, withObject, withoutObject } from '../../testing/mutations/changed-store.ts'
import { missedByDiff } from '../../testing/mutations/diff-mutations.ts'
import { honestStore } from '../../testing/mutations/honest-store.ts'
import { POLICY, readStory, recordedStory, type Story } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { createFork } from '../fork/create.ts'
import { HOST_POLICY, recordConfig } from '../policy/record-config.ts'
import { diffRuns, diffSteps } from './diff-runs.ts'

let house: RunHouse
let story: Story
beforeAll(async () => {
  house = await recordedStory()
  story = await readStory(house)
})
afterAll(async () => {
  await house.close()
  await house.store.close()
})

const side = (store = house.store) => ({ store, tenant: TENANT, runId: 'r1' })
const STREAMS = [runStream('r1')]
it('a run and itself are the same', async () => {
  expect(await diffRuns(side(), side())).toEqual({ same: true, decisions: [], texts: [], left: 0 })
})

it('20 changes, each of one thing: all are named as what they are, and from either side', async () => {
  expect(await missedByDiff(story, 20, 1)).toEqual([])
})

const rewritten = (change: (event: RecordedEvent, payload: Record<string, Json>) => object | null) =>
  withHistory(house.store, STREAMS, event => {
    const changed = change(event, event.payload as Record<string, Json>)
    return changed === null ? event : { ...event, payload: { ...(event.payload as object), ...changed } as Json }
  })

it('what holds for several steps is named where it begins, and its place with it', async () => {
  const store = rewritten(({ type }, payload) => {
    const request = payload.request as { parameters: object }
    return type === 'step.started' ? { request: { ...request, parameters: { provider: 'scripted', model: 'large' } } } : null
  })
  const { decisions } = await diffRuns(side(), side(store))
  expect(decisions).toEqual([
    { what: 'model', nodeId: 'writer', visit: 1, step: 1, a: 'scripted small', b: 'scripted large' },
    { what: 'model', nodeId: 'reader', visit: 1, step: 1, a: 'scripted small', b: 'scripted large' },
  ])
  expect((await diffRuns(side(), side(store), 'reader')).decisions).toHaveLength(1)
  await expect(diffRuns(side(), side(store), 'nobody')).rejects.toMatchObject({ code: 'node_missing' })
})

it('a layer that won here and lost there is named, and the template only where it is another', async () => {
  const store = rewritten(({ type }, payload) => {
    if (type !== 'step.started' || payload.nodeId !== 'writer') return null
    const prompt = payload.prompt as { templates: { kind: string }[] }
    return {
      prompt: { ...prompt, templates: prompt.templates.map(one => (one.kind === 'system' ? { ...one, layer: 'workflow-defaults' } : one)) },
    }
  })
  expect((await diffRuns(side(), side(store))).decisions).toEqual([
    { what: 'layer', nodeId: 'writer', visit: 1, step: 1, kind: 'system', a: 'node', b: 'workflow-defaults' },
  ])
})

it('what came of a call is compared only where both made the same call', async () => {
  const settled = story.events.filter(({ type }) => type === 'step.settled')[1]!
  const { reply } = settled.payload as unknown as { reply: Digest }
  const results = rewritten(({ type }, { tool }) =>
    type === 'call.settled' && tool === 'write_file' ? { result: story.objects.inputs } : null,
  )
  const asked = withObject(results, reply, text => text.replace('src/a.ts', 'src/b.ts'))
  const whats = async (store: Store) => (await diffRuns(side(), side(store))).decisions.map(({ what }) => what)
  expect(await whats(results)).toEqual(['result'])
  expect(await whats(await honestStore(asked, TENANT, STREAMS))).toEqual(['reply'])
})

it('a node, a step and an outcome that only one has', async () => {
  const cut = story.events.find(({ type, payload }) => type === 'step.started' && (payload as { step: number }).step === 3)!.seq
  const store = {
    ...house.store,
    async *read(...[tenant, stream, after]: Parameters<typeof house.store.read>) {
      for await (const stored of house.store.read(tenant, stream, after)) if (stream !== STREAMS[0] || stored.event.seq < cut) yield stored
    },
  }
  const { decisions } = await diffRuns(side(), side(store))
  expect(decisions.map(({ what, nodeId, step, a, b }) => [what, nodeId, step, a, b])).toEqual([
    ['outcome', undefined, undefined, 'completed', 'running'],
    ['outcome', 'writer', undefined, 'completed', null],
    ['step', 'writer', 3, 'taken', null],
    ['node', 'reader', undefined, 'completed, 1 step', null],
  ])
})

it('a text that was erased is said to be, and nothing is guessed', async () => {
  const { prompt } = story.events.find(({ type }) => type === 'step.started')!.payload as unknown as {
    prompt: { blocks: { task: Digest } }
  }
  const { task } = prompt.blocks
  const other = rewritten(({ type }, payload) =>
    type === 'step.started' && (payload.prompt as { blocks: { task: Digest } }).blocks.task === task
      ? {
          prompt: {
            ...(payload.prompt as object),
            blocks: { ...(payload.prompt as { blocks: object }).blocks, task: story.objects.inputs },
          },
        }
      : null,
  )
  const [text] = (await diffRuns(side(withoutObject(house.store, task, null)), side(other))).texts
  expect(text).toMatchObject({
    nodeId: 'writer',
    visit: 1,
    step: 1,
    block: 'task',
    a: task,
    b: story.objects.inputs,
    hunks: null,
    why: 'erased',
  })
})

it('of one node tells the mode too, though the whole run has another', async () => {
  const store = withHistory(house.store, [runStream('r1')], event => {
    const payload = event.payload as Record<string, Json>
    const mode = payload.mode === 'planning' ? 'implementation' : 'planning'
    if (event.type === 'run.created') return { ...event, payload: { ...payload, mode } }
    if (event.type !== 'step.started') return event
    const prompt = payload.prompt as Record<string, Json>
    return { ...event, payload: { ...payload, prompt: { ...prompt, mode: prompt.mode === 'planning' ? 'implementation' : 'planning' } } }
  })
  expect((await diffRuns(side(), side(store))).decisions).toContainEqual(expect.objectContaining({ what: 'mode' }))
  expect((await diffRuns(side(), side(store), 'writer')).decisions).toContainEqual(
    expect.objectContaining({ what: 'mode', nodeId: 'writer', step: 1 }),
  )
})

it.each([
  ['inputs', 'run.created'],
  ['values', 'prompt.composed'],
  ['tools', 'step.started'],
  ['reply', 'step.settled'],
])('is the same as itself without its %s, but for what cannot be compared', async (which, type) => {
  const payload = story.events.find(event => event.type === type)!.payload as Record<string, Json>
  const digest = (which === 'tools' ? (payload.request as { tools: Json[] }).tools[0] : payload[which]) as Digest
  const erased = withoutObject(house.store, digest, null)
  const { decisions, texts } = await diffRuns(side(), side(erased))
  expect(decisions).toEqual([])
  expect(texts.map(({ why }) => why)).toEqual(which === 'reply' ? ['erased'] : [])
})

describe('with its fork', () => {
  beforeAll(async () => {
    const { seq } = await house.store.head(TENANT, runStream('r1'))
    await recordConfig(house.store, 'ada', { ...POLICY, grants: [] } as unknown as JsonObject, POLICY as unknown as JsonObject, HOST_POLICY)
    await createFork(house.store, TENANT, { runId: 'r1', forkId: 'f1', mode: 'branch', fromSeq: seq, actor: 'ada' })
  })
  const fork = (store: Store = house.store) => ({ store, tenant: TENANT, runId: 'f1' })

  it('names no policy for steps that were taken over: they were taken under the one that held then', async () => {
    expect((await diffRuns(side(), fork())).decisions.filter(({ what }) => what === 'policy')).toEqual([])
  })

  it('shows of a text only what is different, and not the name that both have', async () => {
    const { task } = (story.events.find(({ type }) => type === 'step.started')!.payload as { prompt: { blocks: { task: Digest } } }).prompt
      .blocks
    const text = `${new TextDecoder().decode(await house.store.object(TENANT, task))}\nMore.\n`
    const changed: Store = {
      ...withHistory(house.store, [runStream('f1')], event => ({
        ...event,
        payload: JSON.parse(JSON.stringify(event.payload).replaceAll(task, digestText(text))) as Json,
      })),
      object: (tenant, digest) =>
        digest === digestText(text) ? Promise.resolve(new TextEncoder().encode(text)) : house.store.object(tenant, digest),
    }
    const { texts } = await diffRuns(side(), fork(changed))
    const tasks = texts.filter(({ block }) => block === 'task')
    const removed = tasks.flatMap(({ hunks }) => hunks!.flatMap(({ lines }) => lines.filter(line => line.startsWith('-'))))
    expect(tasks).toHaveLength(1)
    expect(removed).toEqual([])
  })
})

describe('two steps of one run', () => {
  it('tell what changed from one to the other', async () => {
    const { decisions, texts } = await diffSteps(side(), 'writer', { step: 2 }, { visit: 1, step: 3 })
    expect(decisions.map(({ what, a, b }) => [what, a, b])).toEqual([
      ['mode', 'implementation', 'planning'],
      ['tools', expect.arrayContaining(['probe']), expect.arrayContaining(['probe'])],
      ['history', expect.any(Number), expect.any(Number)],
      ['reply', expect.stringContaining('write_file'), 'The writer has said it, time 3.'],
    ])
    expect(texts.map(({ block }) => block)).toEqual(['mode', 'reply'])
  })

  it('are the same when they are one', async () => {
    expect((await diffSteps(side(), 'writer', { step: 1 }, { step: 1 })).same).toBe(true)
  })

  it('must be there', async () => {
    await expect(diffSteps(side(), 'writer', { step: 1 }, { step: 9 })).rejects.toMatchObject({ code: 'node_missing' })
    await expect(diffSteps(side(), 'writer', { step: 1 }, { visit: 2, step: 1 })).rejects.toMatchObject({ code: 'node_missing' })
  })
})

it('a run that is not there is a fault', async () => {
  await expect(diffRuns(side(), { ...side(), runId: 'nothing' })).rejects.toMatchObject({ code: 'run_missing' })
})
