// What a strict reviewer found in runs: each is a sentence that ought to hold and does not yet.
import { afterEach, describe, expect, it } from 'vitest'
import { digestText, type Json } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import { decideRun, draftRun } from '../../core/run/decide.ts'
import { emptyConfig } from '../../core/session/config.ts'
import type { Binding, Store } from '../../ports.ts'
import { freshStore, placeOf, type RunHouse, runHouse, TENANT } from '../../testing/run-house.ts'
import { gate } from '../../testing/talking-chat.ts'
import { workflowOf } from '../../testing/test-runs.ts'
import { publishAgent } from '../definitions/agents.ts'
import { loadSession } from '../sessions/load.ts'
import { loadRun } from './load.ts'
import { writeRun } from './write-run.ts'

const failing = process.env.REVIEW === '1' ? it : it.fails

const houses: RunHouse[] = []
function house(...given: Parameters<typeof runHouse>): RunHouse {
  const made = runHouse(...given)
  houses.push(made)
  return made
}
afterEach(async () => {
  for (const one of houses) await one.close()
  for (const store of new Set(houses.map(({ store }) => store))) await store.close()
  houses.length = 0
})

const soon = (ms = 300) => new Promise(resolve => setTimeout(resolve, ms))
const desk = { tenant: TENANT, session: 'desk', actor: 'ada' }
const create = (one: RunHouse, session = 'desk') =>
  one.runs.sessions.submit(
    { ...desk, session },
    { type: 'create', session, agentId: null, config: { ...emptyConfig, provider: 'scripted', model: 'small' } },
  )
const message = (text: string) => {
  const written = writeMessage({ role: 'user', content: [{ type: 'text', text }] })
  return { digest: digestText(written), objects: [new TextEncoder().encode(written)] }
}

/** Calls once after a stream was read. */
function hooked(inner: Store): { store: Store; after: (stream: string, then: () => Promise<void>) => void } {
  let waiting: { stream: string; then: () => Promise<void> } | null = null
  const store: Store = {
    ...inner,
    async *read(...given) {
      yield* inner.read(...given)
      if (waiting === null || given[1] !== waiting.stream) return
      const { then } = waiting
      waiting = null
      await then()
    },
  }
  return {
    store,
    after(stream, then) {
      waiting = { stream, then }
    },
  }
}

describe('a lasting session', () => {
  failing('that somebody cancels in the moment a run takes it up does not leave the run waiting for ever', async () => {
    const { store, after } = hooked(freshStore())
    const one = house(() => 'Hm?', {}, store)
    await create(one)
    after('session/desk', async () => {
      await one.go({ id: 'w', objective: 'Talk.', nodes: [{ id: 'a', session: 'desk', orchestration: 'interactive' }] })
    })
    const command = { kind: 'cancel', id: 'c1', reason: null } as const
    const { refusal } = await one.runs.sessions.submit(desk, { type: 'receive', command })
    expect(refusal).toBe(null)
    await one.runs.quiet(TENANT, 'r1')
    expect((await loadSession(store, TENANT, 'desk')).state.run).toBe(null)
    await one.runs.submit(placeOf('r1'), { type: 'cancel', reason: null }).catch(() => {})
    await one.runs.quiet(TENANT, 'r1')
    const { phase } = await one.state()
    expect(phase).not.toBe('cancelling')
    expect(phase).not.toBe('running')
  })

  failing('whose run ends and another begins while somebody cancels it: the one that is cancelled hears of it', async () => {
    const { store, after } = hooked(freshStore())
    const one = house(() => 'Hm?', {}, store)
    await create(one)
    const talk: Json = { id: 'w', objective: 'Talk.', nodes: [{ id: 'a', session: 'desk', orchestration: 'interactive' }] }
    await one.go(talk, {}, 'r1')
    after('session/desk', async () => {
      await one.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
      await one.runs.quiet(TENANT, 'r1')
      await one.go(talk, {}, 'r2')
    })
    await one.runs.sessions.submit(desk, { type: 'receive', command: { kind: 'cancel', id: 'c1', reason: null } })
    await one.runs.quiet(TENANT, 'r2')
    const { state } = await loadSession(store, TENANT, 'desk')
    const { nodes } = await one.state('r2')
    expect([state.run === null, nodes.a!.status]).toEqual([true, 'cancelled'])
  })
})

describe('two hosts', () => {
  failing('an agent whose home is at work elsewhere starts all the same, or its run fails: it does not hang', async () => {
    const store = freshStore()
    const first = house(() => new Promise(() => {}), { owner: 'first' }, store)
    const second = house(() => 'Done.', { owner: 'second' }, store)
    await create(first)
    await publishAgent(store, { tenant: TENANT, actor: 'ada' }, { agentId: 'local.desk.writer', persona: 'Writer', session: 'desk' })
    await first.create({ id: 'w', objective: 'Work.', nodes: [{ id: 'a', session: 'desk' }] }, {}, 'r1')
    await first.chat.until('a')
    await second.go({ id: 'v', objective: 'Work.', nodes: [{ id: 'b', agent: 'local.desk.writer' }] }, {}, 'r2')
    expect((await second.state('r2')).phase).not.toBe('running')
  })
})

describe('a run that was being cancelled when its host died', () => {
  failing('does no tool call that had not begun', async () => {
    const store = freshStore()
    const done: string[] = []
    const tool = (name: string, run: () => Promise<Json>): [string, Binding] => [
      name,
      { descriptor: { name, description: 'Does.', inputSchema: { type: 'object' } }, repeatable: false, run },
    ]
    const parts = (hangs: boolean) => {
      const bindings = new Map([
        tool('slow', () => (hangs ? new Promise(() => {}) : Promise.resolve({}))),
        tool('pay', async () => {
          done.push('pay')
          return {}
        }),
      ])
      const hostCatalog = [...bindings.values()].map(({ descriptor }) => descriptor)
      return { bindings, hostCatalog, grants: [{ tools: ['slow', 'pay'] }] }
    }
    const tools = ['slow', 'pay'].map(toolName => ({ toolName, arguments: {} }))
    const first = house(() => ({ tools }), { owner: 'first', ...parts(true) }, store)
    await first.create({ id: 'w', objective: 'Pay.', nodes: [{ id: 'a' }] })
    await first.chat.until('a')
    await soon()
    // Acknowledged; then its host dies before anything else is written.
    await writeRun(store, placeOf('r1'), async run => {
      const ruling = decideRun(draftRun(run.state), workflowOf({ id: 'w', objective: 'Pay.', nodes: [{ id: 'a' }] }), { type: 'cancel', reason: 'no' })
      if (!('events' in ruling)) throw new Error(ruling.code)
      return { run: ruling, answer: null }
    })
    expect((await loadRun(store, TENANT, 'r1')).state.phase).toBe('cancelling')
    const second = house(() => 'Done.', { owner: 'second', ...parts(false) }, store)
    await second.runs.resume()
    await second.runs.quiet(TENANT, 'r1')
    expect((await second.state()).phase).toBe('cancelled')
    expect(done).toEqual([])
  })

  failing('asks no model again', async () => {
    const store = freshStore()
    const first = house(() => new Promise(() => {}), { owner: 'first' }, store)
    const workflow = { id: 'w', objective: 'Say.', nodes: [{ id: 'a' }] }
    await first.create(workflow)
    await first.chat.until('a')
    await writeRun(store, placeOf('r1'), async run => {
      const ruling = decideRun(draftRun(run.state), workflowOf(workflow), { type: 'cancel', reason: 'no' })
      if (!('events' in ruling)) throw new Error(ruling.code)
      return { run: ruling, answer: null }
    })
    const second = house(() => 'Done.', { owner: 'second' }, store)
    await second.runs.resume()
    await second.runs.quiet(TENANT, 'r1')
    expect((await second.state()).phase).toBe('cancelled')
    expect(second.chat.asked.length).toBe(0)
  })
})

describe('cancelling', () => {
  failing('is not kept from a node by what somebody left there under a name of ours', async () => {
    const one = house(() => new Promise(() => {}))
    await one.create({ id: 'w', objective: 'Say.', nodes: [{ id: 'a' }] })
    await one.chat.until('a')
    const { digest, objects } = message('Go on.')
    const command = { kind: 'steer', id: 'r1.end', message: digest } as const
    await one.runs.sessions.submit({ tenant: TENANT, session: 'r1.a', actor: 'ada' }, { type: 'receive', command }, { objects })
    await one.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
    await soon()
    expect((await one.state()).phase).toBe('cancelled')
  })
})

describe('names', () => {
  failing.each(['constructor', '__proto__', 'toString'])('an edge called %s leads back as any other', async id => {
    const one = house(({ node }) => node)
    await one.go({
      id: 'w',
      objective: 'Say.',
      nodes: [{ id: 'a' }, { id: 'b' }],
      edges: [
        { from: 'a', to: 'b' },
        { id, from: 'b', to: 'a', repeats: 1 },
      ],
    })
    expect(one.chat.asked.map(({ node }) => node)).toEqual(['a', 'b', 'a', 'b'])
  })

  it.each(['__proto__', 'constructor', 'a.b/c', 'é', 'x'.repeat(200)])('a node called %s goes to its end', async id => {
    const one = house(() => 'Done.')
    const { phase } = await one.go({ id: 'w', objective: 'Say.', nodes: [{ id }, { id: 'z' }], edges: [{ from: id, to: 'z' }] })
    expect(phase).toBe('completed')
    expect(one.runs.problems).toEqual([])
  })

  failing('an input from a variable that nobody declared, called constructor, is not there', async () => {
    const one = house(() => 'Done.')
    const inputs = { x: { type: 'variable', variableName: 'constructor', optional: true } }
    const { phase, failure } = await one.go({ id: 'w', objective: 'Say.', nodes: [{ id: 'a', inputs }] })
    expect([phase, failure]).toEqual(['completed', null])
  })
})
