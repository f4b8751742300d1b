// One process at a time advances a run. The next owner continues from the events alone, wherever the previous owner stopped.
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../../core/digest/digest.ts'
import { isEnded, type RunState } from '../../../core/run/state.ts'
import type { Store } from '../../../ports.ts'
import { type Asked, gate, type Said, textsOf } from '../../../testing/models/talking-chat.ts'
import { runs } from '../../../testing/runs.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { PRODUCT_PROJECTIONS } from '../../record/projections.ts'

const open = (path: string): Store => sqliteStore(path, clock, PRODUCT_PROJECTIONS)

const houses: RunHouse[] = []
function house(owner: string, path: string, say: (asked: Asked) => Said | Promise<Said>): RunHouse {
  const made = runHouse(say, { owner }, open(path))
  houses.push(made)
  return made
}
async function leave(one: RunHouse): Promise<void> {
  await one.close()
  await one.store.close()
  expect(one.runs.problems).toEqual([])
}
afterEach(async () => {
  for (const one of houses.splice(0)) await leave(one)
})

describe('a second owner', () => {
  it('takes the run over; what the first one still has to say is refused and nowhere on record', async () => {
    const path = freshPath()
    const [early, late] = [gate(), gate()]
    const first = house('first', path, () => early.passed.then(() => 'the first one says'))
    const second = house('second', path, () => late.passed.then(() => 'the second one says'))
    await first.create({ id: 'one', objective: 'Work.', nodes: [{ id: 'a' }, { id: 'b' }], edges: [{ from: 'a', to: 'b' }] })
    await first.chat.until('a')

    expect(await second.runs.resume()).toBe(1)
    await second.chat.until('a')
    const claimed = await second.story()
    expect(claimed).toContain('run.claimed')
    expect((await second.state()).epoch).toBe(1)

    early.open()
    await first.runs.quiet(TENANT, 'r1')
    await expect(first.runs.submit(placeOf('r1'), { type: 'pause' })).rejects.toMatchObject({ code: 'run_not_owned' })
    expect(await second.story()).toEqual(claimed)

    late.open()
    await second.runs.quiet(TENANT, 'r1')
    expect((await second.state()).phase).toBe('completed')
    expect((await second.prompts('b'))[0]).toContain('| the second one says')
    expect((await second.story()).filter(one => one.startsWith('step.settled'))).toEqual(['step.settled a', 'step.settled b'])
  })

  it('may lose it again to the first', async () => {
    const path = freshPath()
    const first = house('first', path, () => new Promise(() => {}))
    const second = house('second', path, () => new Promise(() => {}))
    await first.create({ id: 'one', objective: 'Work.', nodes: [{ id: 'a' }] })
    await first.chat.until('a')
    await second.runs.submit(placeOf('r1'), { type: 'claim', owner: 'second' })
    await first.runs.submit(placeOf('r1'), { type: 'claim', owner: 'first' })
    await expect(second.runs.submit(placeOf('r1'), { type: 'pause' })).rejects.toMatchObject({ code: 'run_not_owned' })
    expect((await first.runs.submit(placeOf('r1'), { type: 'pause' })).refusal).toBeNull()
    expect((await first.state()).epoch).toBe(2)
  })
})

const ONE = { id: 'one', objective: 'Work.', nodes: [{ id: 'a' }] }
const TRYING: Said = { tools: [{ toolName: 'probe', arguments: {} }] }

const STORY: Json = {
  id: 'story',
  objective: 'Work.',
  nodes: ['left', 'right', 'writer', 'critic', 'never'].map(id => ({ id })),
  edges: [
    { from: 'left', to: 'writer' },
    { from: 'right', to: 'writer' },
    { from: 'writer', to: 'critic' },
    { from: 'critic', to: 'writer', repeats: 2, condition: { type: 'equals', left: 'output.verdict', right: 'again' } },
    { from: 'critic', to: 'never', condition: { type: 'equals', left: 'output.verdict', right: 'bad' } },
  ],
}

/** The reply depends only on the request: a repeated request gets the same reply. */
function answer({ node, call }: Asked): Said {
  const texts = textsOf(call)
  const task = texts.findLast(([role]) => role === 'user')![1]
  if (node === 'right' && texts.at(-1)![0] !== 'tool') return { tools: [{ toolName: 'probe', arguments: {} }] }
  if (node === 'writer') return `draft ${Number(/"note":(\d)/.exec(task)?.[1] ?? 0) + 1}`
  if (node !== 'critic') return node
  const draft = Number(/^\| draft (\d)/m.exec(task)![1])
  return JSON.stringify({ verdict: draft < 3 ? 'again' : 'good', note: draft })
}

/** @param most so many calls are answered; then the process is gone */
async function oneLife(path: string, life: number, most: number): Promise<RunState> {
  const stuck = gate()
  let answered = 0
  const here = runHouse(
    asked => {
      if (answered < most) {
        answered += 1
        return answer(asked)
      }
      stuck.open()
      return new Promise(() => {})
    },
    { owner: `life ${life}` },
    open(path),
  )
  if (life === 0) await here.create(STORY)
  else await here.runs.resume()
  await Promise.race([stuck.passed, here.runs.quiet(TENANT, 'r1')])
  const state = await here.state()
  await leave(here)
  return state
}

const gist = ({ phase, outputs, nodes }: RunState) => ({
  phase,
  outputs,
  nodes: Object.fromEntries(
    Object.entries(nodes).map(([id, { status, visits, output, steps }]) => [id, { status, visits, output, steps }]),
  ),
})

describe('a run that two processes take from each other', () => {
  it('ends as if there were one, and every step is settled once', async () => {
    const expected = gist(await oneLife(freshPath(), 0, Number.POSITIVE_INFINITY))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), fc.nat(3)), { minLength: 1, maxLength: 6 }), async claims => {
        const path = freshPath()
        const both = ['one', 'other'].map(owner => runHouse(answer, { owner }, open(path)))
        await both[0]!.create(STORY)
        for (const [who, calls] of claims) {
          const asked = both[0]!.chat.asked.length + both[1]!.chat.asked.length
          await both[who]!.runs.resume()
          const isFar = () => both[0]!.chat.asked.length + both[1]!.chat.asked.length >= asked + calls
          while (!isFar() && !isEnded(await both[0]!.state())) await new Promise(resolve => setImmediate(resolve))
        }
        await both[1]!.runs.resume()
        await Promise.all(both.map(one => one.runs.quiet(TENANT, 'r1')))
        expect(gist(await both[0]!.state())).toEqual(expected)
        const settled = (await both[0]!.events()).flatMap(event => (event.type === 'step.settled' ? [`${event.nodeId} ${event.step}`] : []))
        expect(settled).toHaveLength(Object.values(expected.nodes).reduce((sum, { steps }) => sum + steps, 0))
        for (const one of both) await leave(one)
      }),
      { numRuns: runs(10), interruptAfterTimeLimit: 30_000 },
    )
  })
})

describe('a run whose process stops', () => {
  it('ends as if nobody had stopped, wherever that was and however often', async () => {
    const expected = gist(await oneLife(freshPath(), 0, Number.POSITIVE_INFINITY))
    expect(expected.phase).toBe('completed')
    expect(expected.nodes.writer!.visits).toBe(3)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }), async lives => {
        const path = freshPath()
        for (const [life, most] of lives.entries()) await oneLife(path, life, most)
        expect(gist(await oneLife(path, lives.length, Number.POSITIVE_INFINITY))).toEqual(expected)
      }),
      { numRuns: runs(12), interruptAfterTimeLimit: 30_000 },
    )
  })

  it('asks again what was asked when it was paused, as it would have gone on with it', async () => {
    const path = freshPath()
    const first = house('first', path, () => new Promise(() => {}))
    await first.create(ONE)
    await first.chat.until('a')
    await first.runs.submit(placeOf('r1'), { type: 'pause' })
    await first.close()
    const second = house('second', path, () => 'done')
    await second.runs.resume()
    await second.runs.quiet(TENANT, 'r1')
    expect((await second.state()).phase).toBe('completed')
  })

  it('stays paused between two steps', async () => {
    const path = freshPath()
    const hold = gate()
    const first = house('first', path, () => hold.passed.then(() => TRYING))
    await first.create(ONE)
    await first.chat.until('a')
    await first.runs.submit(placeOf('r1'), { type: 'pause' })
    hold.open()
    await first.runs.quiet(TENANT, 'r1')
    await first.close()
    const second = house('second', path, () => 'done')
    await second.runs.resume()
    await second.runs.quiet(TENANT, 'r1')
    expect([(await second.state()).phase, second.chat.asked]).toEqual(['paused', []])
    await second.runs.submit(placeOf('r1'), { type: 'resume' })
    await second.runs.quiet(TENANT, 'r1')
    expect((await second.state()).phase).toBe('completed')
  })

  it('stays stalled, and goes on when it is resumed elsewhere', async () => {
    const path = freshPath()
    const first = house('first', path, () => ({ tools: [{ toolName: 'probe', arguments: { fail: true } }] }))
    expect((await first.go({ ...ONE, stallAfter: 2 })).paused).toEqual({ reason: 'stalled', nodeId: 'a' })
    await first.close()
    const second = house('second', path, () => 'done')
    await second.runs.resume()
    await second.runs.quiet(TENANT, 'r1')
    expect(second.chat.asked).toEqual([])
    await second.runs.submit(placeOf('r1'), { type: 'resume' })
    await second.runs.quiet(TENANT, 'r1')
    expect((await second.state()).phase).toBe('completed')
  })

  it('is cancelled to its end by whoever takes it up', async () => {
    const path = freshPath()
    const first = house('first', path, () => new Promise(() => {}))
    await first.create({ ...ONE, nodes: [{ id: 'a' }, { id: 'b' }] })
    await Promise.all([first.chat.until('a'), first.chat.until('b')])
    await first.runs.submit(placeOf('r1'), { type: 'cancel', reason: 'enough' })
    await first.close()
    const second = house('second', path, () => new Promise(() => {}))
    await second.runs.resume()
    await second.runs.quiet(TENANT, 'r1')
    expect((await second.state()).phase).toBe('cancelled')
  })

  it('has no more time than it had', async () => {
    const path = freshPath()
    const first = house('first', path, () => new Promise(() => {}))
    await first.create({ ...ONE, budget: { milliseconds: 500 } })
    await first.chat.until('a')
    await first.close()
    const second = house('second', path, () => new Promise(() => {}))
    await second.runs.resume()
    await expect.poll(async () => (await second.state()).failure?.code, { timeout: 20_000 }).toBe('budget_exhausted')
  })
})
