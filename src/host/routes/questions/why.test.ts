// Tests why over real HTTP: the answer equals the engine's, matches the schema, and is visible only to its tenant.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HOST_POLICY, recordConfig } from '../../../engine/policy/record-config.ts'
import { whyRun } from '../../../engine/why/why.ts'
import { runToEnd } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'

let host: TestHost
let ask: TestHost['ask']
let runId: string
beforeAll(async () => {
  host = await startHost()
  ask = await checkedAsk(host)
  await recordConfig(host.store, 'operator', { offer: ['x'] }, { offer: [] }, HOST_POLICY)
  await ask('POST', '/v1/prompts', { body: { ...template('brave'), text: 'Write.', variables: [] } })
  await ask('PUT', '/v1/labels/brave/live', { body: { version: '1.0.0', why: 'tested' } })
  const nodes = [{ id: 'writer', role: 'reviewer', systemPromptRef: 'prompt:brave@live' }, { id: 'reader' }]
  await ask('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes, edges: [{ from: 'writer', to: 'reader' }] } })
  runId = (await runToEnd(ask, { workflowId: 'one' }))[0]!.runId
})
afterAll(() => host.close())

const why = async (query = '') => ask('GET', `/v1/runs/${runId}/why${query}`)

it('answers as the engine does, but for who changed the policy', async () => {
  const { status, body } = await why()
  const known = await whyRun(host.store, 'acme', runId)
  const seen = known.map(one => ({
    ...one,
    active: one.active.map(held => ({ ...held, policy: { revision: held.policy!.revision, at: held.policy!.since.at } })),
  }))
  expect([status, body]).toEqual([200, { items: JSON.parse(JSON.stringify(seen)) }])
  expect(JSON.stringify(body)).not.toContain('operator')
  expect(body.items[0].chain[1]).toMatchObject({ applied: true, source: 'prompt:brave@1.0.0', written: 'prompt:brave@live' })
  expect(body.items[0].chain[1].label.moves).toMatchObject([{ to: '1.0.0', why: 'tested' }])
})

it('can be asked about one node, one kind, one visit', async () => {
  const told = ({ body }: Awaited<ReturnType<typeof why>>) =>
    body.items.map((one: { nodeId: string; kind: string }) => `${one.nodeId} ${one.kind}`)
  expect(told(await why('?nodeId=reader&kind=user'))).toEqual(['reader user'])
  expect(told(await why('?kind=system&visit=1'))).toEqual(['writer system', 'reader system'])
})

it.each([
  ['?nodeId=nobody', 404, 'node_missing'],
  ['?visit=2', 404, 'node_missing'],
  ['?visit=0', 400, 'validation_error'],
  ['?kind=systems', 400, 'validation_error'],
  ['?step=1', 400, 'validation_error'],
])('%s is refused', async (query, status, error) => {
  const answer = await why(query)
  expect([answer.status, answer.body.error]).toEqual([status, error])
})
