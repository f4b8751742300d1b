// Runs at their edges: sessions that are cancelled while a run starts, two hosts, hostile names, lost calls, late messages, limits.
import { afterEach, describe, expect, it } from 'vitest'
import { digestText, type Json } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Receipt } from '../../core/messages/receipt.ts'
import { emptyConfig } from '../../core/session/config.ts'
import type { ApplyWhen } from '../../core/session/events.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { CallOptions, ChatModel, Store } from '../../ports.ts'
import { gate, textsOf } from '../../testing/models/talking-chat.ts'
import { freshStore, placeOf, type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { publishAgent } from '../definitions/agents.ts'
import { commandSession } from '../sessions/command-session.ts'
import { loadSession } from '../sessions/load.ts'
import { commitChanges } from '../workspaces/commit.ts'
import { loadRun } from './load.ts'

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
function hooked(inner: Store): { store: Store; onceRead: (stream: string, then: () => Promise<void>) => void } {
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
    onceRead(stream, then) {
      waiting = { stream, then }
    },
  }
}

describe('a lasting session', () => {
  const talk: Json = { id: 'w', objective: 'Talk.', nodes: [{ id: 'a', session: 'desk', orchestration: 'interactive' }] }
  const cancel = (one: RunHouse) =>
    commandSession({ work: one.runs.sessions, runs: one.runs }, one.store, desk, { kind: 'cancel', id: 'c1' })

  it('that somebody cancels in the moment a run takes it up does not leave the run waiting for ever', async () => {
    const { store, onceRead } = hooked(freshStore())
    const one = house(() => 'Hm?', {}, store)
    await create(one)
    onceRead('session/desk', async () => {
      await one.go(talk)
    })
    await cancel(one).catch(() => {})
    await one.runs.quiet(TENANT, 'r1')
    await one.runs.submit(placeOf('r1'), { type: 'cancel', reason: null }).catch(() => {})
    await one.runs.quiet(TENANT, 'r1')
    expect([(await loadSession(store, TENANT, 'desk')).state.open, (await one.state()).phase]).toEqual([null, 'cancelled'])
  })

  it('whose run ends and another begins while somebody cancels it: one of them is cancelled, and the session is free', async () => {
    const { store, onceRead } = hooked(freshStore())
    const one = house(() => 'Hm?', {}, store)
    await create(one)
    await one.go(talk, {}, 'r1')
    onceRead('session/desk', async () => {
      await one.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
      await one.runs.quiet(TENANT, 'r1')
      await one.go(talk, {}, 'r2')
    })
    await cancel(one).catch(() => {})
    await one.runs.quiet(TENANT, 'r2')
    const { open } = (await loadSession(store, TENANT, 'desk')).state
    const { status } = (await one.state('r2')).nodes.a!
    expect([open?.runId ?? null, status]).toEqual(status === 'cancelled' ? [null, 'cancelled'] : ['r2', 'waiting'])
  })
})

describe('two hosts', () => {
  it('what home applies at one reaches the child that works at the other, or somebody is told that it does not', async () => {
    const store = freshStore()
    const go = gate()
    const probe = { tools: [{ toolName: 'probe', arguments: {} }] }
    const first = house(({ time }) => (time === 1 ? go.passed.then(() => probe) : 'Done.'), { owner: 'first' }, store)
    const second = house(() => '', { owner: 'second' }, store)
    await publishAgent(store, { tenant: TENANT, actor: 'ada' }, { agentId: 'local.desk.writer', persona: 'Writer', session: 'desk' })
    await create(first)
    await adopt(first, 'One.', 'immediate_if_idle')
    await first.create({ id: 'w', objective: 'Write.', nodes: [{ id: 'a', agent: 'local.desk.writer' }] })
    await first.chat.until('a')
    await adopt(second, 'Two.', 'next_step_boundary')
    go.open()
    await first.runs.quiet(TENANT, 'r1')
    const steps = (await first.events()).flatMap(event => (event.type === 'step.started' ? [event.snapshot?.version] : []))
    expect([steps, second.runs.problems.length]).not.toEqual([[1, 1], 0])
  })

  it('an agent whose home is at work elsewhere starts all the same, or its run fails: it does not hang', async () => {
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

describe('cancelling', () => {
  it('is not kept from a node by what somebody left there under a name of ours', async () => {
    const one = house(() => new Promise(() => {}))
    await one.create({ id: 'w', objective: 'Say.', nodes: [{ id: 'a' }] })
    await one.chat.until('a')
    const { digest, objects } = message('Go on.')
    const command = { type: 'leaveMessage', message: { kind: 'steer', id: 'r1.end', message: digest } } as const
    await one.runs.submit(placeOf('r1'), { type: 'turn', nodeId: 'a', command }, { objects })
    await one.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
    await soon()
    expect((await one.state()).phase).toBe('cancelled')
  })
})

describe('names', () => {
  it.each(['constructor', '__proto__', 'toString'])('an edge called %s leads back as any other', async id => {
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

  it('an input from a variable that nobody declared, called constructor, is not there', async () => {
    const one = house(() => 'Done.')
    const inputs = { x: { type: 'variable', variableName: 'constructor', optional: true } }
    const { phase, failure } = await one.go({ id: 'w', objective: 'Say.', nodes: [{ id: 'a', inputs }] })
    expect([phase, failure]).toEqual(['completed', null])
  })
})

describe('a provider that keeps conversations', () => {
  const answered = { status: 'ok', toolCalls: [], finishReason: { reason: 'stop' }, usage: null, warnings: [], providerId: 'test' } as const
  const calls: { call: ModelCall; options: CallOptions }[] = []
  const keeping = (conversation: string, between: (time: number) => Promise<void> = async () => {}): ChatModel => {
    calls.length = 0
    return {
      resumes: () => true,
      async call(call, options) {
        calls.push({ call, options })
        await between(calls.length)
        const toolCalls = calls.length === 1 ? [{ callId: '1', toolName: 'probe', arguments: {} }] : []
        return { ...answered, toolCalls, ...(calls.length === 1 ? {} : { text: 'Done.' }), conversation } as Receipt
      },
    }
  }
  const sent = (index: number): string[] => {
    const { call, options } = calls[index]!
    return textsOf({ ...call, messages: call.messages.slice(options.resume?.after ?? 0) }).map(([role, text]) => `${role}: ${text}`)
  }

  it('is told of a prelude that took over since', async () => {
    let one: RunHouse
    const models = keeping('c1', async time => {
      if (time === 1) await adopt(one, 'Two.', 'next_step_boundary')
    })
    one = house(() => '', { models })
    await publishAgent(one.store, { tenant: TENANT, actor: 'ada' }, { agentId: 'local.desk.writer', persona: 'Writer', session: 'desk' })
    await create(one)
    await adopt(one, 'One.', 'immediate_if_idle')
    await one.go({ id: 'w', objective: 'Write.', nodes: [{ id: 'a', agent: 'local.desk.writer' }] })
    const steps = (await one.events()).flatMap(event => (event.type === 'step.started' ? [event] : []))
    expect(steps.map(({ snapshot }) => snapshot?.version)).toEqual([1, 2])
    expect(sent(0)).toContain('system: One.')
    expect(sent(1)).toContain('system: Two.')
  })

  it('is told its task when it is asked again after a reply that nobody went on from', async () => {
    const said = { ...answered, conversation: 'c1' }
    const sentToA: number[] = []
    const models: ChatModel = {
      resumes: () => true,
      async call({ messages }, { resume, caller }) {
        if (caller?.node !== 'a') return { ...said, text: 'Again.' }
        sentToA.push(messages.length - (resume?.after ?? 0))
        const toolCalls = ['1', '2', '3'].map(callId => ({ callId, toolName: 'probe', arguments: {} }))
        return sentToA.length === 1 ? { ...said, toolCalls } : { ...said, text: 'Done.' }
      },
    }
    const one = house(() => '', { models })
    const config = { ...emptyConfig, provider: 'scripted', model: 'small', limits: { ...emptyConfig.limits, maxCalls: 2 } }
    await one.runs.sessions.submit(desk, { type: 'create', session: 'desk', agentId: null, config })
    const nodes = [{ id: 's' }, { id: 'a', session: 'desk' }, { id: 'b' }]
    const edges = [
      { from: 's', to: 'a' },
      { from: 'a', to: 'b', triggerRule: 'all_complete' },
      { from: 'b', to: 's', repeats: 1 },
    ]
    await one.go({ id: 'w', objective: 'Write.', nodes, edges })
    expect(sentToA.map(count => count > 0)).toEqual([true, true])
  })

  it('is told everything that somebody said in one object', async () => {
    let one: RunHouse
    const models = keeping('c1', async time => {
      if (time > 1) return
      const text = JSON.stringify([
        { role: 'user', content: 'First.' },
        { role: 'user', content: 'Second.' },
      ])
      const command = { type: 'leaveMessage', message: { kind: 'steer', id: 's1', message: digestText(text) } } as const
      const objects = [new TextEncoder().encode(text)]
      await one.runs.submit(placeOf('r1'), { type: 'turn', nodeId: 'a', command }, { objects })
    })
    one = house(() => '', { models })
    await one.go({ id: 'w', objective: 'Write.', nodes: [{ id: 'a' }] })
    expect(sent(1)).toEqual(['tool: ', 'user: First.', 'user: Second.'])
  })
})

async function adopt(one: RunHouse, text: string, when: ApplyWhen): Promise<void> {
  const write = new TextEncoder().encode(JSON.stringify([{ role: 'system', content: text }]))
  const writer = { tenant: TENANT, policy: EVERYTHING, actor: 'ada' }
  await commitChanges(one.store, writer, { workspace: 'desk', changes: [{ path: 'prompts/packs/default.json', write }] })
  const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: null }
  await one.runs.sessions.submit(desk, { type: 'requestSync', selection })
  await one.runs.sessions.quiet(TENANT, 'desk')
  await one.runs.sessions.submit(desk, { type: 'requestApply', when })
  await one.runs.sessions.quiet(TENANT, 'desk')
}

describe('what others say that looks like a digest', () => {
  const digest = `sha256:${'0'.repeat(64)}`
  it('does not end a run: the reason of a request for implementation', async () => {
    const one = house(({ time }) =>
      time === 1 ? { tools: [{ toolName: 'request_implementation', arguments: { reason: digest } }] } : 'Done.',
    )
    await one.go({ id: 'w', mode: 'planning', objective: 'Plan.', nodes: [{ id: 'a' }] })
    const settled = (await one.events()).find(event => event.type === 'call.settled')
    expect(settled).toMatchObject({ status: 'succeeded' })
  })
  it('does not end it: what is wrong with a provider', async () => {
    const models: ChatModel = { call: async () => ({ status: 'error', code: 'provider_terminal', message: digest }) }
    const one = house(() => '', { models })
    const { failure } = await one.go({ id: 'w', objective: 'Plan.', nodes: [{ id: 'a' }] })
    expect(failure?.code).toBe('provider_terminal')
    expect(one.runs.problems).toEqual([])
  })
})

describe('cancelling a call', () => {
  it('whose provider then says what looks like a digest ends the run', async () => {
    const message = `sha256:${'0'.repeat(64)}`
    const models: ChatModel = {
      call: (_, { signal }) =>
        new Promise(resolve => signal.addEventListener('abort', () => resolve({ status: 'error', code: 'provider_terminal', message }))),
    }
    const one = house(() => '', { models })
    await one.create({ id: 'w', objective: 'Say.', nodes: [{ id: 'a' }] })
    await soon()
    await one.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
    await soon()
    expect((await one.state()).phase).toBe('cancelled')
  })
})

describe('what is kept of a run', () => {
  it('is not replaced by an older look at it: a step is sent as its record says', async () => {
    const inner = freshStore()
    const late = gate()
    let slow = false
    let armed = false
    let looking: Promise<unknown> = Promise.resolve()
    const store: Store = {
      ...inner,
      async *read(...given) {
        yield* inner.read(...given)
        if (given[1] === 'run/r1' && slow) {
          slow = false
          await late.passed
        }
        if (given[1] === 'session/r1.a' && armed) {
          armed = false
          late.open()
          await looking
        }
      },
      async commit(commit) {
        const done = await inner.commit(commit)
        const told = (commit.appends ?? []).flatMap(({ stream, entries }) => (stream === 'run/r1' ? entries : []))
        armed ||= told.some(({ type, payload }) => type === 'step.started' && (payload as { readonly step: number }).step === 3)
        return done
      },
    }
    const said = {
      status: 'ok',
      finishReason: { reason: 'stop' },
      usage: null,
      warnings: [],
      providerId: 'test',
      conversation: 'c1',
    } as const
    const sent: string[] = []
    const models: ChatModel = {
      resumes: () => true,
      async call(_, { resume }) {
        sent.push(resume === undefined ? 'full' : 'delta')
        if (sent.length === 2) {
          await one.runs.submit(placeOf('r1'), { type: 'setMode', mode: 'planning' })
          slow = true
          // As a client does that asks the host for the run's status.
          looking = loadRun(store, TENANT, 'r1')
        }
        const toolCalls = sent.length < 3 ? [{ callId: '1', toolName: 'probe', arguments: {} }] : []
        return { ...said, toolCalls, ...(sent.length < 3 ? {} : { text: 'Done.' }) } as Receipt
      },
    }
    const one = house(() => '', { models }, store)
    await one.go({ id: 'w', compose: 'graph', objective: 'Write.', nodes: [{ id: 'a' }] })
    const recorded = (await one.events()).flatMap(event => (event.type === 'step.started' ? [event.prompt.sent.kind] : []))
    expect(recorded).toEqual(['full', 'delta', 'full'])
    expect(sent).toEqual(recorded)
  })
})

describe('a call that was lost with its run', () => {
  it('asks nothing again for a run that came after it', async () => {
    const store = freshStore()
    const old = gate()
    const fail = { fail: 'provider_retryable' } as const
    const first = house(({ time }) => (time === 1 ? old.passed.then(() => fail) : new Promise(() => {})), { owner: 'first' }, store)
    const second = house(() => 'Done.', { owner: 'second' }, store)
    await create(first)
    const workflow = { id: 'w', objective: 'Say.', nodes: [{ id: 'a', session: 'desk' }] }
    await first.create(workflow, {}, 'r1')
    await first.chat.until('a')
    await second.runs.resume({ tenant: TENANT, runId: 'r1' })
    await second.runs.quiet(TENANT, 'r1')
    await first.create(workflow, {}, 'r2')
    await first.chat.until('a', 2)
    old.open()
    await soon()
    expect(first.chat.asked.length).toBe(2)
  })

  it('writes nothing more, also when the run is over', async () => {
    const store = freshStore()
    const old = gate()
    const first = house(() => old.passed.then(() => 'Late.'), { owner: 'first' }, store)
    const second = house(() => 'Done.', { owner: 'second' }, store)
    await first.create({ id: 'w', objective: 'Say.', nodes: [{ id: 'a' }] })
    await first.chat.until('a')
    await second.runs.resume({ tenant: TENANT, runId: 'r1' })
    await second.runs.quiet(TENANT, 'r1')
    const { seq } = await loadSession(store, TENANT, 'r1.a')
    old.open()
    await soon()
    expect((await loadSession(store, TENANT, 'r1.a')).seq).toBe(seq)
  })
})

describe('a follow-up that comes while its node ends', () => {
  it('is judged in the mode of the run, or finds the node over', async () => {
    const go = gate()
    const write = { tools: [{ toolName: 'write_file', arguments: {} }] }
    const one = house(({ time }) => (time === 1 ? go.passed.then(() => 'Planned.') : time === 2 ? write : 'Written.'))
    await one.create({ id: 'w', mode: 'planning', objective: 'Plan.', nodes: [{ id: 'a', role: 'planner' }] })
    await one.chat.until('a')
    const { digest, objects } = message('Write it.')
    const command = { type: 'leaveMessage', message: { kind: 'follow-up', id: 'f', message: digest } } as const
    go.open()
    await one.runs.submit(placeOf('r1'), { type: 'turn', nodeId: 'a', command }, { objects })
    await one.runs.quiet(TENANT, 'r1')
    const judged = (await one.events()).flatMap(event => (event.type === 'call.judged' ? [event.verdict.decision] : []))
    expect(judged.includes('allowed')).toBe(false)
  })
})

describe('limits', () => {
  it('a workflow that may be published may be run, however many refs it names', async () => {
    const one = house(() => 'Done.')
    const refs = (node: number) => Array.from({ length: 30 }, (_, nth) => `prompt:${'s'.repeat(60)}-${node}-${nth}@1.0.0`)
    const nodes = Array.from({ length: 500 }, (_, nth) => ({ id: `n${nth}`, disabled: true, config: { fewShotPromptRefs: refs(nth) } }))
    await expect(one.go({ id: 'w', objective: 'Say.', nodes })).resolves.toMatchObject({ phase: 'completed' })
  })

  it('a node’s own model is asked, also in a session that lasts', async () => {
    const one = house(() => 'Done.')
    await create(one)
    await one.go({ id: 'w', objective: 'Say.', nodes: [{ id: 'a', session: 'desk', provider: 'scripted', model: 'big' }] })
    expect(one.chat.asked.map(({ call }) => call.model)).toEqual(['big'])
  })

  it('a run that is over waits for no approval, however it ended', async () => {
    const asks = { tools: [{ toolName: 'request_implementation', arguments: { reason: 'It is time.' } }] }
    const one = house(({ time }) => (time === 1 ? asks : 'Planned.'))
    const { phase, approvals } = await one.go({ id: 'w', mode: 'planning', objective: 'Plan.', nodes: [{ id: 'a' }] })
    expect([phase, approvals]).toEqual(['completed', []])
  })
})
