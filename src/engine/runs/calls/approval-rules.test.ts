// Approvals of calls while hosts, people and policies change: who may approve, what expires, and what the record keeps.
import { afterEach, expect, it } from 'vitest'
import { scrubKnown } from '../../../adapters/scrub/scrub-known.ts'
import { digestJson, type Json } from '../../../core/digest/digest.ts'
import { grantOfAll } from '../../../core/gate/grants.ts'
import { GRAPH_DESCRIPTORS } from '../../../core/tools/graph-descriptors.ts'
import type { Binding, Store } from '../../../ports.ts'
import type { Asked, Said } from '../../../testing/models/talking-chat.ts'
import { freshStore, type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import type { ApprovalAnswer } from '../../turns/answer-approval.ts'
import type { RunParts } from '../work.ts'
import { type AskedApproval, openApprovals } from './approvals.ts'

let store: Store
let houses: RunHouse[] = []
let paid: Json[] = []
afterEach(async () => {
  for (const house of houses) await house.close()
  await store.close()
  houses = []
  paid = []
})

const toolOf = (name: string, run: Binding['run'], more: Partial<Binding> = {}): Binding => ({
  descriptor: { name, description: 'Does it.', inputSchema: { type: 'object' } },
  run,
  ...more,
})
const paying: Binding['run'] = async ({ arguments: given }) => {
  paid.push(given)
  return 'paid'
}
const only = (tool: Binding): Partial<RunParts> => ({
  bindings: new Map([[tool.descriptor.name, tool]]),
  hostCatalog: [...Object.values(GRAPH_DESCRIPTORS), tool.descriptor],
})
const RULES = { planningCommands: [], orchestratorAsks: false, approvalMs: null }
const ASKING = { grants: [{ tools: ['pay'], approval: true }] }
const ONE: Json = { id: 'w', objective: 'Pay.', nodes: [{ id: 'a' }] }

function open(say: (asked: Asked) => Said | Promise<Said>, more: Partial<RunParts> = {}, on: Store = freshStore()): RunHouse {
  store = on
  const house = runHouse(say, { ...only(toolOf('pay', paying)), grants: [{ tools: ['*'] }], rules: RULES, ...more }, on)
  houses.push(house)
  return house
}

const call = (toolName: string, given: Readonly<Record<string, unknown>>): Said => ({ tools: [{ toolName, arguments: given }] })
const once =
  (said: Said) =>
  ({ node, time }: Asked): Said =>
    node === 'a' && time === 1 ? said : 'Done.'
const payOnce = (given: Readonly<Record<string, unknown>>) => once(call('pay', given))

async function asked(): Promise<readonly AskedApproval[]> {
  const found: AskedApproval[] = []
  for await (const one of openApprovals(store, TENANT)) found.push(one)
  return found
}

async function answer(house: RunHouse, said: Partial<ApprovalAnswer> = {}, actor = 'key:boss') {
  const { approval, runId, nodeId } = (await asked())[0]!
  const given = { approval, decision: 'approved', note: null, arguments: null, ...said } as const
  const done = await house.runs.answer({ tenant: TENANT, runId, nodeId, actor }, given)
  await house.runs.quiet(TENANT, 'r1')
  return done
}

const soon = <T>(of: () => T) => expect.poll(of, { timeout: 1_500 })

// Small sums may be approved by the clerk, all others by the boss alone.
const TWO_APPROVERS = [
  { tools: ['pay'], arguments: { sum: [1] }, approval: { by: ['key:clerk'] } },
  { tools: ['pay'], approval: { by: ['key:boss'] } },
]

it('whoever changes the arguments must be one who may approve those', async () => {
  const house = open(payOnce({ sum: 1 }), { grants: TWO_APPROVERS })
  await house.go(ONE)
  await answer(house, { arguments: { sum: 1_000_000 } }, 'key:clerk').catch(() => null)
  expect(paid).toEqual([])
})

it('who may approve is asked of the policy there is when the call is made', async () => {
  const first = open(payOnce({ sum: 1 }), { grants: TWO_APPROVERS })
  await first.go(ONE)
  await first.close()
  const next = open(() => 'Done.', { owner: 'another', grants: [{ tools: ['pay'], approval: { by: ['key:boss'] } }] }, store)
  await next.runs.resume()
  await answer(next, {}, 'key:clerk')
  expect(paid).toEqual([])
})

it('a call of a child is approved by nobody who could not approve it for its parent', () => {
  store = freshStore()
  const grants = [
    { tools: ['pay'], roles: ['helper'], approval: true },
    { tools: ['pay'], roles: ['lead'], approval: { by: ['key:boss'] } },
  ]
  const question = { tool: 'pay', tenant: TENANT, agent: 'x', role: 'helper', arguments: {} }
  expect(grantOfAll(grants, question, ['lead']).approval?.by).toEqual(['key:boss'])
})

/** A clock that the test sets, and a wait that ends when the test says so. */
function ownTime() {
  let now = 0
  const waiting: (() => void)[] = []
  return {
    parts: {
      grants: [{ tools: ['pay'], approval: { expireAfterMs: 1_000 } }],
      now: () => now,
      wait: (ms: number, signal: AbortSignal) =>
        new Promise<void>(go => {
          signal.addEventListener('abort', () => go())
          if (ms === 1_000) waiting.push(go)
          else setTimeout(go, 10)
        }),
    },
    pass(ms: number) {
      now += ms
    },
    ring() {
      for (const go of waiting) go()
    },
  }
}

it('an approval expires also when the store fails at that moment', async () => {
  const real = freshStore()
  let fails = false
  const flaky: Store = { ...real, commit: commit => (fails ? Promise.reject(new Error('disk full')) : real.commit(commit)) }
  const time = ownTime()
  const house = open(payOnce({}), time.parts, flaky)
  await house.go(ONE)
  fails = true
  time.pass(5_000)
  time.ring()
  await expect.poll(() => house.runs.problems.length, { timeout: 20_000 }).toBeGreaterThan(0)
  fails = false
  await soon(async () => {
    time.ring()
    return (await asked()).length
  }).toBe(0)
})

it('an approval whose time is over cannot be approved, whether or not anybody has noticed', async () => {
  const time = ownTime()
  const house = open(payOnce({}), time.parts)
  await house.go(ONE)
  time.pass(5_000)
  await answer(house).catch(() => null)
  expect(paid).toEqual([])
})

it('an approval of a call that is settled for another reason is not left open', async () => {
  const real = freshStore()
  let fails = true
  const flaky: Store = {
    ...real,
    async commit(commit) {
      const done = await real.commit(commit)
      if (!fails || !commit.appends?.some(({ entries }) => entries.some(({ type }) => type === 'approval.requested'))) return done
      fails = false
      throw new Error('connection lost')
    },
  }
  const house = open(payOnce({}), ASKING, flaky)
  await house.create({ id: 'w', objective: 'Pay.', nodes: [{ id: 'a', orchestration: 'interactive' }] })
  await expect.poll(async () => (await house.story()).includes('call.settled a'), { timeout: 20_000 }).toBe(true)
  expect((await house.state()).approvals).toEqual([])
})

it('what a person puts in place of the arguments may hold no secret, and what a person notes is rid of it: both are kept', async () => {
  const scrub = scrubKnown({ environment: { ONBOOK_SECRET_PIN: 'correct-horse' } })
  const house = open(payOnce({}), { ...ASKING, scrub })
  await house.go(ONE)
  await expect(answer(house, { arguments: { pin: 'correct-horse' } })).rejects.toMatchObject({ code: 'approval_arguments_refused' })
  await answer(house, { note: 'it is correct-horse' })
  const answered = (await house.events()).find(event => event.type === 'approval.resolved')
  expect(answered?.note).toBe('it is [REDACTED]')
})

it('arguments that cannot be written down are refused, as all that do not fit', async () => {
  const house = open(payOnce({}), ASKING)
  await house.go(ONE)
  await expect(answer(house, { arguments: { to: '\ud800' } })).rejects.toMatchObject({ code: 'approval_arguments_refused' })
})

it('a call that was made with deep arguments of a person is told as done', async () => {
  const house = open(payOnce({}), ASKING)
  await house.go(ONE)
  await answer(house, { arguments: JSON.parse(`${'{"a":'.repeat(999)}1${'}'.repeat(999)}`) as Json }).catch(() => null)
  const settled = (await house.events()).find(event => event.type === 'call.settled')
  expect([paid.length, settled?.status]).not.toEqual([1, 'failed'])
})

it('the record of a call says with what it was made', async () => {
  const house = open(payOnce({ to: 'thief' }), ASKING)
  await house.go(ONE)
  await answer(house, { arguments: { to: 'ada' } })
  const settled = (await house.events()).find(event => event.type === 'call.settled')
  expect(settled?.arguments).toBe(digestJson({ to: 'ada' }))
})
