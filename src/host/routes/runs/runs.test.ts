// Tests runs over real HTTP: started, shown, steered, stopped. A malformed request is refused with its own code and changes nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestText } from '../../../core/digest/digest.ts'
import { draftRun, emitRun } from '../../../core/run/draft.ts'
import { writeRun } from '../../../engine/runs/write-run.ts'
import { endedRun, pollRun, runIs, runToEnd, startRun } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'

let host: TestHost
let ask: TestHost['ask']
const publish = async (workflow: { readonly id: string; readonly [more: string]: unknown }) =>
  expect((await ask('PUT', `/v1/workflows/${workflow.id}`, { body: workflow })).status).toBeLessThan(300)
beforeAll(async () => {
  host = await startHost()
  ask = await checkedAsk(host)
  await publish({ id: 'one', objective: 'Say something.', nodes: [{ id: 'writer' }] })
  await publish({ id: 'talk', objective: 'Talk.', orchestration: 'interactive', nodes: [{ id: 'writer' }] })
  await publish({
    id: 'asked',
    objective: 'Say something.',
    nodes: [{ id: 'writer' }],
    variables: [{ name: 'topic', type: 'string', required: true }],
    configurableSchema: { type: 'object', properties: { tone: { enum: ['dry', 'warm'] } }, additionalProperties: false },
  })
})
afterAll(() => host.close())

const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}) => ask('POST', `/v1/runs${path}`, { body, headers })
const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type)
const waitingRun = async () => {
  const runId = await startRun(ask, { workflowId: 'talk' })
  await runIs(ask, runId, 'waiting-input')
  return runId
}

describe('POST /v1/runs', () => {
  it('accepts a run, says where it is found, and the run goes on by itself', async () => {
    const { status, body, headers } = await post('', {
      workflowId: 'asked',
      inputs: { topic: 'whales' },
      tenantId: 'acme',
      scopeId: 'desk',
      configurable: { tone: 'dry' },
      tags: ['night'],
      metadata: { ticket: 7 },
      mode: 'planning',
      budget: { steps: 9 },
      override: 'Be brief.',
    })
    const { runId } = body
    expect(runId).toMatch(/^run_[0-9a-z]{24}$/)
    expect([status, headers.get('location')]).toEqual([201, `/v1/runs/${runId}`])
    expect(body).toEqual({
      runId,
      status: 'running',
      eventsUrl: `${host.url}/v1/runs/${runId}/events`,
      statusUrl: `${host.url}/v1/runs/${runId}`,
    })
    await endedRun(ask, runId)
    expect((await ask('GET', new URL(body.statusUrl).pathname)).body).toMatchObject({
      runId,
      workflowId: 'asked',
      status: 'completed',
      variables: { topic: 'whales' },
      outputs: { writer: 'Noted.' },
      nodeStates: { writer: { status: 'completed', visits: 1, steps: 1, session: null } },
      tags: ['night'],
      metadata: { ticket: 7, scopeId: 'desk' },
      configurable: { tone: 'dry' },
      mode: 'planning',
      budget: { steps: 9, tokens: null, milliseconds: null },
      steps: 1,
      overrides: [{ nodeId: null, text: 'Be brief.', actor: expect.stringMatching(/^key:/) }],
      paused: null,
      approvals: [],
    })
  })

  const wrong: readonly [string, object, number, string, RegExp?][] = [
    ['an unknown workflow', { workflowId: 'nobody' }, 400, 'workflow_not_found'],
    ["another tenant's name", { workflowId: 'one', tenantId: 'umbrella' }, 403, 'tenant_foreign'],
    ['a callback', { workflowId: 'one', callbackUrl: 'http://127.0.0.1/' }, 400, 'validation_error', /callbackUrl is not supported/],
    ['a field that nobody knows', { workflowId: 'one', workflow: 'one' }, 400, 'validation_error'],
    ['a mode that is none', { workflowId: 'one', mode: 'PLANNING' }, 400, 'validation_error'],
    ['a missing input', { workflowId: 'asked' }, 400, 'validation_error', /topic/],
    ['an input of another type', { workflowId: 'asked', inputs: { topic: 7 } }, 400, 'validation_error', /topic/],
    [
      'what the workflow does not let anybody configure',
      { workflowId: 'asked', inputs: { topic: 'x' }, configurable: { tone: 'loud' } },
      400,
      'validation_error',
      /tone/,
    ],
    ['a malformed ref', { workflowId: 'one', configurable: { promptOverrides: { system: 'prompt:No!' } } }, 400, 'prompt_ref_invalid'],
    ['a kind that is none', { workflowId: 'one', configurable: { promptOverrides: { bogus: 'prompt:a' } } }, 400, 'validation_error'],
    ...['model', 'temperature', 'maxTokens', 'recursionLimit'].map(
      name =>
        [
          `configurable.${name}`,
          { workflowId: 'one', configurable: { [name]: 1 } },
          400,
          'validation_error',
          new RegExp(`${name} is not supported`),
        ] as [string, object, number, string, RegExp],
    ),
  ]
  it.each(wrong)('refuses %s, and starts nothing', async (_, body, status, error, message = /./) => {
    const before = (await ask('GET', '/v1/runs?limit=1000')).body.items.length
    const answer = await post('', body)
    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(answer.body.message).toMatch(message)
    expect((await ask('GET', '/v1/runs?limit=1000')).body.items).toHaveLength(before)
  })

  it('starts one run for one Idempotency-Key, also when both come at once', async () => {
    const headers = { 'idempotency-key': 'start once' }
    const both = await Promise.all([post('', { workflowId: 'one' }, headers), post('', { workflowId: 'one' }, headers)])
    const later = await post('', { workflowId: 'one' }, headers)
    expect(new Set([...both, later].map(({ status, body }) => `${status} ${body.runId}`)).size).toBe(1)
    expect(later.headers.get('openwop-idempotent-replay')).toBe('true')
    expect((await post('', { workflowId: 'talk' }, headers)).body.error).toBe('idempotency_key_mismatch')
  })

  it('goes on with what it froze, whatever is published meanwhile', async () => {
    await publish({ id: 'moving', objective: 'First.', orchestration: 'interactive', nodes: [{ id: 'writer' }] })
    const runId = await startRun(ask, { workflowId: 'moving' })
    await runIs(ask, runId, 'waiting-input')
    await publish({ id: 'moving', objective: 'Second.', nodes: [{ id: 'other' }] })
    await post(`/${runId}/nodes/writer/messages`, { kind: 'follow-up', message: 'Go on.' })
    await runIs(ask, runId, 'waiting-input')
    const { body } = await ask('GET', `/v1/runs/${runId}/prompts/writer/2`)
    expect(body.full.text).toContain('First.')
    expect(body.full.text).not.toContain('Second.')
  })
})

describe('GET /v1/runs', () => {
  it('lists runs page by page, by workflow and by status', async () => {
    await publish({ id: 'listed', objective: 'x', nodes: [{ id: 'a' }] })
    const made = await Promise.all([1, 2, 3].map(() => startRun(ask, { workflowId: 'listed' })))
    for (const runId of made) await endedRun(ask, runId)
    const found: string[] = []
    for (let query = ''; ; ) {
      const { body } = await ask('GET', `/v1/runs?workflowId=listed&status=completed&limit=2${query}`)
      found.push(...body.items.map(({ runId }: { runId: string }) => runId))
      if (body.nextCursor === undefined) break
      query = `&cursor=${body.nextCursor}`
    }
    expect(found).toEqual([...made].sort())
    expect((await ask('GET', '/v1/runs?workflowId=listed&status=failed')).body).toEqual({ items: [] })
    expect((await ask('GET', '/v1/runs?status=bogus')).status).toBe(400)
  })
})

describe('a run under way', () => {
  it('is paused and resumed, and says who asked', async () => {
    const runId = await waitingRun()
    expect((await post(`/${runId}/pause`)).body).toEqual({ runId, status: 'paused' })
    expect((await ask('GET', `/v1/runs/${runId}`)).body.paused).toEqual({ reason: 'asked', nodeId: null, evidence: null })
    expect((await post(`/${runId}/pause`)).body.error).toBe('run_paused')
    expect((await post(`/${runId}/resume`)).body).toEqual({ runId, status: 'waiting-input' })
    expect((await post(`/${runId}/resume`)).body.error).toBe('run_not_paused')
  })

  it('that stalled says on what evidence, until it is resumed', async () => {
    const runId = await waitingRun()
    const hash = digestText('the same')
    const evidence = { signal: 'same_reply', times: 2, promptHashes: [hash, hash], replyHashes: [hash, hash] } as const
    const stalled = { type: 'run.stalled', nodeId: 'writer', evidence } as const
    const held = { type: 'run.paused', reason: 'stalled', nodeId: 'writer' } as const
    await writeRun(host.store, { tenant: 'acme', runId, actor: 'test' }, async ({ state }) => ({
      draft: emitRun(draftRun(state), stalled, held),
      answer: null,
    }))
    const paused = async () => (await ask('GET', `/v1/runs/${runId}`)).body.paused
    expect(await paused()).toEqual({ reason: 'stalled', nodeId: 'writer', evidence })
    await post(`/${runId}/resume`)
    await post(`/${runId}/override`, { text: 'Do something else.' })
    expect(await paused()).toBeNull()
    await post(`/${runId}/pause`)
    expect(await paused()).toEqual({ reason: 'asked', nodeId: null, evidence: null })
  })

  it('is cancelled, with a reason or without, in either spelling', async () => {
    for (const spelled of ['/cancel', ':cancel']) {
      const runId = await waitingRun()
      const asked = spelled === '/cancel' ? { body: { reason: 'enough' } } : {}
      const { status, body } = await ask('POST', `/v1/runs/${runId}${spelled}`, asked)
      expect([status, body.runId]).toEqual([200, runId])
      const events = await endedRun(ask, runId)
      expect(events.at(-1)).toMatchObject({ type: 'run.cancelled', payload: asked.body ?? {} })
      expect((await runIs(ask, runId, 'cancelled')).completedAt).toBe(events.at(-1)!.timestamp)
      expect((await post(`/${runId}${spelled}`)).body.error).toBe('run_ended')
    }
  })

  it('changes its mode and its override for the steps to come', async () => {
    const runId = await waitingRun()
    await post(`/${runId}/mode`, { mode: 'planning' })
    await post(`/${runId}/override`, { text: 'For all.' })
    await post(`/${runId}/override`, { nodeId: 'writer', text: 'For the writer.' })
    await post(`/${runId}/nodes/writer/messages`, { kind: 'follow-up', message: 'Go on.' })
    await runIs(ask, runId, 'waiting-input')
    const { body } = await ask('GET', `/v1/runs/${runId}/prompts/writer/2`)
    expect(body).toMatchObject({ mode: 'planning', visit: 1, step: 2 })
    expect(body.blocks.at(-1)).toMatchObject({ block: 'override', text: expect.stringContaining('For the writer.') })
    expect((await post(`/${runId}/override`, { nodeId: 'nobody', text: 'x' })).body.error).toBe('node_missing')
    await post(`/${runId}/override`, { nodeId: 'writer', text: null })
    expect((await ask('GET', `/v1/runs/${runId}`)).body.overrides).toMatchObject([{ nodeId: null, text: 'For all.' }])
  })

  it('takes messages for a node that is at work, and for no other', async () => {
    const runId = await waitingRun()
    for (const kind of ['steer', 'interrupt', 'follow-up'])
      expect(await post(`/${runId}/nodes/writer/messages`, { kind, message: `A ${kind}.` })).toMatchObject({
        status: 200,
        body: { runId, nodeId: 'writer', session: null },
      })
    const headers = { 'idempotency-key': `say ${runId}` }
    const said = await post(`/${runId}/nodes/writer/messages`, { kind: 'steer', message: 'Once.' }, headers)
    expect((await post(`/${runId}/nodes/nobody/messages`, { kind: 'steer', message: 'x' })).body.error).toBe('node_missing')
    expect((await post(`/${runId}/nodes/writer/messages`, { kind: 'shout', message: 'x' })).status).toBe(400)
    await post(`/${runId}/cancel`)
    await endedRun(ask, runId)
    expect((await post(`/${runId}/nodes/writer/messages`, { kind: 'steer', message: 'x' })).body.error).toBe('node_not_running')
    const again = await post(`/${runId}/nodes/writer/messages`, { kind: 'steer', message: 'Once.' }, headers)
    expect([again.status, again.body, again.headers.get('openwop-idempotent-replay')]).toEqual([200, said.body, 'true'])
  })

  it('is asked once for one Idempotency-Key', async () => {
    const runId = await waitingRun()
    const headers = { 'idempotency-key': `pause ${runId}` }
    const [first, second] = [await post(`/${runId}/pause`, {}, headers), await post(`/${runId}/pause`, {}, headers)]
    expect([first.status, second.status, second.headers.get('openwop-idempotent-replay')]).toEqual([200, 200, 'true'])
    const { events } = await pollRun(ask, runId)
    expect(typesOf(events).filter(type => type === 'run.paused')).toHaveLength(1)
  })
})

describe('prompts', () => {
  it('are there for every step, word for word, with where each piece came from', async () => {
    await ask('POST', '/v1/prompts', { body: template('house', { text: 'Write about {{topic}}.' }) })
    await publish({
      id: 'told',
      objective: 'Say something.',
      nodes: [{ id: 'writer', config: { systemPromptRef: 'prompt:house' } }],
      variables: [{ name: 'topic', type: 'string' }],
    })
    const runId = await startRun(ask, { workflowId: 'told', inputs: { topic: 'whales' } })
    await endedRun(ask, runId)
    const { items, next } = (await ask('GET', `/v1/runs/${runId}/prompts`)).body
    expect([items.length, next]).toEqual([1, null])
    const { body } = await ask('GET', `/v1/runs/${runId}/prompts/writer/1`)
    expect(body.full.hash).toBe(items[0].prompt.full)
    expect(body.full.text).toContain('Write about whales.')
    expect(body.segments.map(({ text }: { text: string }) => text).join('')).toBe(body.full.text)
    expect(body.segments).toContainEqual(expect.objectContaining({ text: 'whales', from: 'topic', template: 'prompt:house@1.0.0' }))
    expect(body.templates).toContainEqual(expect.objectContaining({ ref: 'prompt:house@1.0.0', kind: 'system', layer: 'node' }))
    expect(body.sent).toMatchObject({ kind: 'full', text: body.full.text })
    expect(body.outcome).toMatchObject({ failure: null, reply: expect.stringMatching(/^sha256:/) })
    expect((await ask('GET', `/v1/runs/${runId}/prompts/writer/2`)).body.error).toBe('step_not_found')
  })

  it('show hashes only where the host shows no more', async () => {
    const quiet = await startHost({ observability: 'hashed' })
    try {
      const quietly = await checkedAsk(quiet)
      await quietly('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Say something.', nodes: [{ id: 'writer' }] } })
      const runId = await startRun(quietly, { workflowId: 'one' })
      await endedRun(quietly, runId)
      const { body } = await quietly('GET', `/v1/runs/${runId}/prompts/writer/1`)
      expect([body.full.text, body.segments, body.sent.text]).toEqual([null, null, null])
      expect(body.full.hash).toMatch(/^sha256:/)
    } finally {
      await quiet.close()
    }
  })
})

describe('approvals', () => {
  const wants = { kind: 'mode', mode: 'implementation', reason: 'The plan is done.' } as const
  const askFor = (runId: string, approval: string) =>
    host.sessions.runs.submit({ tenant: 'acme', runId, actor: 'test' }, { type: 'askApproval', approval, nodeId: 'writer', wants })

  it('are listed while somebody waits, and decided by a person', async () => {
    const runId = await startRun(ask, { workflowId: 'talk', mode: 'planning' })
    await runIs(ask, runId, 'waiting-input')
    await askFor(runId, 'appr-1')
    await askFor(runId, 'appr-2')
    expect((await ask('GET', `/v1/runs/${runId}`)).body.status).toBe('waiting-approval')
    const open = async () => (await ask('GET', '/v1/approvals')).body.items.map(({ approval }: { approval: string }) => approval)
    expect((await ask('GET', '/v1/approvals?limit=1')).body).toMatchObject({
      items: [{ approval: 'appr-1', runId, nodeId: 'writer', wants }],
      nextCursor: 'appr-1',
    })
    for (const body of [{ decision: 'maybe' }, {}, { decision: true }])
      expect((await ask('POST', '/v1/approvals/appr-1', { body })).status).toBe(400)
    expect(await open()).toEqual(['appr-1', 'appr-2'])

    const headers = { 'idempotency-key': 'deny it' }
    const deny = () => ask('POST', '/v1/approvals/appr-1', { body: { decision: 'denied', note: 'Not yet.' }, headers })
    expect((await deny()).body).toEqual({ approval: 'appr-1', runId, session: null, decision: 'denied', status: 'waiting-approval' })
    expect((await deny()).headers.get('openwop-idempotent-replay')).toBe('true')
    expect((await ask('GET', `/v1/runs/${runId}`)).body.mode).toBe('planning')
    expect((await ask('POST', '/v1/approvals/appr-1', { body: { decision: 'approved' } })).body.error).toBe('approval_closed')

    expect((await ask('POST', '/v1/approvals/appr-2', { body: { decision: 'approved' } })).body.decision).toBe('approved')
    expect((await ask('GET', `/v1/runs/${runId}`)).body).toMatchObject({ mode: 'implementation', approvals: [] })
    expect(await open()).toEqual([])
    for await (const { cells } of host.store.rows('approvals', 'acme', { open: 1 })) expect(cells.approval).not.toMatch(/^appr-[12]$/)
    expect((await ask('POST', '/v1/approvals/nobody', { body: { decision: 'approved' } })).status).toBe(404)
  })

  it('of a run that has ended wait for nobody', async () => {
    const runId = await startRun(ask, { workflowId: 'talk', mode: 'planning' })
    await runIs(ask, runId, 'waiting-input')
    await askFor(runId, 'appr-3')
    await post(`/${runId}/cancel`)
    await endedRun(ask, runId)
    expect((await ask('GET', '/v1/approvals')).body.items).toEqual([])
    expect((await ask('POST', '/v1/approvals/appr-3', { body: { decision: 'approved' } })).status).toBe(409)
  })
})

it('is not there on a host that has nobody to do the work, and the host says so', async () => {
  const idle = await startHost({}, { sessions: null })
  try {
    expect(await idle.ask('POST', '/v1/runs', { body: { workflowId: 'one' } })).toMatchObject({
      status: 501,
      body: { error: 'capability_not_provided' },
    })
    const { body } = await idle.ask('GET', '/.well-known/openwop')
    expect([body.prompts.supported, body.agents.manifestRuntime.supported]).toEqual([false, false])
  } finally {
    await idle.close()
  }
})

it('says what failed, and where', async () => {
  await publish({ id: 'broken', objective: 'x', nodes: [{ id: 'writer', config: { systemPromptRef: 'prompt:nowhere' } }] })
  const events = await runToEnd(ask, { workflowId: 'broken' })
  const { runId } = events[0]!
  expect((await ask('GET', `/v1/runs/${runId}`)).body).toMatchObject({
    status: 'failed',
    error: { code: 'prompt_template_not_found' },
    failedNodeId: 'writer',
    nodeStates: { writer: { status: 'failed' } },
  })
  expect((await ask('GET', '/v1/runs/run_nobody')).body.error).toBe('run_missing')
})
