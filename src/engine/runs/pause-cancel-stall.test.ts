// Runs that are held, ended, or that turn in circles: pauses, cancels, budgets, stalls, and what is said to a node meanwhile.
import { afterEach, describe, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { digestText } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import { type Asked, gate, type Said, textsOf } from '../../testing/models/talking-chat.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'

let house: RunHouse
afterEach(async () => {
  await house.close()
  await house.store.close()
  expect(house.runs.problems).toEqual([])
})

const quiet = () => house.runs.quiet(TENANT, 'r1')
const send = (command: Parameters<RunHouse['runs']['submit']>[1]) => house.runs.submit(placeOf('r1'), command)
const never = () => new Promise<Said>(() => {})
const one = (more: Readonly<Record<string, Json>> = {}): Json => ({ id: 'one', objective: 'Work.', nodes: [{ id: 'a' }], ...more })
const failing = (given: Readonly<Record<string, Json>> = {}): Said => ({
  tools: [{ toolName: 'probe', arguments: { fail: true, ...given } }],
})
const working: Said = { tools: [{ toolName: 'probe', arguments: {} }] }

describe('a paused run', () => {
  it('keeps what is under way, starts no step and no node, and goes on when it is resumed', async () => {
    const hold = gate()
    house = runHouse(async ({ node, time }) => {
      if (node === 'b') return 'b'
      if (time > 1) return 'done'
      await hold.passed
      return working
    })
    await house.create({ id: 'two', objective: 'Work.', nodes: [{ id: 'a' }, { id: 'b' }], edges: [{ from: 'a', to: 'b' }] })
    await house.chat.until('a')
    await send({ type: 'pause' })
    hold.open()
    await quiet()
    const held = await house.state()
    expect([held.phase, held.paused, held.nodes.a!.steps]).toEqual(['paused', { reason: 'asked', nodeId: null }, 1])
    expect(await house.story()).toContain('step.settled a')
    await send({ type: 'resume' })
    await quiet()
    expect((await house.state()).phase).toBe('completed')
    expect(house.chat.asked.map(({ node }) => node)).toEqual(['a', 'a', 'b'])
  })

  it('that is paused twice, or resumed without a pause, is told so', async () => {
    house = runHouse(never)
    await house.create(one())
    await house.chat.until('a')
    expect((await send({ type: 'resume' })).refusal).toMatchObject({ code: 'run_not_paused' })
    await send({ type: 'pause' })
    expect((await send({ type: 'pause' })).refusal).toMatchObject({ code: 'run_paused' })
  })

  it('holds what it pauses between two nodes, and can be cancelled', async () => {
    const hold = gate()
    house = runHouse(async () => {
      await hold.passed
      return 'text'
    })
    await house.create({ id: 'two', objective: 'Work.', nodes: [{ id: 'a' }, { id: 'b' }], edges: [{ from: 'a', to: 'b' }] })
    await house.chat.until('a')
    await send({ type: 'pause' })
    hold.open()
    await quiet()
    const held = await house.state()
    expect([held.phase, held.nodes.a!.status, held.nodes.b]).toEqual(['paused', 'completed', undefined])
    await send({ type: 'cancel', reason: 'enough' })
    await quiet()
    expect((await house.state()).phase).toBe('cancelled')
  })
})

describe('a run that is paused while it waits for a person', () => {
  const answer = (text: string) => {
    const message = writeMessage({ role: 'user', content: [{ type: 'text', text }] })
    const objects = [new TextEncoder().encode(message)]
    const command = { type: 'leaveMessage', message: { kind: 'follow-up', id: text, message: digestText(message) } } as const
    return house.runs.submit(placeOf('r1'), { type: 'turn', nodeId: 'a', command }, { objects })
  }

  it('keeps the answer, and goes on with it when it is resumed', async () => {
    house = runHouse(({ time }) => `answer ${time}`)
    expect((await house.go(one({ orchestration: 'interactive' }))).nodes.a!.status).toBe('waiting')
    await send({ type: 'pause' })
    await answer('go on')
    await quiet()
    expect(house.chat.asked).toHaveLength(1)
    await send({ type: 'resume' })
    await quiet()
    expect(house.chat.asked).toHaveLength(2)
    expect((await house.state()).nodes.a!.status).toBe('waiting')
  })

  it('can be cancelled', async () => {
    house = runHouse(() => 'what now?')
    await house.go(one({ orchestration: 'interactive' }))
    await send({ type: 'cancel', reason: null })
    await quiet()
    expect((await house.state()).phase).toBe('cancelled')
  })
})

describe('a run whose node fails while it is paused', () => {
  it('fails', async () => {
    const hold = gate()
    house = runHouse(() => hold.passed.then((): Said => ({ fail: 'provider_terminal' })))
    await house.create(one())
    await house.chat.until('a')
    await send({ type: 'pause' })
    hold.open()
    await quiet()
    expect((await house.state()).failure).toMatchObject({ code: 'provider_terminal', failedNodeId: 'a' })
  })
})

describe('a cancelled run', () => {
  it('ends the calls under way, and takes no further command', async () => {
    house = runHouse(never)
    await house.create({ id: 'two', objective: 'Work.', nodes: [{ id: 'a' }, { id: 'b' }] })
    await Promise.all([house.chat.until('a'), house.chat.until('b')])
    await send({ type: 'cancel', reason: 'enough' })
    await quiet()
    const { phase, nodes } = await house.state()
    expect([phase, nodes.a!.status, nodes.b!.status, house.chat.open.size]).toEqual(['cancelled', 'cancelled', 'cancelled', 0])
    expect((await send({ type: 'pause' })).refusal).toMatchObject({ code: 'run_ended' })
  })
})

describe('a budget', () => {
  it('of steps ends the run before the step that is too many', async () => {
    house = runHouse(() => working)
    const state = await house.go(one({ budget: { steps: 3 } }))
    expect([state.phase, state.failure?.code, state.steps, house.chat.asked.length]).toEqual(['failed', 'budget_exhausted', 3, 3])
  })

  it('of tokens counts what all nodes have used', async () => {
    house = runHouse(() => ({ ...(working as object), tokens: 10 }))
    const state = await house.go(one({ budget: { tokens: 25 } }))
    expect([state.phase, state.failure?.code, state.tokens]).toEqual(['failed', 'budget_exhausted', 30])
  })

  it('of time breaks off what is under way', async () => {
    house = runHouse(never)
    await house.create(one({ budget: { milliseconds: 20 } }))
    await expect.poll(async () => (await house.state()).phase, { timeout: 20_000 }).toBe('failed')
    expect((await house.state()).failure).toMatchObject({ code: 'budget_exhausted' })
  })

  it('of a request goes before that of the workflow', async () => {
    house = runHouse(() => working)
    const state = await house.go(one({ budget: { steps: 30 } }), { budget: { steps: 2 } })
    expect([state.failure?.code, state.steps]).toEqual(['budget_exhausted', 2])
  })
})

describe('a node', () => {
  const stalls = async (say: (asked: Asked) => Said, more: Readonly<Record<string, Json>> = {}) => {
    house = runHouse(say)
    await house.go(one({ stallAfter: 3, budget: { steps: 12 }, ...more }))
    const events = await house.events()
    return events.flatMap(event => (event.type === 'run.stalled' ? [event.evidence] : []))
  }

  it('that gives the same reply again and again has stalled, and the run is paused with the evidence', async () => {
    const evidence = await stalls(() => failing())
    expect(evidence).toMatchObject([{ signal: 'same_reply', times: 3 }])
    expect(new Set(evidence[0]!.replyHashes).size).toBe(1)
    const state = await house.state()
    expect([state.phase, state.paused, state.steps]).toEqual(['paused', { reason: 'stalled', nodeId: 'a' }, 3])
  })

  it('that is told the same again and again has stalled, whatever it says', async () => {
    expect(await stalls(({ time }) => ({ ...(failing() as object), text: `try ${time}` }))).toMatchObject([{ signal: 'same_prompt' }])
  })

  it('that goes to and fro between two replies has stalled', async () => {
    const evidence = await stalls(({ time }) => failing({ which: time % 2 }))
    expect(evidence).toMatchObject([{ signal: 'cycle', times: 4 }])
  })

  it('packs D2: whose calls succeed with the same result each time has stalled', async () => {
    expect(await stalls(({ time }) => (time < 10 ? working : 'done'))).toMatchObject([
      { signal: 'same_reply', times: 3, calls: [{ status: 'succeeded' }] },
    ])
  })

  it('packs D2: that goes round between three replies has stalled', async () => {
    expect(await stalls(({ time }) => failing({ which: time % 3 }))).toMatchObject([{ signal: 'cycle', period: 3, times: 6 }])
  })

  it('packs D2: is paused after as many steps as the workflow lets it take', async () => {
    const evidence = await stalls(({ time }) => failing({ time }), { budget: { stepsPerNode: 5 } })
    expect(evidence).toMatchObject([{ signal: 'many_steps', times: 5 }])
  })

  it('bug 20: that only calls tools, each time other ones, has not stalled', async () => {
    expect(await stalls(({ time }) => (time < 10 ? failing({ time }) : 'done'))).toEqual([])
    expect((await house.state()).phase).toBe('completed')
  })

  it('never stalls where the workflow does not want to know', async () => {
    expect(await stalls(() => failing(), { stallAfter: 0 })).toEqual([])
    expect((await house.state()).failure).toMatchObject({ code: 'budget_exhausted' })
  })

  it('bug 21: that stalled goes on when the run is resumed, and begins to count anew', async () => {
    house = runHouse(({ time }) => (time < 6 ? failing() : 'done'))
    expect((await house.go(one({ stallAfter: 3 }))).phase).toBe('paused')
    await send({ type: 'resume' })
    await quiet()
    const state = await house.state()
    expect([state.phase, state.nodes.a!.steps]).toEqual(['completed', 6])
    expect((await house.story()).filter(one => one.startsWith('run.stalled'))).toHaveLength(1)
  })
})

describe('what is said to a node', () => {
  const say = (kind: 'interrupt' | 'steer' | 'follow-up', text: string) => {
    const message = writeMessage({ role: 'user', content: [{ type: 'text', text }] })
    const command = { type: 'leaveMessage', message: { kind, id: text, message: digestText(message) } } as const
    const objects = [new TextEncoder().encode(message)]
    return house.runs.submit(placeOf('r1'), { type: 'turn', nodeId: 'a', command }, { objects })
  }
  const heard = () =>
    textsOf(house.chat.asked.at(-1)!.call)
      .filter(([role]) => role === 'user')
      .slice(1)
      .map(([, text]) => text)

  it('bug 22: interrupts reach it in order of arrival, and before what waits for the next step', async () => {
    house = runHouse(({ time }) => (time === 1 ? never() : 'done'))
    await house.create(one())
    await house.chat.until('a')
    await say('steer', 'steer')
    await Promise.all([say('interrupt', 'one'), say('interrupt', 'two')])
    await quiet()
    expect(heard()).toEqual(['one', 'two', 'steer'])
    expect((await house.state()).phase).toBe('completed')
  })

  it('bug 23: everything that waits is counted, whatever came before it, and reaches it in order', async () => {
    const hold = gate()
    house = runHouse(async ({ time }) => {
      if (time === 1) await hold.passed
      return `answer ${time}`
    })
    await house.create(one({ orchestration: 'interactive' }))
    await house.chat.until('a')
    for (const text of ['first', 'second', 'third']) await say('follow-up', text)
    expect((await house.state()).nodes.a!.turn!.left).toHaveLength(3)
    hold.open()
    await quiet()
    expect(heard()).toEqual(['first', 'second', 'third'])
    const { turn, status } = (await house.state()).nodes.a!
    expect([turn!.left, status]).toEqual([[], 'waiting'])
  })
})
