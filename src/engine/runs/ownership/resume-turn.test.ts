// A host that resumes the work of another keeps its own new work apart: it does not treat it as abandoned and does not do it twice.
import { afterEach, expect, it } from 'vitest'
import type { Json } from '../../../core/digest/digest.ts'
import { GRAPH_DESCRIPTORS } from '../../../core/tools/graph-descriptors.ts'
import type { Binding, Store } from '../../../ports.ts'
import { type Asked, gate, type Said } from '../../../testing/models/talking-chat.ts'
import { freshStore, type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { openApprovals } from '../calls/approvals.ts'
import type { RunParts } from '../work.ts'

let store: Store
let houses: RunHouse[] = []
afterEach(async () => {
  for (const house of houses) await house.close()
  await store.close()
  for (const house of houses) expect(house.runs.problems).toEqual([])
  houses = []
})

const toolOf = (name: string, repeatable: boolean, run: Binding['run']): Partial<RunParts> => {
  const descriptor = { name, description: 'Does it.', inputSchema: { type: 'object' } }
  return { bindings: new Map([[name, { descriptor, repeatable, run }]]), hostCatalog: [...Object.values(GRAPH_DESCRIPTORS), descriptor] }
}

function open(say: (asked: Asked) => Said | Promise<Said>, more: Partial<RunParts>, on: Store): RunHouse {
  const rules = { planningCommands: [], orchestratorAsks: false, approvalMs: null }
  const house = runHouse(say, { grants: [{ tools: ['*'] }], rules, ...more }, on)
  houses.push(house)
  return house
}

const never = new Promise<Said>(() => {})
const PATIENT = { timeout: 20_000 }
const WAITING: Json = { id: 'x', objective: 'Wait.', nodes: [{ id: 'c' }] }
const OTHERS = ['r2', 'r3', 'r4']

/** Other claims take a while, so that the run that was claimed first has time to go on. */
const slowToClaim = (real: Store): Store => ({
  ...real,
  async commit(commit) {
    const claims = commit.appends?.some(({ stream, entries }) => stream !== 'run/r1' && entries.some(({ type }) => type === 'run.claimed'))
    if (claims) await new Promise(go => setTimeout(go, 100))
    return real.commit(commit)
  },
})

it('a node that a host starts while it takes up its runs asks its model once', async () => {
  store = freshStore()
  const first = open(() => never, {}, store)
  await first.close()
  for (const runId of ['r1', ...OTHERS]) await first.create(WAITING, {}, runId)
  const next = open(() => never, { owner: 'another' }, slowToClaim(store))
  await next.runs.resume()
  await expect.poll(() => next.chat.asked.length, PATIENT).toBeGreaterThanOrEqual(1 + OTHERS.length)
  expect((await next.story()).filter(one => one.startsWith('step.'))).toEqual(['step.started c'])
})

const settledIn = async (house: RunHouse): Promise<readonly string[]> =>
  (await house.events()).flatMap(event => (event.type === 'call.settled' ? [`${event.tool} ${event.status}`] : []))

const ASK = {
  toolName: 'send_handoff',
  arguments: { to: 'b', message: 'Well?', response: { expectation: 'required', timeoutMs: 60_000 } },
}
const ASKING: Json = {
  id: 'w',
  objective: 'Ask.',
  nodes: [{ id: 'a' }, { id: 'b' }],
  edges: [{ from: 'b', to: 'a', bidirectional: true }],
}

it.each([
  ['is not taken for what another left', false],
  ['is not done twice at once, when it may be repeated', true],
])('what a host begins while it takes up its runs %s', async (_, repeatable) => {
  store = freshStore()
  const done = gate()
  let begun = 0
  const parts = toolOf('slow', repeatable, async () => {
    begun += 1
    await done.passed
    return 'done'
  })
  const first = open(
    ({ node, time }) => {
      if (node === 'a') return { tools: [ASK, { toolName: 'slow', arguments: {} }] }
      return node === 'b' && time === 1 ? 'Done.' : never
    },
    parts,
    store,
  )
  await first.create(ASKING)
  await expect.poll(async () => (await first.state()).awaited.length, PATIENT).toBe(1)
  for (const runId of OTHERS) await first.create(WAITING, {}, runId)
  await first.close()
  // The wait expired while no host was running: the next host makes the call after it at once.
  const later = { ...parts, owner: 'another', now: () => Date.now() + 120_000 }
  const next = open(({ node }) => (node === 'a' ? 'Done.' : never), later, slowToClaim(store))
  await next.runs.resume()
  await expect.poll(() => begun, PATIENT).toBeGreaterThan(0)
  done.open()
  await expect.poll(async () => (await settledIn(next)).length, PATIENT).toBe(2)
  expect([begun, (await settledIn(next))[1]]).toEqual([1, 'slow succeeded'])
})

it('a node that goes on because of another while its run is taken up makes its call once', async () => {
  store = freshStore()
  const done = gate()
  let begun = 0
  const parts = toolOf('slow', false, async () => {
    begun += 1
    await done.passed
    return 'done'
  })
  const first = open(
    ({ node, time }) => {
      if (node === 'z') return { tools: [ASK, { toolName: 'slow', arguments: {} }] }
      return node === 'b' && time === 1 ? 'Done.' : never
    },
    parts,
    store,
  )
  await first.create({
    id: 'w',
    objective: 'Ask.',
    nodes: [{ id: 'b' }, { id: 'm' }, { id: 'z' }],
    edges: [{ from: 'b', to: 'z', bidirectional: true }],
  })
  await expect.poll(async () => (await first.state()).awaited.length, PATIENT).toBe(1)
  await first.chat.until('m')
  await first.close()
  // After the resume b answers, and z goes on.
  const next = open(({ node }) => (node === 'm' ? never : 'Done.'), { ...parts, owner: 'another' }, store)
  await next.runs.resume()
  await expect.poll(() => begun, PATIENT).toBe(1)
  done.open()
  await expect.poll(() => settledIn(next), PATIENT).toEqual(['send_handoff succeeded', 'slow succeeded'])
  expect(begun).toBe(1)
})

it.each([
  ['approved', 1],
  ['denied', 0],
] as const)('a call that is begun again after a restart, and needs a person by then, goes on when it was %s', async (decision, times) => {
  store = freshStore()
  const begun = gate()
  const stuck: Binding['run'] = (_, signal) => {
    begun.open()
    return new Promise((__, no) => signal.addEventListener('abort', () => no(signal.reason)))
  }
  const first = open(() => ({ tools: [{ toolName: 'pay', arguments: {} }] }), toolOf('pay', true, stuck), store)
  await first.create({ id: 'w', objective: 'Pay.', nodes: [{ id: 'a' }] })
  await begun.passed
  await first.close()
  let paid = 0
  const paying = toolOf('pay', true, async () => ++paid)
  const next = open(() => 'Done.', { ...paying, owner: 'another', grants: [{ tools: ['pay'], approval: true }] }, store)
  await next.runs.resume()
  await next.runs.quiet(TENANT, 'r1')
  for await (const { approval, runId, nodeId } of openApprovals(store, TENANT)) {
    const answer = { approval, decision, note: null, arguments: null }
    await next.runs.answer({ tenant: TENANT, runId, nodeId, actor: 'key:boss' }, answer)
  }
  await next.runs.quiet(TENANT, 'r1')
  expect([(await next.state()).phase, paid]).toEqual(['completed', times])
})
