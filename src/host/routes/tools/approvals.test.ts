// Tests approvals of calls over HTTP: what a person sees, may decide, and the effect of the decision.
import { afterEach, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../../core/digest/digest.ts'
import type { Grant } from '../../../core/gate/grants.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import type { Binding } from '../../../ports.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'

const SCRIPT = `replies:
  - match: { step: 1 }
    toolCalls: [{ toolName: pay, callId: tool-1, arguments: { to: somebody } }]
  - match: {}
    text: Done.
`
let host: TestHost
let paid: Json[] = []
afterEach(() => host.close())

async function start(grant: Partial<Grant> = {}): Promise<void> {
  paid = []
  const pay: Binding = {
    descriptor: {
      name: 'pay',
      description: 'Pays.',
      inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'], additionalProperties: false },
    },
    async run({ arguments: given }) {
      paid.push(given)
      return 'paid'
    },
  }
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  const sessions = testSessions(store, SCRIPT, {
    bindings: new Map([['pay', pay]]),
    grants: [{ tools: ['pay'], approval: true, ...grant }],
    hostCatalog: [pay.descriptor],
  })
  host = await startHost({}, { store, sessions })
}

/** A session of its own, with a run that waits for a person. */
async function waitingSession(): Promise<string> {
  await host.ask('POST', '/v1/sessions', { body: { session: 'desk', config: { provider: 'scripted', model: 'small' } } })
  await host.ask('POST', '/v1/sessions/desk/runs', { body: { input: 'Pay.' } })
  return firstApproval()
}

async function firstApproval(): Promise<string> {
  await expect.poll(async () => (await host.ask('GET', '/v1/approvals')).body.items.length, { timeout: 20_000 }).toBe(1)
  return (await host.ask('GET', '/v1/approvals')).body.items[0].approval
}

const ended = () =>
  expect.poll(async () => (await host.ask('GET', '/v1/sessions/desk')).body.lifecycle, { timeout: 20_000 }).toBe('completed')

it('show what the call would be made with, and an approval lets it be made', async () => {
  await start()
  const approval = await waitingSession()
  const { items } = (await host.ask('GET', '/v1/approvals')).body
  expect(items).toEqual([
    {
      approval,
      askedAt: expect.any(String),
      runId: expect.stringMatching(/^run_/),
      nodeId: 'session',
      session: 'desk',
      wants: {
        kind: 'tool',
        call: '1',
        tool: 'pay',
        arguments: { to: 'somebody' },
        reason: 'a person has to approve it: grant 1 names it',
        by: null,
        expiresAt: expect.any(Number),
      },
    },
  ])
  const said = { decision: 'approved', note: 'fine' }
  const headers = { 'idempotency-key': 'once' }
  const answer = await host.ask('POST', `/v1/approvals/${approval}`, { body: said, headers })
  expect(answer).toMatchObject({ status: 200, body: { approval, decision: 'approved', runId: items[0].runId, session: 'desk' } })
  await ended()
  const again = await host.ask('POST', `/v1/approvals/${approval}`, { body: said, headers })
  expect(again.headers.get('openwop-idempotent-replay')).toBe('true')
  expect(await host.ask('POST', `/v1/approvals/${approval}`, { body: said })).toMatchObject({
    status: 409,
    body: { message: expect.stringMatching(/^Approval \S+ was approved by key:\S+ already, at \S+Z\./) },
  })
  expect(paid).toEqual([{ to: 'somebody' }])
})

it('with other arguments are refused when those do not fit, and stay open', async () => {
  await start()
  const approval = await waitingSession()
  for (const given of [{}, { to: 1 }, { to: 'x', more: true }]) {
    const refused = await host.ask('POST', `/v1/approvals/${approval}`, { body: { decision: 'approved', arguments: given } })
    expect(refused).toMatchObject({ status: 422, body: { error: 'approval_arguments_refused' } })
  }
  expect((await host.ask('POST', `/v1/approvals/${approval}`, { body: { decision: 'approved', arguments: 'x' } })).status).toBe(400)
  expect(paid).toEqual([])
  await host.ask('POST', `/v1/approvals/${approval}`, { body: { decision: 'approved', arguments: { to: 'another' } } })
  await ended()
  expect(paid).toEqual([{ to: 'another' }])
})

it('are for those whom the policy names', async () => {
  await start({ approval: { by: ['key:nobody'] } })
  const approval = await waitingSession()
  const refused = await host.ask('POST', `/v1/approvals/${approval}`, { body: { decision: 'approved' } })
  expect(refused).toMatchObject({ status: 403, body: { error: 'approval_not_yours' } })
  expect(paid).toEqual([])
})

it('of a node are found from its run, which waits for them', async () => {
  await start()
  await host.ask('PUT', '/v1/workflows/paying', { body: { id: 'paying', objective: 'Pay.', nodes: [{ id: 'payer' }] } })
  const { runId } = (await host.ask('POST', '/v1/runs', { body: { workflowId: 'paying' } })).body
  const approval = await firstApproval()
  const { body } = await host.ask('GET', `/v1/runs/${runId}`)
  expect(body).toMatchObject({
    status: 'waiting-approval',
    approvals: [{ approval, nodeId: 'payer', wants: { kind: 'tool', tool: 'pay', call: '1' } }],
  })
  await host.ask('POST', `/v1/approvals/${approval}`, { body: { decision: 'denied' } })
  await expect.poll(async () => (await host.ask('GET', `/v1/runs/${runId}`)).body.status, { timeout: 20_000 }).toBe('completed')
  expect(paid).toEqual([])
  const { events } = (await host.ask('GET', `/v1/runs/${runId}/events/poll`)).body
  const types = events.map(({ type }: { type: string }) => type)
  expect(types.filter((type: string) => /approval|call.settled/.test(type))).toEqual([
    'onbook.approval.requested',
    'onbook.approval.resolved',
    'onbook.call.settled',
  ])
})
