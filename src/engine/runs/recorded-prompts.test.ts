// The record of prompts: complete, written before sending, with the active mode and with additions by people. Cases carry the numbers of the bug list.
import { afterEach, describe, expect, it } from 'vitest'
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { readSegments } from '../../core/run/reading/stored-segments.ts'
import { type Said, textsOf } from '../../testing/models/talking-chat.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'

let house: RunHouse
afterEach(async () => {
  await house.close()
  await house.store.close()
  expect(house.runs.problems).toEqual([])
})

const one = (more: Readonly<Record<string, Json>> = {}): Json => ({ id: 'one', objective: 'Work.', nodes: [{ id: 'a' }], ...more })
const quiet = () => house.runs.quiet(TENANT, 'r1')
const working: Said = { tools: [{ toolName: 'probe', arguments: {} }] }
const never = () => new Promise<Said>(() => {})

type Step = Extract<RunEvent, { readonly type: 'step.started' }>
const steps = async (): Promise<readonly Step[]> => (await house.events()).filter(event => event.type === 'step.started')

describe('a prompt', () => {
  it('bug 1: is on record under its own hash, and so is each of its blocks', async () => {
    house = runHouse(() => 'done')
    await house.go(one({ nodes: [{ id: 'a', role: 'planner' }] }))
    const [step] = await steps()
    const { full, blocks, segments } = step!.prompt
    const text = await house.text(full)
    expect(digestText(text)).toBe(full)
    const parts = await Promise.all(Object.values(blocks).map(house.text))
    expect(Object.keys(blocks).toSorted()).toEqual(['mode', 'role', 'system', 'task'])
    expect(parts.join('\n\n')).toBe(text)
    const told = readSegments(await house.text(segments), text)
    expect(told.map(segment => segment.text).join('')).toBe(text)
  })

  it('bug 4: is on record before it is sent, and stays there when the run is cancelled', async () => {
    let known: readonly string[] = []
    house = runHouse(async ({ call }) => {
      const sent = textsOf(call).map(([, text]) => text)
      const [prompt] = await house.prompts('a')
      known = sent.filter(text => prompt?.includes(text))
      return never()
    })
    await house.create(one({ compose: 'graph' }))
    await house.chat.until('a')
    await expect.poll(() => known.length).toBe(2)
    await house.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
    await quiet()
    expect(await house.prompts('a')).toHaveLength(1)
  })

  it('bug 24: lists nodes and edges in an order that no locale changes', async () => {
    house = runHouse(() => 'done')
    const labels = ['b', 'ä', 'Z', 'a', 'É', 'z', 'A']
    await house.go(one({ nodes: labels.map((label, index) => ({ id: `n${index}`, label })) }))
    const [prompt] = await house.prompts('n0')
    const rows = prompt!.split('## Nodes\n')[1]!.split('\n\n')[0]!.split('\n')
    expect(rows.map(row => JSON.parse(row.slice(2)).label)).toEqual(['A', 'Z', 'a', 'b', 'z', 'É', 'ä'])
  })
})

describe('the mode', () => {
  it('is changed by an event, and shows in the next step and in what the gate says', async () => {
    const write: Said = { tools: [{ toolName: 'write_file', arguments: { path: 'src/a.ts' } }] }
    house = runHouse(async ({ time }) => {
      if (time === 2) await house.runs.submit(placeOf('r1'), { type: 'setMode', mode: 'planning' })
      return time < 3 ? write : 'done'
    })
    await house.go(one({ nodes: [{ id: 'a', role: 'implementer' }] }))
    const events = await house.events()
    const verdicts = events.flatMap(event => (event.type === 'call.judged' ? [event.verdict] : []))
    expect(verdicts.map(({ decision }) => decision)).toEqual(['allowed', 'refused'])
    expect(verdicts[1]!.conditions.find(({ outcome }) => outcome === 'failed')).toMatchObject({ condition: 'mode' })
    const modes = await Promise.all((await steps()).map(({ prompt }) => house.text(prompt.blocks.mode!)))
    expect(modes.map(text => text.split('\n')[0])).toEqual(['Mode: IMPLEMENTATION', 'Mode: IMPLEMENTATION', 'Mode: PLANNING'])
    expect((await steps()).map(({ prompt }) => prompt.mode)).toEqual(['implementation', 'implementation', 'planning'])
  })
})

describe('an override', () => {
  const give = (nodeId: string | null, text: string, actor: string) => {
    const stored = canonicalJson({ text })
    const objects = [new TextEncoder().encode(stored)]
    return house.runs.submit(placeOf('r1', actor), { type: 'giveOverride', nodeId, text: digestText(stored) }, { objects })
  }
  const said = async () =>
    Promise.all(
      (await steps()).map(async ({ nodeId, prompt }) => [nodeId, prompt.blocks.override ? await house.text(prompt.blocks.override) : null]),
    )

  it('bug 2: is the last block of every prompt, the node’s own before that of the run, until it is taken back', async () => {
    house = runHouse(async ({ node, time }) => {
      if (node === 'b') return 'done'
      if (time === 1) await give('a', 'Only for a.', 'grace')
      if (time === 2) await house.runs.submit(placeOf('r1'), { type: 'giveOverride', nodeId: 'a', text: null })
      return time < 3 ? working : 'done'
    })
    const document = one({ nodes: [{ id: 'a' }, { id: 'b' }], edges: [{ from: 'a', to: 'b' }] })
    await house.go(document, { override: 'For all.' })
    expect(await said()).toEqual([
      ['a', 'For all.'],
      ['a', 'Only for a.'],
      ['a', 'For all.'],
      ['b', 'For all.'],
    ])
    for (const prompt of await house.prompts('b')) expect(prompt.endsWith('\n\nFor all.')).toBe(true)
    const actors: string[] = []
    for await (const { event } of house.store.read(TENANT, 'run/r1', -1)) if (event.type === 'override.given') actors.push(event.actor)
    expect(actors).toEqual(['ada', 'grace', 'ada'])
  })

  it('for a node that is not there is refused', async () => {
    house = runHouse(never)
    await house.create(one())
    expect((await give('nobody', 'x', 'ada')).refusal).toMatchObject({ code: 'node_missing' })
  })
})
