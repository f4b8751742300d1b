// Tests replay over real HTTP: the answer equals the engine's, matches the schema, and is visible only to keys that may see it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SCOPES } from '../../../core/access/keys.ts'
import type { Digest } from '../../../core/digest/digest.ts'
import { withoutWords } from '../../../core/replay/divergence.ts'
import { runEvent, runStream } from '../../../core/run/events.ts'
import { eraseObject } from '../../../engine/record/erase.ts'
import { replayRun } from '../../../engine/replay/replay.ts'
import { runToEnd } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'

let host: TestHost
let ask: TestHost['ask']
let runId: string
beforeAll(async () => {
  host = await startHost()
  ask = await checkedAsk(host)
  const nodes = [{ id: 'writer', role: 'reviewer' }, { id: 'reader' }]
  await ask('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes, edges: [{ from: 'writer', to: 'reader' }] } })
  runId = (await runToEnd(ask, { workflowId: 'one' }))[0]!.runId
})
afterAll(() => host.close())

const replay = (query = '', key = host.key) => ask('GET', `/v1/runs/${runId}/replay${query}`, { key })

it.each([
  ['', 2],
  ['?level=1', 1],
  ['?level=2', 2],
] as const)('answers as the engine does%s', async (query, level) => {
  const { status, body } = await replay(query)
  const known = await replayRun(host.store, 'acme', runId, { level, hostDefaults: {} })
  expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(known))])
  expect([body.identical, body.level, body.prompts]).toEqual([true, level, level === 1 ? 0 : 2])
})

it.each(['?level=3', '?level=', '?level=2&node=writer'])('%s is refused', async query => {
  const answer = await replay(query)
  expect([answer.status, answer.body.error]).toEqual([400, 'validation_error'])
})

it.each(['runs:read', 'record:read'] as const)('needs the scope %s', async scope => {
  const { key } = await host.makeKey(
    'acme',
    SCOPES.filter(one => one !== scope),
  )
  expect((await replay('', key)).body).toMatchObject({ error: 'forbidden', details: { scope } })
})

it('names what is gone', async () => {
  let digest: Digest | null = null
  for await (const { event } of host.store.read('acme', runStream(runId), -1)) {
    const one = runEvent(event)
    if (one.type === 'step.settled') digest = one.reply
  }
  await eraseObject(host.store, { tenant: 'acme', digest: digest!, actor: 'ada', why: 'asked for' })
  const { body } = await replay()
  expect(body.identical).toBe(false)
  expect(body.divergences[0]).toMatchObject({ point: 'object', field: 'object_missing', expected: digest, found: null })
})

it('keeps words of prompts to itself where prompts are not shown', () => {
  const where = { sequence: 1, nodeId: 'writer' }
  const hash = { ...where, point: 'step.settled', field: 'replyHash', expected: 'a', found: 'b' } as const
  expect(withoutWords(hash)).toBe(hash)
  const words = { ...where, point: 'prompt.composed', span: { start: 1, end: 2 }, expected: 'dear', found: 'near' } as const
  expect(withoutWords(words)).toEqual({ ...words, expected: null, found: null })
})
