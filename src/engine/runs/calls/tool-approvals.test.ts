// Calls that a person has to approve: asked once, answered once, made once; whatever is said, nothing hangs and nothing is left open.
import { afterEach, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import type { Digest, Json } from '../../../core/digest/digest.ts'
import { type RunEvent, runEvent } from '../../../core/run/events.ts'
import type { Binding, Store } from '../../../ports.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import { type TestRuns, testRuns, workflowOf } from '../../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../../record/projections.ts'
import type { ApprovalAnswer } from '../../turns/answer-approval.ts'
import { loadRun } from '../load.ts'
import type { RunParts } from '../work.ts'
import { type AskedApproval, openApprovals } from './approvals.ts'

const TENANT = 'acme'
/** Each of three calls says which it is. */
const SCRIPT = `replies:
  - match: { step: 1 }
    toolCalls:
      - { toolName: pay, callId: tool-1, arguments: { to: first } }
      - { toolName: pay, callId: tool-2, arguments: { to: second } }
      - { toolName: look, callId: tool-3, arguments: {} }
  - match: {}
    text: Done.
`
const NOBODY_ASKED = { tools: ['look'] }
const GRANTS = [{ tools: ['pay'], approval: true }, NOBODY_ASKED]

let store: Store
let runs: TestRuns
let paid: Json[] = []

const pay: Binding = {
  descriptor: {
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object', properties: { to: { type: 'string', minLength: 1 } }, required: ['to'], additionalProperties: false },
  },
  async run({ arguments: given }) {
    paid.push(given)
    return 'paid'
  },
}
const look: Binding = { descriptor: { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }, run: async () => 'seen' }
const TOOLS = { bindings: new Map([pay, look].map(one => [one.descriptor.name, one])), hostCatalog: [pay.descriptor, look.descriptor] }

afterEach(async () => {
  await runs.close()
  await store.close()
  expect(runs.problems).toEqual([])
})

const open = (more: Partial<RunParts> = {}): TestRuns => testRuns(store, SCRIPT, { ...TOOLS, grants: GRANTS, ...more })

async function begin(more: Partial<RunParts> = {}, nodes: readonly string[] = ['payer']): Promise<void> {
  paid = []
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  runs = open(more)
  const workflow = workflowOf({ id: 'w', objective: 'Pay.', nodes: nodes.map(id => ({ id })) })
  await runs.create({ tenant: TENANT, runId: 'r1', actor: 'ada' }, { workflow })
  await runs.quiet(TENANT, 'r1')
}

async function asked(): Promise<readonly AskedApproval[]> {
  const found: AskedApproval[] = []
  for await (const one of openApprovals(store, TENANT)) found.push(one)
  return found
}

async function answer(one: AskedApproval, said: Partial<ApprovalAnswer> = {}, actor = 'key:boss') {
  const given = { approval: one.approval, decision: 'approved', note: null, arguments: null, ...said } as const
  const done = await runs.answer({ tenant: TENANT, runId: one.runId, nodeId: one.nodeId, actor }, given)
  await runs.quiet(TENANT, 'r1')
  return done
}

async function events(nodeId = 'payer'): Promise<readonly RunEvent[]> {
  const found: RunEvent[] = []
  for await (const { event } of store.read(TENANT, 'run/r1', -1)) found.push(runEvent(event))
  return found.filter(event => 'nodeId' in event && event.nodeId === nodeId)
}

const settled = async (nodeId?: string) =>
  (await events(nodeId)).flatMap(event => (event.type === 'call.settled' ? [[event.call, event.status]] : []))

const state = async () => (await loadRun(store, TENANT, 'r1')).state

// The numbers are those of the list of bugs that such a system is known for.
it('wait for their turn, one after the other, and are made once each', async () => {
  await begin()
  const [first, ...others] = await asked()
  expect(others).toEqual([])
  expect(first).toMatchObject({
    runId: 'r1',
    nodeId: 'payer',
    wants: { kind: 'tool', tool: 'pay', arguments: { to: 'first' }, reason: 'a person has to approve it: grant 1 names it' },
  })
  expect(paid).toEqual([])
  await answer(first!)
  expect(paid).toEqual([{ to: 'first' }])
  const [second] = await asked()
  expect(second).toMatchObject({ wants: { arguments: { to: 'second' } } })
  await answer(second!)
  expect(paid).toEqual([{ to: 'first' }, { to: 'second' }])
  expect(await settled()).toEqual([
    ['1', 'succeeded'],
    ['2', 'succeeded'],
    ['3', 'succeeded'],
  ])
  expect([(await state()).phase, await asked()]).toEqual(['completed', []])
})

it('10: that are denied settle the rest of their batch, each by itself, and the agent goes on', async () => {
  await begin()
  await answer((await asked())[0]!, { decision: 'denied', note: 'too dear' })
  expect(paid).toEqual([])
  expect(await settled()).toEqual([
    ['1', 'failed'],
    ['2', 'cancelled'],
    ['3', 'cancelled'],
  ])
  const first = (await events()).find(event => event.type === 'call.settled')
  expect(first).toMatchObject({ code: 'tool_denied', detail: 'a person denied it: too dear' })
  expect((await state()).phase).toBe('completed')
})

it.each(['rejected', 'yes', '', 'Approved', null])('9: an answer that nobody knows is a no: %j', async decision => {
  await begin()
  await answer((await asked())[0]!, { decision: decision as 'approved' })
  expect([paid, (await settled())[0]]).toEqual([[], ['1', 'failed']])
})

it('may be made with other arguments, which are judged like any', async () => {
  await begin()
  const [first] = await asked()
  await expect(answer(first!, { arguments: { to: '' } })).rejects.toMatchObject({ code: 'approval_arguments_refused' })
  await expect(answer(first!, { arguments: { to: 'x', more: 1 } })).rejects.toMatchObject({ code: 'approval_arguments_refused' })
  expect([paid, (await asked()).length]).toEqual([[], 1])
  await answer(first!, { arguments: { to: 'another' } })
  expect(paid).toEqual([{ to: 'another' }])
  const result = (await events()).find(event => event.type === 'call.settled')!
  const told = new TextDecoder().decode(await store.object(TENANT, (result as unknown as { result: Digest }).result))
  expect(told).toContain('"changedArguments":{"to":"another"}')
})

it('with other arguments are refused when the policy does not grant those', async () => {
  await begin({ grants: [{ tools: ['pay'], arguments: { to: ['f*'] }, approval: true }, NOBODY_ASKED] })
  await expect(answer((await asked())[0]!, { arguments: { to: 'thief' } })).rejects.toMatchObject({ code: 'approval_arguments_refused' })
  expect(paid).toEqual([])
})

it('are answered once, by whom the policy names, and by nobody else', async () => {
  await begin({ grants: [{ tools: ['pay'], approval: { by: ['key:boss'], expireAfterMs: null } }, NOBODY_ASKED] })
  const [first] = await asked()
  const { refusal } = await answer(first!, {}, 'key:clerk')
  expect(refusal).toMatchObject({
    code: 'approval_not_yours',
    message: expect.stringMatching(/not for key:clerk to answer, but for key:boss$/),
  })
  expect(paid).toEqual([])
  await answer(first!)
  expect((await answer(first!)).refusal).toMatchObject({ code: 'approval_missing' })
  expect(paid).toEqual([{ to: 'first' }])
})

it('expire, as if they were denied', async () => {
  await begin({ rules: { planningCommands: [], orchestratorAsks: true, approvalMs: 1 } })
  await expect.poll(async () => (await state()).phase, { timeout: 20_000 }).toBe('completed')
  expect([paid, (await settled())[0], await asked()]).toEqual([[], ['1', 'failed'], []])
  expect((await events()).find(event => event.type === 'call.settled')).toMatchObject({ code: 'approval_expired' })
})

it('survive a restart: asked by one host, expired or answered under the next', async () => {
  await begin()
  const [first] = await asked()
  await runs.close()
  runs = open({ owner: 'another' })
  await runs.resume()
  await runs.quiet(TENANT, 'r1')
  expect((await asked())[0]).toEqual(first)
  await answer(first!)
  expect(paid).toEqual([{ to: 'first' }])
})

it('that expired while no host was there do so under the next', async () => {
  await begin({ rules: { planningCommands: [], orchestratorAsks: true, approvalMs: 60_000 } })
  await runs.close()
  runs = open({ owner: 'another', now: () => Date.now() + 120_000 })
  await runs.resume()
  await expect.poll(async () => (await state()).phase, { timeout: 20_000 }).toBe('completed')
  expect(paid).toEqual([])
})

it.each(['denied', 'approved'] as const)(
  'are answered under the policy there is then: %s, though nobody would be asked any more',
  async decision => {
    await begin()
    const [first] = await asked()
    await runs.close()
    runs = open({ owner: 'another', grants: [{ tools: ['pay', 'look'] }] })
    await runs.resume()
    await answer(first!, { decision })
    expect(paid).toEqual(decision === 'approved' ? [{ to: 'first' }, { to: 'second' }] : [])
  },
)

it('that nothing grants any more are not made, whatever a person says', async () => {
  await begin()
  const [first] = await asked()
  await runs.close()
  runs = open({ owner: 'another', grants: [] })
  await runs.resume()
  await answer(first!)
  expect([paid, (await settled())[0]]).toEqual([[], ['1', 'failed']])
})

it('are withdrawn when their run is cancelled', async () => {
  await begin()
  const [first] = await asked()
  await runs.submit({ tenant: TENANT, runId: 'r1', actor: 'ada' }, { type: 'cancel', reason: null })
  await runs.quiet(TENANT, 'r1')
  expect([(await state()).phase, await asked(), paid]).toEqual(['cancelled', [], []])
  expect(await settled()).toEqual([
    ['1', 'cancelled'],
    ['2', 'cancelled'],
    ['3', 'cancelled'],
  ])
  expect((await answer(first!)).refusal).toMatchObject({ code: 'run_ended' })
})

it('that a defect of ours breaks off are told to the model, and the run goes on', async () => {
  const broken = { ...pay, run: () => Promise.reject(new Error('never to be seen')) }
  await begin({
    bindings: new Map([
      ['pay', broken],
      ['look', look],
    ]),
    grants: [{ tools: ['pay', 'look'] }],
  })
  expect(runs.problems.splice(0).map(({ message }) => message)).toEqual(['never to be seen', 'never to be seen'])
  const validator = { ask: () => Promise.reject(new Error('gone')), close: async () => {} }
  expect((await state()).phase).toBe('completed')
  await runs.close()
  await store.close()
  await begin({ validator })
  expect(runs.problems.splice(0).map(({ message }) => message)).toEqual(['gone', 'gone', 'gone'])
  expect([(await state()).phase, (await settled()).map(([, status]) => status)]).toEqual(['completed', ['failed', 'failed', 'failed']])
})

it('8: of two nodes that use the same id for a call are two, and an answer to one is no answer to the other', async () => {
  await begin({}, ['left', 'right'])
  const [one, other, ...more] = await asked()
  expect(more).toEqual([])
  expect(one!.approval).not.toBe(other!.approval)
  expect(`${one!.approval}${other!.approval}`).not.toContain('tool-1')
  await answer(one!)
  expect(paid).toEqual([{ to: 'first' }])
  expect(await settled(other!.session!)).toEqual([])
})
