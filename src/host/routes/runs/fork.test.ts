// Tests forks over real HTTP: replays, branches with a change, and every refusal.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endedRun, runToEnd } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'
import type { RunEventDoc } from '../../../wire/openwop/run-event.ts'

let host: TestHost
let ask: TestHost['ask']
let runId: string
let source: readonly RunEventDoc[]
beforeAll(async () => {
  host = await startHost()
  ask = await checkedAsk(host)
  for (const [id, text] of [
    ['calm', 'Write calmly.'],
    ['brave', 'Write bravely.'],
  ])
    await ask('POST', '/v1/prompts', { body: { ...template(id!), text, variables: [] } })
  const nodes = [{ id: 'writer', systemPromptRef: 'prompt:calm@1.0.0' }, { id: 'reader' }]
  await ask('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes, edges: [{ from: 'writer', to: 'reader' }] } })
  source = await runToEnd(ask, { workflowId: 'one' })
  runId = source[0]!.runId
})
afterAll(() => host.close())

const fork = (body: object, more: object = {}, of = runId) => ask('POST', `/v1/runs/${of}:fork`, { body, ...more })
const typesOf = (events: readonly RunEventDoc[]) => events.map(({ type, nodeId }) => `${type} ${nodeId ?? ''}`)

describe('a replay', () => {
  it('is a run of its own that tells the same, and says whose fork it is', async () => {
    const { status, headers, body } = await fork({ mode: 'replay' })
    expect([status, headers.get('location')]).toEqual([201, `/v1/runs/${body.runId}`])
    expect(body).toEqual({
      runId: body.runId,
      sourceRunId: runId,
      fromSeq: 0,
      mode: 'replay',
      status: 'running',
      eventsUrl: `${host.url}/v1/runs/${body.runId}/events`,
    })
    const events = await endedRun(ask, body.runId)
    expect(typesOf(events)).toEqual(typesOf(source))
    const told = (docs: readonly RunEventDoc[]) =>
      docs.filter(({ type }) => type === 'prompt.composed' || type === 'agent.promptResolved').map(({ payload }) => payload)
    expect(told(events)).toEqual(told(source))
    const { body: shown } = await ask('GET', `/v1/runs/${body.runId}`)
    expect(shown).toMatchObject({ status: 'completed', forkOf: { runId, fromSeq: 0, mode: 'replay' } })
    const { body: listed } = await ask('GET', '/v1/runs')
    const forks = listed.items.map(({ forkOf }: { readonly forkOf?: object }) => forkOf ?? null)
    expect(forks).toEqual([null, { runId, fromSeq: 0, mode: 'replay' }])
  })

  it('asked for twice under one key is made once', async () => {
    const headers = { 'idempotency-key': 'again' }
    const [one, two] = [await fork({ mode: 'replay' }, { headers }), await fork({ mode: 'replay' }, { headers })]
    expect([two.body, two.headers.get('openwop-idempotent-replay')]).toEqual([one.body, 'true'])
    expect((await fork({ mode: 'branch', fromSeq: 0 }, { headers })).status).toBe(409)
  })

  it('takes no commands: nobody goes on with it in earnest', async () => {
    const { body } = await fork({ mode: 'replay' })
    const { status } = await ask('POST', `/v1/runs/${body.runId}/pause`)
    expect(status).toBe(409)
    await endedRun(ask, body.runId)
  })
})

describe('a branch', () => {
  it('with another template composes with that from there on, and with nothing else otherwise', async () => {
    const at = source.find(({ type, nodeId }) => type === 'node.started' && nodeId === 'writer')!.sequence
    const overlay = { configurable: { promptOverrides: { system: 'prompt:brave@1.0.0' } } }
    const { status, body } = await fork({ mode: 'branch', fromSeq: at, runOptionsOverlay: overlay })
    expect(status).toBe(201)
    const events = await endedRun(ask, body.runId)
    const chosen = (docs: readonly RunEventDoc[]) =>
      docs.filter(({ type, nodeId }) => type === 'agent.promptResolved' && nodeId === 'writer').map(({ payload }) => payload.resolved)
    expect([chosen(source), chosen(events)]).toEqual([
      ['prompt:calm@1.0.0', null, null, null],
      ['prompt:brave@1.0.0', null, null, null],
    ])
    expect(events.at(-1)!.type).toBe('run.completed')
  })
})

it.each([
  [400, { mode: 'other' }],
  [400, { mode: 'branch' }],
  [400, { mode: 'replay', runOptionsOverlay: { mode: 'planning' } }],
  [400, { mode: 'branch', fromSeq: 0, runOptionsOverlay: { tags: ['x'] } }],
  [400, { mode: 'branch', fromSeq: 0, runOptionsOverlay: { configurable: { promptOverrides: { system: 'nothing' } } } }],
  [400, { mode: 'branch', fromSeq: 12, runOptionsOverlay: { inputs: {} } }],
  [422, { mode: 'branch', fromSeq: 0, runOptionsOverlay: { configurable: { promptOverrides: { system: 'prompt:nowhere@1.0.0' } } } }],
  [422, { mode: 'replay', fromSeq: 1_000 }],
  [400, { mode: 'replay', fromSeq: -1 }],
])('answers %i to %j', async (status, body) => {
  expect((await fork(body)).status).toBe(status)
})

it('a run that is not there, or another tenant’s, cannot be forked', async () => {
  expect((await fork({ mode: 'replay' }, {}, 'run_nothing')).status).toBe(404)
})

it('says that it can', async () => {
  expect((await ask('GET', '/.well-known/openwop')).body.replay).toEqual({ supported: true, modes: ['replay', 'branch'] })
})
