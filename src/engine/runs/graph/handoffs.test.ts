// Handoffs between nodes that are at work, wait, have ended or have yet to start; replies that are waited for; and hosts that stop meanwhile.
import { afterEach, expect, it } from 'vitest'
import type { Json } from '../../../core/digest/digest.ts'
import { nodeOf } from '../../../core/run/state.ts'
import { emptyConfig } from '../../../core/session/config.ts'
import { GRAPH_DESCRIPTORS } from '../../../core/tools/graph-descriptors.ts'
import { type Asked, gate, type Said, textsOf } from '../../../testing/models/talking-chat.ts'
import { freshStore, placeOf, type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { publishAgent } from '../../definitions/agents.ts'
import type { RunParts } from '../work.ts'

let house: RunHouse
afterEach(async () => {
  await house.close()
  await house.store.close()
  expect(house.runs.problems).toEqual([])
})

const RULES = { planningCommands: [], orchestratorAsks: false, approvalMs: null }

function open(say: (asked: Asked) => Said | Promise<Said>, more: Partial<RunParts> = {}, store = freshStore()): RunHouse {
  const probe = { name: 'probe', description: 'Tries.', inputSchema: { type: 'object' } }
  house = runHouse(
    say,
    { hostCatalog: [...Object.values(GRAPH_DESCRIPTORS), probe], grants: [{ tools: ['*'] }], rules: RULES, ...more },
    store,
  )
  return house
}

const send = (to: string, message: string, more: Readonly<Record<string, unknown>> = {}): Said => ({
  tools: [{ toolName: 'send_handoff', arguments: { to, message, ...more } }],
})
const ask = (to: string, message: string, more: Readonly<Record<string, unknown>> = {}): Said =>
  send(to, message, { response: { expectation: 'required', ...more } })
const probing: Said = { tools: [{ toolName: 'probe', arguments: {} }] }
/** Machines may be slow. */
const soon = <T>(of: () => T) => expect.poll(of, { timeout: 20_000 })
const told = ({ call }: Asked): string =>
  textsOf(call)
    .map(([, text]) => text)
    .join('\n')
const lastTold = (node: string): string => told(house.chat.asked.findLast(asked => asked.node === node)!)
const lastResult = ({ call }: Asked): Json =>
  call.messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .flatMap(part => (part.type === 'tool_result' ? [part.output] : []))
    .at(-1) ?? null
const visits = async (node: string): Promise<number> => nodeOf(await house.state(), node).visits

/** Both start at once, and may make edges. */
const PAIR: Json = {
  id: 'pair',
  objective: 'Talk.',
  nodes: [
    { id: 'a', role: 'orchestrator' },
    { id: 'b', role: 'orchestrator' },
  ],
}
const LINK = { toolName: 'create_edge', arguments: { from: 'a', to: 'b' } }
/** With an edge, made in the same reply. */
const linked = (said: Said): Said => ({ tools: [LINK, ...((said as { readonly tools: readonly (typeof LINK)[] }).tools ?? [])] })

const CHAIN: Json = {
  id: 'chain',
  objective: 'Work.',
  nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  edges: [
    { from: 'a', to: 'b', bidirectional: true },
    { from: 'b', to: 'c', bidirectional: true },
  ],
}

it('to a node that has yet to start are among what it starts with', async () => {
  open(({ node, time }) =>
    node === 'a' && time === 1 ? send('b', 'Mind the gap.', { artifacts: [{ type: 'report', ref: 'x' }] }) : 'Done.',
  )
  await house.go(CHAIN)
  const [prompt] = await house.prompts('b')
  expect(prompt).toContain('- {"artifacts":[{"ref":"x","type":"report"}],"from":"a"}\n| Mind the gap.')
  expect(await visits('b')).toBe(1)
})

it('to a node that has ended start it once more, and nothing that followed it is done again', async () => {
  open(({ node, time }) => (node === 'c' && time === 1 ? send('b', 'One more thing.') : 'Done.'))
  const state = await house.go(CHAIN)
  expect(state.phase).toBe('completed')
  expect([await visits('a'), await visits('b'), await visits('c')]).toEqual([1, 2, 1])
  const prompt = (await house.prompts('b')).at(-1)
  expect(prompt).toContain('| One more thing.')
  expect(prompt).not.toContain('output of a')
})

it('to a node that was passed over start it', async () => {
  open(({ node, time }) => (node === 'c' && time === 1 ? send('b', 'Now you.') : 'Done.'))
  const state = await house.go({
    id: 'skips',
    objective: 'Work.',
    nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    edges: [
      { from: 'a', to: 'b', condition: { type: 'equals', left: 'output', right: 'never' } },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'c', triggerRule: 'all_complete', bidirectional: true },
    ],
  })
  expect([state.phase, await visits('b'), await visits('c')]).toEqual(['completed', 1, 1])
})

it('to a node at work are read at its next step, and keep it from ending before that', async () => {
  const sent = gate()
  open(async ({ node, time }) => {
    if (node === 'b') return time === 1 ? linked(send('a', 'First.')) : time === 2 ? send('a', 'Second.') : 'Done.'
    if (time === 1) await sent.passed
    return time === 1 ? 'I am done.' : 'Now I am.'
  })
  await house.create(PAIR)
  await soon(async () => (await house.state()).inbox.length).toBe(2)
  sent.open()
  await over()
  expect(await visits('a')).toBe(1)
  expect(lastTold('a')).toMatch(/I am done\.[\s\S]+\| First\.[\s\S]+\| Second\./)
})

it('that come between two steps are read in the second', async () => {
  const sent = gate()
  open(async ({ node, time }) => {
    if (node === 'b') return time === 1 ? linked(send('a', 'Look here.')) : 'Done.'
    if (time === 1) await sent.passed
    return time === 1 ? probing : 'Done.'
  })
  await house.create(PAIR)
  await soon(async () => (await house.state()).inbox.length).toBe(1)
  sent.open()
  await over()
  expect(house.chat.asked.filter(({ node }) => node === 'a').map(asked => told(asked).includes('| Look here.'))).toEqual([false, true])
})

it('to a node that waits for a person let it go on', async () => {
  const waits = gate()
  open(async ({ node, time }) => {
    if (node === 'a') return time === 1 ? 'What now?' : 'Thanks.'
    await waits.passed
    return time === 1 ? linked({ tools: [...sendTo('a', 'One.'), ...sendTo('a', 'Two.')] } as Said) : 'Done.'
  })
  const [a, b] = (PAIR as { readonly nodes: readonly object[] }).nodes
  await house.create({ ...(PAIR as object), nodes: [{ ...a, orchestration: 'interactive' }, b] } as Json)
  await soon(async () => nodeOf(await house.state(), 'a').status).toBe('waiting')
  waits.open()
  await soon(() => lastTold('a')).toMatch(/\| One\.[\s\S]+\| Two\./)
  await house.runs.quiet(TENANT, 'r1')
  expect((await house.state()).inbox).toEqual([])
})

const sendTo = (to: string, message: string) => [{ toolName: 'send_handoff', arguments: { to, message } }]
const over = () => soon(async () => (await house.state()).phase).toBe('completed')

it('a reply that does not come in time is a failed call, and the late one is mail', async () => {
  const late = gate()
  let result: Json = null
  open(async asked => {
    const { node, time } = asked
    if (node === 'a' && time === 1) return linked(ask('b', 'Well?', { timeoutMs: 50 }))
    if (node === 'a' && time === 2) {
      result = lastResult(asked)
      late.open()
      await house.chat.until('b', 3)
      return 'I go on without.'
    }
    if (node === 'b' && time === 1) await late.passed
    return node === 'b' && time === 2 ? send('a', 'Sorry.') : 'Done.'
  })
  await house.create(PAIR)
  await over()
  expect(result).toEqual({ error: expect.stringContaining('node b did not reply in time') })
  expect((await house.events()).filter(({ type }) => type === 'handoff.expired')).toHaveLength(1)
  expect(lastTold('a')).toContain('| Sorry.')
})

it('a person may change what is asked: whoever waits is told so with the reply', async () => {
  let result: Json = null
  open(asked => {
    const { node, time } = asked
    if (node === 'a' && time > 1) result = lastResult(asked)
    return node === 'a' && time === 1 ? ask('b', 'Well?!') : 'Fine.'
  })
  const nodes = [{ id: 'b' }, { id: 'a', settings: { gated: true } }]
  const { approvals } = await house.go({ id: 'g', objective: 'Talk.', nodes, edges: [{ from: 'b', to: 'a', bidirectional: true }] })
  const changed = { to: 'b', message: 'How are you?', response: { expectation: 'required' } }
  const answer = { approval: approvals[0]!.approval, decision: 'approved', note: null, arguments: changed } as const
  await house.runs.answer({ tenant: TENANT, runId: 'r1', nodeId: 'a', actor: 'key:boss' }, answer)
  await over()
  expect(result).toEqual({ changedArguments: changed, result: { handoff: 'handoff-1', from: 'b', reply: 'output', output: 'Fine.' } })
  expect(lastTold('b')).toContain('| How are you?')
})

it('who is waited for cannot wait in turn: it is told so, reads what it was asked, and answers', async () => {
  const results: Json[] = []
  open(async asked => {
    const { node, time } = asked
    if (time === 2) results.push([node, lastResult(asked)])
    if (time > 1) return `${node} is done.`
    if (node === 'a') return linked(ask('b', 'What do you say?'))
    await soon(async () => (await house.state()).awaited.length).toBe(1)
    return ask('a', 'And you?')
  })
  await house.create(PAIR)
  await over()
  expect(results).toEqual([
    ['b', { error: 'node a waits for a reply of yours: answer before you ask' }],
    ['a', { handoff: 'handoff-1', from: 'b', reply: 'output', output: 'b is done.' }],
  ])
  expect(lastTold('b')).toContain('| What do you say?')
})

const helped = (helper: (time: number) => Said, then: Said) =>
  open(({ node, time }) => {
    if (node !== 'a') return helper(time)
    const spawn = { toolName: 'spawn_node', arguments: { label: 'helper', roleTemplate: 'investigator', alias: 'h' } }
    return time === 1 ? { tools: [spawn, { toolName: 'create_edge', arguments: { from: 'a', to: 'h' } }] } : time === 2 ? then : 'Then not.'
  })
const ALONE: Json = { id: 'one', objective: 'Try.', nodes: [{ id: 'a', role: 'orchestrator' }] }

it('a spawned node that fails is a failed call of the one that waits for it, and the run goes on', async () => {
  helped(time => (time === 1 ? 'Ready.' : { fail: 'provider_terminal' }), ask('h', 'Tell me.'))
  const state = await house.go(ALONE)
  expect([state.phase, nodeOf(state, 'helper-1').status]).toEqual(['completed', 'failed'])
  const [settled] = (await house.events()).filter(event => event.type === 'call.settled' && event.tool === 'send_handoff')
  expect(settled).toMatchObject({ status: 'failed', code: 'reply_failed', detail: expect.stringContaining('node helper-1 failed') })
})

it('a spawned node that fails while nobody waits for it fails the run', async () => {
  helped(() => ({ fail: 'provider_terminal' }), 'Done.')
  const { phase, failure } = await house.go(ALONE)
  expect([phase, failure?.failedNodeId]).toEqual(['failed', 'helper-1'])
})

it('whoever waits is ended with its run', async () => {
  open(({ node, time }) => (node === 'a' && time === 1 ? linked(ask('b', 'Well?')) : new Promise<Said>(() => {})))
  await house.create(PAIR)
  await soon(async () => (await house.state()).awaited.length).toBe(1)
  await house.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
  await soon(async () => (await house.state()).phase).toBe('cancelled')
  expect((await house.state()).awaited).toEqual([])
})

it('a wait outlives its host: the next one neither breaks it off nor asks again', async () => {
  const store = freshStore()
  let results: Json[] = []
  const say = (asked: Asked): Said | Promise<Said> => {
    const { node, time } = asked
    if (node === 'a' && results.length === 0 && time === 1) return linked(ask('b', 'Well?'))
    if (node === 'a') {
      results = [...results, lastResult(asked)]
      return 'Good.'
    }
    return new Promise<Said>(() => {})
  }
  const first = open(say, {}, store)
  await first.create(PAIR)
  await soon(async () => (await first.state()).awaited.length).toBe(1)
  await first.close()
  open(asked => (asked.node === 'b' ? 'Yes.' : say({ ...asked, time: 2 })), { owner: 'another' }, store)
  await house.runs.resume()
  await over()
  expect(results).toEqual([{ handoff: 'handoff-1', from: 'b', reply: 'output', output: 'Yes.' }])
  expect((await house.events()).filter(({ type }) => type === 'handoff.sent')).toHaveLength(1)
})

it('a wait whose time is over when the next host comes is over', async () => {
  const store = freshStore()
  const results: Json[] = []
  const never = new Promise<Said>(() => {})
  const first = open(({ node }) => (node === 'a' ? linked(ask('b', 'Well?')) : never), {}, store)
  await first.create(PAIR)
  await soon(async () => (await first.state()).awaited.length).toBe(1)
  await first.close()
  const say = (asked: Asked): Said | Promise<Said> => {
    if (asked.node === 'b') return never
    results.push(lastResult(asked))
    return 'Then not.'
  }
  open(say, { owner: 'another', now: () => Date.now() + 11 * 60_000 }, store)
  await house.runs.resume()
  await soon(() => results).toEqual([{ error: expect.stringContaining('did not reply in time') }])
})

it('a node without a step left ends, and reads its mail when it starts again', async () => {
  const sent = gate()
  open(async ({ node, time }) => {
    if (node === 'b') return time === 1 ? linked(send('a', 'Look here.')) : 'Done.'
    if (time === 1) await sent.passed
    return 'I am done.'
  })
  await publishAgent(house.store, { tenant: TENANT, actor: 'ada' }, { agentId: 'local.desk.short', persona: 'Short', session: 'short' })
  const config = { ...emptyConfig, provider: 'scripted', model: 'small', limits: { ...emptyConfig.limits, maxSteps: 1 } }
  const place = { tenant: TENANT, session: 'short', actor: 'ada' }
  await house.runs.sessions.submit(place, { type: 'create', session: 'short', agentId: 'local.desk.short', config })
  const [, b] = (PAIR as { readonly nodes: readonly object[] }).nodes
  await house.create({ ...(PAIR as object), nodes: [{ id: 'a', agent: 'local.desk.short' }, b] } as Json)
  await soon(async () => (await house.state()).inbox.length).toBe(1)
  sent.open()
  await over()
  expect(await visits('a')).toBe(2)
  expect(lastTold('a')).toContain('| Look here.')
})
