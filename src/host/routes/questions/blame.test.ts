// Tests blame over real HTTP: the answer equals the engine's, matches the schema, and is visible only to keys that may see it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SCOPES } from '../../../core/access/keys.ts'
import { blameRun } from '../../../engine/blame/blame.ts'
import { type PrefixAnswer, prefixOfRun } from '../../../engine/prefix/prefix.ts'
import { runToEnd } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'

const hosts: TestHost[] = []
let host: TestHost
let ask: TestHost['ask']
let runId: string

async function open(observability: 'full' | 'hashed'): Promise<void> {
  host = await startHost({ observability })
  hosts.push(host)
  ask = await checkedAsk(host)
  await ask('POST', '/v1/prompts', { body: { ...template('brave'), text: 'Write bravely.', variables: [] } })
  const nodes = [{ id: 'writer', role: 'reviewer', systemPromptRef: 'prompt:brave' }, { id: 'reader' }]
  await ask('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes, edges: [{ from: 'writer', to: 'reader' }] } })
  runId = (await runToEnd(ask, { workflowId: 'one' }))[0]!.runId
}
beforeAll(() => open('full'))
afterAll(() => Promise.all(hosts.map(one => one.close())))

const blame = (query = '', key = host.key) => ask('GET', `/v1/runs/${runId}/blame${query}`, { key })

it('answers as the engine does', async () => {
  const { status, body } = await blame()
  const known = await blameRun(host.store, 'acme', runId)
  expect([status, body]).toEqual([200, { items: JSON.parse(JSON.stringify(known)) }])
  const { body: one } = await blame('?nodeId=writer&visit=1&step=1')
  expect(one.items.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(['writer'])
})

it('answers about the stable prefix as the engine does, and shows no words in it', async () => {
  const { status, body } = await ask('GET', `/v1/runs/${runId}/prefix`)
  expect([status, body]).toEqual([200, { items: JSON.parse(JSON.stringify(await prefixOfRun(host.store, 'acme', runId))) }])
  expect(body.items.map(({ nodeId, summary }: PrefixAnswer) => [nodeId, summary.compared])).toEqual([
    ['writer', 0],
    ['reader', 0],
  ])
  expect((await ask('GET', `/v1/runs/${runId}/prefix?nodeId=nobody`)).body.error).toBe('node_missing')
})

it.each([
  ['?nodeId=nobody', 404, 'node_missing'],
  ['?step=2', 404, 'node_missing'],
  ['?step=0', 400, 'validation_error'],
  ['?kind=system', 400, 'validation_error'],
])('%s is refused', async (query, status, error) => {
  const answer = await blame(query)
  expect([answer.status, answer.body.error]).toEqual([status, error])
})

it.each(['runs:read', 'record:read'] as const)('needs the scope %s', async scope => {
  const { key } = await host.makeKey(
    'acme',
    SCOPES.filter(one => one !== scope),
  )
  expect((await blame('', key)).body).toMatchObject({ error: 'forbidden', details: { scope } })
})

it('says whose words they are, and not the words, where prompts are not shown', async () => {
  await open('hashed')
  const { body } = await blame('?nodeId=writer')
  expect(JSON.stringify(body)).not.toContain('bravely')
  expect(body.items[0].spans.map(({ template }: { template: string }) => template)).toContain('prompt:brave@1.0.0')
})
