// Tests a tenant's schema that backtracks for ever: the host stops it, remembers it, and delays no other tenant.
import { afterEach, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { stoppedSchemas } from '../../adapters/validator/stopped-schemas.ts'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import type { Json } from '../../core/digest/digest.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { fairValidator } from '../../engine/work/fair-validator.ts'
import type { Binding } from '../../ports.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { testSessions } from '../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'

const SLOW = { type: 'object', properties: { word: { type: 'string', pattern: '^(a+)+$' } } }
const HANGS = `${'a'.repeat(40)}!`
const CALLS = 20

let host: TestHost
afterEach(() => host.close())

async function start(script?: string, bindings: readonly Binding[] = [], grants: readonly { readonly tools: string[] }[] = []) {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  const stopped = stoppedSchemas()
  const validator = fairValidator(() => workerValidator({ stopped, patienceMs: 500 }), 3)
  const bound = new Map(bindings.map(one => [one.descriptor.name, one]))
  const hostCatalog = bindings.length === 0 ? null : bindings.map(({ descriptor }) => descriptor)
  const sessions = testSessions(store, script, { validator, bindings: bound, grants, hostCatalog })
  host = await startHost({}, { store, sessions: { ...sessions, validator } })
}

it('reliability D6: a backtracking pattern costs its tenant two stops, and delays no other tenant', async () => {
  await start()
  const { key } = await host.makeKey('umbrella')
  const order: string[] = []
  const run = async (name: string, word: string, asking: { readonly key?: string } = {}) => {
    const answer = await host.ask('POST', '/v1/runs', { body: { workflowId: 'one', configurable: { word } }, ...asking })
    order.push(name)
    return answer
  }
  const document = { id: 'one', objective: 'Write.', nodes: [{ id: 'n' }], configurableSchema: SLOW }
  for (const asking of [{}, { key }]) await host.ask('PUT', '/v1/workflows/one', { body: document, ...asking })
  // Warm-up: both tenants have a running thread.
  await Promise.all([run('a', 'aa'), run('b', 'aa', { key })])
  order.length = 0
  const slow = Array.from({ length: CALLS }, () => run('a', HANGS))
  await new Promise(resume => setTimeout(resume, 50))
  expect((await run('b', 'aa', { key })).status).toBe(201)
  const messages = (await Promise.all(slow)).map(({ status, body }) => `${status} ${body.message}`)
  expect(order.indexOf('b')).toBeLessThan(2)
  expect(messages.filter(message => /^400 .*took more than 0.5 s/.test(message))).toHaveLength(2)
  expect(messages.filter(message => /^400 .*was stopped twice already/.test(message))).toHaveLength(CALLS - 2)
})

it('reliability D6: the schema of a tool is not run for a call that nobody granted', async () => {
  const tool: Binding = {
    descriptor: { name: 'probe', description: 'Tries.', inputSchema: SLOW as Json as Binding['descriptor']['inputSchema'] },
    run: async () => 'done',
  }
  const call = `{ toolName: probe, callId: tool-1, arguments: { word: "${HANGS}" } }`
  await start(`replies:\n  - match: { step: 1 }\n    toolCalls: [${call}]\n  - match: {}\n    text: Done.\n`, [tool])
  await host.ask('POST', '/v1/sessions', { body: { session: 'desk', config: { provider: 'scripted', model: 'small' } } })
  const { runId } = (await host.ask('POST', '/v1/sessions/desk/runs', { body: { input: 'Try.' } })).body
  await expect.poll(async () => (await host.ask('GET', '/v1/sessions/desk')).body.lifecycle, { timeout: 20_000 }).toBe('completed')
  const { body } = await host.ask('GET', `/v1/streams/run%2F${runId}/events`)
  const { payload } = body.events.find(({ type }: { type: string }) => type === 'call.judged')
  const outcomes = payload.verdict.conditions.slice(0, 4).map((one: Record<string, string>) => [one.condition, one.outcome])
  expect(payload.verdict.decision).toBe('refused')
  expect(outcomes).toEqual([
    ['well_formed', 'not_reached'],
    ['visible', 'passed'],
    ['bound', 'passed'],
    ['granted', 'failed'],
  ])
})
