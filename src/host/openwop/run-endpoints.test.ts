// Tests OpenWOP's run endpoints over HTTP: long poll, pause and resume, bulk cancel, interrupts.
import { EventSource } from 'eventsource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.ts'
import { endedRun, runIs, startRun } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../testing/oracles/check-answer.ts'

let host: TestHost
let ask: TestHost['ask']
beforeAll(async () => {
  host = await startHost()
  ask = await checkedAsk(host)
  for (const orchestration of ['auto', 'interactive'])
    await ask('PUT', `/v1/workflows/${orchestration}`, {
      body: { id: orchestration, objective: 'Say something.', orchestration, nodes: [{ id: 'writer' }, { id: 'editor' }] },
    })
})
afterAll(() => host.close())

const waiting = async (): Promise<string> => {
  const runId = await startRun(ask, { workflowId: 'interactive' })
  await runIs(ask, runId, 'waiting-input')
  return runId
}
const ended = async (): Promise<string> => {
  const runId = await startRun(ask, { workflowId: 'auto' })
  await endedRun(ask, runId)
  return runId
}
const lastOf = async (runId: string): Promise<number> => (await ask('GET', `/v1/runs/${runId}`)).body.lastSequence
const post = (path: string, body: unknown = {}) => ask('POST', `/v1/runs${path}`, { body })

describe('GET /v1/runs/{runId}/events/poll', () => {
  it('openwop D5: waits for the next event, and answers with it', async () => {
    const runId = await waiting()
    const last = await lastOf(runId)
    let isAnswered = false
    const polled = ask('GET', `/v1/runs/${runId}/events/poll?lastSequence=${last}&timeout=60`).then(answer => {
      isAnswered = true
      return answer
    })
    await ask('GET', '/healthz')
    expect(isAnswered).toBe(false)
    await post(`/${runId}:cancel`)
    const { status, body } = await polled
    expect([status, body.events[0].sequence]).toEqual([200, last + 1])
  })

  it('openwop D5: is answered with nothing when nothing happens in time, and at once when nothing can', async () => {
    const runId = await waiting()
    const last = await lastOf(runId)
    const nothing = { status: 200, body: { events: [], isComplete: false } }
    expect(await ask('GET', `/v1/runs/${runId}/events/poll?lastSequence=${last}&timeout=1`)).toMatchObject(nothing)
    expect(await ask('GET', `/v1/runs/${runId}/events/poll?lastSequence=${last + 1}&timeout=60`)).toMatchObject(nothing)
    const over = await ended()
    const polled = await ask('GET', `/v1/runs/${over}/events/poll?lastSequence=${await lastOf(over)}&timeout=60`)
    expect(polled.body).toEqual({ events: [], isComplete: true })
  })

  it.each(['0', '61', 'x', '1.5'])('openwop D5: refuses a timeout of %s', async timeout => {
    expect((await ask('GET', `/v1/runs/nobody/events/poll?timeout=${timeout}`)).body.error).toBe('validation_error')
  })
})

describe('pause and resume', () => {
  it('openwop D10: :pause and :resume are accepted, with their times, and the policy is on record', async () => {
    const runId = await waiting()
    const paused = await post(`/${runId}:pause`, { reason: 'lunch', drainPolicy: 'immediate' })
    expect([paused.status, paused.body]).toEqual([202, { runId, status: 'paused', pausedAt: expect.stringMatching(/^\d{4}-/) }])
    const { events } = (await ask('GET', `/v1/runs/${runId}/events/poll`)).body
    expect(events.at(-1)).toMatchObject({ type: 'run.paused', payload: { reason: 'lunch', drainPolicy: 'immediate' } })
    expect(await post(`/${runId}:pause`)).toMatchObject({ status: 409, body: { error: 'run_paused', details: { runStatus: 'paused' } } })
    const resumed = await post(`/${runId}:resume`)
    expect([resumed.status, resumed.body]).toMatchObject([202, { runId, resumedAt: expect.any(String) }])
    expect(await post(`/${runId}:resume`)).toMatchObject({
      status: 409,
      body: { error: 'run_not_paused', details: { runStatus: 'waiting-input' } },
    })
    expect((await post('/nobody:pause')).status).toBe(404)
    expect(await post(`/${await ended()}:pause`)).toMatchObject({ status: 409, body: { details: { runStatus: 'completed' } } })
    expect((await post(`/${runId}:pause`, { drainPolicy: 'later' })).status).toBe(400)
  })
})

describe('POST /v1/runs:bulk-cancel', () => {
  it('openwop D10: cancels each run by itself, in the order of the request', async () => {
    const [first, over] = [await waiting(), await ended()]
    const { status, body } = await post(':bulk-cancel', { runIds: [first, 'nobody', over], reason: 'enough' })
    expect(status).toBe(200)
    expect(body.results).toEqual([
      { runId: first, ok: true, status: expect.stringMatching(/^cancell/) },
      { runId: 'nobody', ok: false, error: expect.objectContaining({ error: 'run_missing' }) },
      { runId: over, ok: false, error: expect.objectContaining({ error: 'run_ended' }) },
    ])
    await runIs(ask, first, 'cancelled')
    expect((await post(':bulk-cancel', { runIds: [first] })).body.results).toEqual([{ runId: first, ok: true, status: 'cancelled' }])
    expect((await post(':bulk-cancel', { runIds: [] })).status).toBe(400)
    const many = await post(':bulk-cancel', { runIds: Array(101).fill(first) })
    expect([many.status, many.body.details.maxRunIds]).toEqual([400, 100])
    const { key } = await host.makeKey('umbrella')
    const strange = await ask('POST', '/v1/runs:bulk-cancel', { body: { runIds: [await waiting()] }, key })
    expect(strange.body.results[0]).toMatchObject({ ok: false, error: { error: 'run_missing' } })
  })
})

describe('the end of a stream', () => {
  const MODES = ['debug', 'messages', 'values', 'updates'] as const

  it('openwop D14: the stock EventSource does not come back again and again for a run that is over', async () => {
    const runId = await ended()
    const connections = new Map<string, number>()
    const sources = MODES.map(
      mode =>
        new EventSource(`${host.url}/v1/runs/${runId}/events?streamMode=${mode}`, {
          fetch: (url, init) => {
            connections.set(mode, (connections.get(mode) ?? 0) + 1)
            return fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${host.key}` } })
          },
        }),
    )
    // Longer than the reconnection time of a reader that was cut off.
    await new Promise(resume => setTimeout(resume, 2_500))
    for (const source of sources) source.close()
    expect([...connections.values()]).toEqual(MODES.map(() => 1))
  })

  it.each(MODES)('openwop D14: our client ends with the run in mode %s, also when it has seen everything', async mode => {
    const runId = await ended()
    const client = createClient({ url: host.url, key: host.key })
    const types: string[] = []
    for (const after of ['', String(await lastOf(runId))])
      for await (const { type } of client.runs.events(runId, { after, modes: [mode] })) types.push(type)
    expect(types.length).toBeLessThan(20)
  })

  it('openwop D15: a snapshot says that the run has a log of events', async () => {
    expect((await ask('GET', `/v1/runs/${await ended()}`)).body.eventLogSchemaVersion).toBe(2)
  })
})

describe('interrupts', () => {
  const asking = async (): Promise<{ runId: string; approval: string }> => {
    const runId = await waiting()
    const approval = `approval-of-${runId}`
    const wants = { kind: 'mode', mode: 'implementation', reason: 'The plan is good' } as const
    const place = { tenant: 'acme', runId, actor: 'test' }
    await host.sessions.runs.submit(place, { type: 'askApproval', approval, nodeId: 'writer', wants })
    return { runId, approval }
  }

  it('openwop D10: show an approval that is open, by its node and by its token', async () => {
    const { runId, approval } = await asking()
    const shown = await ask('GET', `/v1/runs/${runId}/interrupts/writer`)
    expect([shown.status, shown.body]).toMatchObject([
      200,
      { interruptId: approval, runId, nodeId: 'writer', kind: 'approval', key: approval, data: { actions: ['accept', 'reject'] } },
    ])
    expect((await ask('GET', `/v1/interrupts/${approval}`)).body).toEqual(shown.body)
    expect((await ask('GET', `/v1/runs/${runId}/interrupts/editor`)).body.error).toBe('interrupt_not_found')
    expect((await ask('GET', '/v1/interrupts/nobody')).body.error).toBe('interrupt_not_found')
  })

  it('openwop D10: are resolved by a resumeValue, once', async () => {
    const { runId } = await asking()
    const path = `/v1/runs/${runId}/interrupts/writer`
    expect((await ask('POST', path, { body: { resumeValue: { action: 'ask' } } })).body.error).toBe('validation_error')
    expect(await ask('POST', path, { body: { resumeValue: { action: 'accept', feedback: 'go on' } } })).toMatchObject({
      status: 200,
      body: { runId, decision: 'approved' },
    })
    expect((await ask('GET', `/v1/runs/${runId}`)).body.approvals).toEqual([])
    expect((await ask('POST', path, { body: { resumeValue: { action: 'accept' } } })).status).toBe(404)
    const other = await asking()
    const denied = await ask('POST', `/v1/interrupts/${other.approval}`, { body: { resumeValue: { decision: 'rejected' } } })
    expect(denied.body).toMatchObject({ decision: 'denied' })
  })
})

describe('addresses', () => {
  it('openwop D24: eventsUrl is absolute', async () => {
    const { body } = await post('', { workflowId: 'auto' })
    expect(body.eventsUrl).toBe(`${host.url}/v1/runs/${body.runId}/events`)
  })

  it.each(['/runs', '/runs/x', '/prompts?kind=system', '/workflows/w'])('openwop D24: %s has no version, and is refused so', async path => {
    expect(await host.ask('GET', path)).toMatchObject({ status: 400, body: { error: 'path_unversioned' } })
  })

  it('openwop D24: a path that is nothing of ours is not found', async () => {
    for (const path of ['/favicon.ico', '/v1/nothing', '/v2/runs']) expect((await host.ask('GET', path)).status).toBe(404)
  })
})

it('openwop D12: /v1/agents is an inventory, and our own list is a view of it', async () => {
  const agent = { agentId: 'local.desk.greeter', persona: 'Greeter', systemPrompt: 'You greet.', modelClass: 'writing', version: '1.2.0' }
  await ask('PUT', '/v1/agents/local.desk.greeter', { body: agent })
  const { body } = await ask('GET', '/v1/agents')
  expect(body).toEqual({
    agents: [
      {
        agentId: 'local.desk.greeter',
        persona: 'Greeter',
        label: 'Greeter',
        modelClass: 'writing',
        packName: 'local.desk',
        packVersion: '1.2.0',
        toolAllowlist: [],
        hasHandoffSchemas: false,
      },
    ],
    total: 1,
  })
  expect((await ask('GET', '/v1/agents?view=summaries&limit=1')).body.items).toMatchObject([{ agentId: 'local.desk.greeter', revision: 1 }])
  expect((await ask('GET', '/v1/agents?limit=1')).body.error).toBe('validation_error')
  expect((await ask('GET', '/.well-known/openwop')).body.agents.manifestRuntime).toMatchObject({ supported: true, installScope: 'tenant' })
  const { key } = await host.makeKey('umbrella')
  expect((await ask('GET', '/v1/agents', { key })).body).toEqual({ agents: [], total: 0 })
})

describe('what this host cannot do is refused, never ignored', () => {
  it('openwop D19: X-Dedup', async () => {
    const { status, body } = await ask('POST', '/v1/runs', {
      body: { workflowId: 'auto', scopeId: 's' },
      headers: { 'x-dedup': 'enforce' },
    })
    expect([status, body.error]).toEqual([400, 'validation_error'])
    expect(body.message).toContain('X-Dedup')
  })

  it('openwop D19: configurable.ai.credentialRef', async () => {
    const { status, body } = await post('', { workflowId: 'auto', configurable: { ai: { credentialRef: 'mine' } } })
    expect([status, body.message]).toEqual([400, expect.stringContaining('credentialRef')])
  })
})

it('openwop D22: a ref without a version means the newest release, not a candidate', async () => {
  const put = (version: string) => ({ templateId: 'd22', version, kind: 'system', text: version })
  await ask('POST', '/v1/prompts', { body: put('1.1.0') })
  await ask('POST', '/v1/prompts', { body: put('2.0.0-rc.1') })
  const render = async (ref: string) => (await ask('POST', '/v1/prompts:render', { body: { ref, variables: {} } })).body.composed
  expect(await render('prompt:d22')).toBe('1.1.0')
  expect(await render('prompt:d22@2.0.0-rc.1')).toBe('2.0.0-rc.1')
  await ask('POST', '/v1/prompts', { body: { ...put('1.0.0-rc.1'), templateId: 'd22.new' } })
  expect(await render('prompt:d22.new')).toBe('1.0.0-rc.1')
})
