// OpenWOP's scenarios that need a run, under their names, and RFC 0029's story with every layer. Over real HTTP, from the events alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { publishConformance } from '../../engine/definitions/conformance.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { readCapabilities, requireReplay } from '../../testing/capability-gates.ts'
import { publishToHost } from '../../testing/hosts/host-library.ts'
import { endedRun, pollRun, runIs, runToEnd, startRun } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'
import { type TestSessions, testSessions } from '../../testing/hosts/test-sessions.ts'
import { checkedAsk } from '../../testing/oracles/check-answer.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import type { PromptResolved } from '../../wire/openwop/prompt-resolved.ts'
import type { RunEventDoc } from '../../wire/openwop/run-event.ts'

const hostDefaults = { user: 'prompt:host-user@1.0.0' }

let host: TestHost
let ask: TestHost['ask']
let sessions: TestSessions
beforeAll(async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  sessions = testSessions(store, undefined, { world: { ...WORLD, hostDefaults } })
  host = await startHost({ hostDefaults }, { store, sessions })
  ask = await checkedAsk(host)
  await publishConformance(store, 'onbook')
  const text = (templateId: string, words: string, more = {}) =>
    ask('POST', '/v1/prompts', { body: template(templateId, { text: words, variables: [], ...more }) })
  await publishToHost(store, template('host-user', { kind: 'user', text: 'Write.', variables: [] }))
  await text('experimental-writer', 'Experiment.', { version: '2.0.0' })
  await text('editorial-house-style', 'Keep to the house style.')
  await text('workflow-default', 'Work.')
  await text('shelf', 'From the shelf.', { tags: ['default'] })
  await text('run-override', 'For this run.')
})
afterAll(async () => {
  await sessions.close()
  await host.close()
})

const put = async (kind: 'workflows' | 'agents', id: string, body: object) =>
  expect((await ask('PUT', `/v1/${kind}/${id}`, { body })).status).toBeLessThan(300)
const of = (events: readonly RunEventDoc[], type: string) => events.filter(event => event.type === type)
const resolvedIn = (events: readonly RunEventDoc[]) =>
  of(events, 'agent.promptResolved').map(one => one.payload as unknown as PromptResolved)
const logsIn = (events: readonly RunEventDoc[], code: string) => of(events, 'log.appended').filter(({ payload }) => payload.code === code)

/** The chain in the format of RFC 0029 §D. */
const drawn = ({ nodeId, kind, resolved, chain }: PromptResolved): readonly string[] => [
  `${nodeId} ${kind}: ${resolved}`,
  ...chain.map(
    ({ layer, applied, source, reason }) => `${applied ? '✓' : '✗'} ${layer} (${source ?? 'none'})${applied ? '' : ` — ${reason}`}`,
  ),
]

describe('RFC 0027', () => {
  it('prompt-end-to-end-events', async () => {
    expect((await ask('GET', '/.well-known/openwop')).body.prompts.supported).toBe(true)
    const events = await runToEnd(ask, { workflowId: 'conformance-prompt-end-to-end' })
    expect(events.map(({ type }) => type).filter(type => !type.startsWith('onbook.') && type !== 'agent.promptResolved')).toEqual([
      'run.started',
      'node.started',
      'prompt.composed',
      'prompt.composed',
      'node.completed',
      'run.completed',
    ])
    const ref = 'prompt:conformance.prompt.writer-system@1.0.0'
    const composed = of(events, 'prompt.composed').find(({ payload }) => payload.kind === 'system-only')!
    const resolved = of(events, 'agent.promptResolved').find(({ payload }) => payload.kind === 'system')!
    expect(composed.payload).toMatchObject({ nodeId: 'writer', refs: [ref], systemPrompt: 'You are a careful writer.' })
    expect(resolved.payload).toMatchObject({ nodeId: 'writer', kind: 'system', resolved: ref })
    expect(resolved.sequence).toBeLessThan(composed.sequence)
    expect(resolved.sequence).toBeGreaterThan(of(events, 'node.started')[0]!.sequence)
    expect([composed.nodeId, of(events, 'node.completed')[0]!.payload]).toEqual([
      'writer',
      { nodeId: 'writer', outputs: { output: 'Sample reply.' } },
    ])
  })

  it('prompt-all-four-kinds-events: five refs, five resolved, five composed, each resolved first', async () => {
    const events = await runToEnd(ask, { workflowId: 'conformance-prompt-all-four-kinds' })
    const [resolved, composed] = [of(events, 'agent.promptResolved'), of(events, 'prompt.composed')]
    const refs = ['writer-system', 'writer-user', 'schema-hint', 'few-shot', 'few-shot-2'].map(
      name => `prompt:conformance.prompt.${name}@1.0.0`,
    )
    expect(resolved.map(({ payload }) => payload.resolved).sort()).toEqual([...refs].sort())
    expect(composed.map(({ payload }) => (payload.refs as string[])[0]).sort()).toEqual([...refs].sort())
    expect(composed.map(({ payload }) => payload.kind).sort()).toEqual([...Array(3).fill('agent-reasoning'), 'system-only', 'user-only'])
    for (const { sequence, payload } of composed) {
      const [ref] = payload.refs as string[]
      expect(resolved.find(one => one.payload.resolved === ref)!.sequence).toBeLessThan(sequence)
    }
  })

  it('prompt-resolution-replay-determinism: what a replay resolves and composes is what its source did', async () => {
    expect(requireReplay(await readCapabilities(host.url))).toBeNull()
    const source = await runToEnd(ask, { workflowId: 'conformance-prompt-all-four-kinds' })
    const { body: fork } = await ask('POST', `/v1/runs/${source[0]!.runId}:fork`, { body: { mode: 'replay' } })
    const again = await endedRun(ask, fork.runId)
    const told = (events: readonly RunEventDoc[]) =>
      [...of(events, 'agent.promptResolved'), ...of(events, 'prompt.composed')].map(({ payload }) => payload)
    expect(told(source)).toHaveLength(10)
    expect(told(again)).toEqual(told(source))
    expect(of(again, 'replay.diverged')).toEqual([])
  })

  it('what :render shows has the hash that the run recorded', async () => {
    const topic = 'tides & <tides>'
    for (const [trust, variables] of [
      ['trusted', [{ name: 'topic', type: 'string' }]],
      ['untrusted', [{ name: 'topic', type: 'string', trust: 'untrusted' }]],
    ] as const) {
      await put('workflows', 'rendered', {
        id: 'rendered',
        nodes: [{ id: 'writer', config: { userPromptRef: 'prompt:conformance.prompt.writer-user' } }],
        variables,
      })
      const [composed] = of(await runToEnd(ask, { workflowId: 'rendered', inputs: { topic } }), 'prompt.composed')
      const { body } = await ask('POST', '/v1/prompts:render', {
        body: { ref: 'prompt:conformance.prompt.writer-user@1.0.0', variables: { topic }, contentTrust: trust },
      })
      expect(composed!.payload).toEqual({
        nodeId: 'writer',
        kind: 'user-only',
        refs: body.refs,
        hash: body.hash,
        composed: body.composed,
        userPrompt: body.composed,
        variableHashes: body.variableHashes,
        variableBindings: { topic },
        contentTrust: trust,
      })
    }
  })

  it('prompt-composed-secret-redaction in a run: the value is nowhere, its name is', async () => {
    await put('workflows', 'secret', {
      id: 'secret',
      nodes: [
        {
          id: 'writer',
          config: { userPromptRef: 'prompt:conformance.prompt.secret-redaction', secrets: { apiKey: 'openwop-conformance-canary-secret' } },
        },
      ],
    })
    const runId = await startRun(ask, { workflowId: 'secret' })
    const events = await endedRun(ask, runId)
    const marker = '[REDACTED:openwop-conformance-canary-secret]'
    expect(of(events, 'prompt.composed')[0]!.payload).toMatchObject({
      composed: `Call the service with ${marker}.`,
      variableBindings: { apiKey: marker },
    })
  })
})

describe('RFC 0029', () => {
  it('agent-binding-unresolvable: one warning for each time a node is at work, and the chain goes on', async () => {
    await put('workflows', 'bound', {
      id: 'bound',
      orchestration: 'interactive',
      defaults: { promptRefs: { system: 'prompt:workflow-default' } },
      nodes: [{ id: 'writer', agent: 'vendor.acme.nobody' }],
    })
    const runId = await startRun(ask, { workflowId: 'bound' })
    await runIs(ask, runId, 'waiting-input')
    await ask('POST', `/v1/runs/${runId}/nodes/writer/messages`, { body: { kind: 'follow-up', message: 'Again.' } })
    await runIs(ask, runId, 'waiting-input')
    const { events } = await pollRun(ask, runId)
    expect(of(events, 'onbook.step.started')).toHaveLength(2)
    expect(logsIn(events, 'agent_binding_unresolvable')).toMatchObject([{ nodeId: 'writer', payload: { level: 'warn' } }])
    expect(resolvedIn(events).find(({ kind }) => kind === 'system')?.resolved).toBe('prompt:workflow-default@1.0.0')
  })

  it('prompt_ref_supersedes_inline: one warning for each time a node is at work', async () => {
    const config = { systemPromptRef: 'prompt:workflow-default', systemPrompt: 'Inline.' }
    await put('workflows', 'beside', {
      id: 'beside',
      objective: 'x',
      nodes: [
        { id: 'writer', config },
        { id: 'editor', config },
      ],
    })
    const events = await runToEnd(ask, { workflowId: 'beside' })
    expect(logsIn(events, 'prompt_ref_supersedes_inline').map(({ nodeId }) => nodeId)).toEqual(['writer', 'editor'])
    expect(JSON.stringify(events)).not.toContain('Inline.')
  })

  it('tells which prompts apply, and warns, anew each time an edge leads back to a node', async () => {
    await put('workflows', 'round', {
      id: 'round',
      objective: 'x',
      nodes: [{ id: 'writer', config: { systemPromptRef: 'prompt:workflow-default', systemPrompt: 'Inline.' } }, { id: 'critic' }],
      edges: [
        { from: 'writer', to: 'critic' },
        { from: 'critic', to: 'writer', repeats: 1 },
      ],
    })
    const events = await runToEnd(ask, { workflowId: 'round' })
    expect(of(events, 'node.started').map(({ payload }) => [payload.nodeId, payload.attempt])).toEqual([
      ['writer', 0],
      ['critic', 0],
      ['writer', 1],
      ['critic', 1],
    ])
    expect(logsIn(events, 'prompt_ref_supersedes_inline')).toHaveLength(2)
    expect(resolvedIn(events).filter(({ nodeId, kind }) => nodeId === 'writer' && kind === 'system')).toHaveLength(2)
    expect((await ask('GET', `/v1/runs/${events[0]!.runId}/prompts/writer/1?visit=1`)).body.visit).toBe(1)
    expect((await ask('GET', `/v1/runs/${events[0]!.runId}/prompts/writer/1`)).body.visit).toBe(2)
  })

  it('agent_library_unresolvable: warned of, and passed over', async () => {
    await put('agents', 'vendor.acme.lost', { agentId: 'vendor.acme.lost', promptLibraryRef: 'not-installed' })
    await put('workflows', 'lost', { id: 'lost', objective: 'x', nodes: [{ id: 'writer', agent: 'vendor.acme.lost' }] })
    const events = await runToEnd(ask, { workflowId: 'lost' })
    expect(logsIn(events, 'agent_library_unresolvable')).toHaveLength(1)
    expect(events.at(-1)!.type).toBe('run.completed')
  })

  it('run-configurable stands first when it is used, and nowhere else', async () => {
    await put('workflows', 'run-level', {
      id: 'run-level',
      objective: 'x',
      nodes: [{ id: 'writer', config: { systemPromptRef: 'prompt:workflow-default' } }],
    })
    const promptOverrides = { system: 'prompt:run-override@1.0.0' }
    const events = await runToEnd(ask, { workflowId: 'run-level', configurable: { promptOverrides } })
    for (const { kind, resolved, chain } of resolvedIn(events)) {
      expect(chain[0]!.layer).toBe(kind === 'system' ? 'run-configurable' : 'node')
      if (kind === 'system') expect([resolved, chain[1]!.source]).toEqual([promptOverrides.system, 'prompt:workflow-default@1.0.0'])
    }
    const plain = await runToEnd(ask, { workflowId: 'run-level' })
    expect(JSON.stringify(plain)).not.toContain('run-configurable')
  })

  it('the story of §D with every layer live: each prompt says why it is the one', async () => {
    const promptOverrides = { system: 'prompt:editorial-house-style@1.0.0' }
    await put('agents', 'vendor.acme.house', { agentId: 'vendor.acme.house', version: '1.0.0', promptOverrides })
    await put('agents', 'vendor.acme.own', { agentId: 'vendor.acme.own', version: '3.1.0', systemPrompt: 'I criticise.', promptOverrides })
    await put('agents', 'vendor.acme.shelf', { agentId: 'vendor.acme.shelf', promptLibraryRef: 'onbook' })
    await put('workflows', 'story', {
      id: 'story',
      defaults: { promptRefs: { system: 'prompt:workflow-default' } },
      nodes: [
        { id: 'writer', agent: 'vendor.acme.house', config: { systemPromptRef: 'prompt:experimental-writer@2.0.0' } },
        { id: 'critic', agent: 'vendor.acme.own' },
        { id: 'editor', agent: 'vendor.acme.house' },
        { id: 'librarian', agent: 'vendor.acme.shelf' },
        { id: 'nobody' },
      ],
      edges: ['critic', 'editor', 'librarian', 'nobody'].map((to, index, all) => ({ from: all[index - 1] ?? 'writer', to })),
    })
    const events = await runToEnd(ask, { workflowId: 'story' })
    expect(events.at(-1)!.type).toBe('run.completed')
    const story = resolvedIn(events).filter(({ kind, nodeId }) => kind === 'system' || (kind === 'user' && nodeId === 'writer'))
    expect(story.flatMap(drawn)).toEqual([
      'writer system: prompt:experimental-writer@2.0.0',
      '✓ node (prompt:experimental-writer@2.0.0)',
      '✗ agent-overrides (prompt:editorial-house-style@1.0.0) — superseded by node',
      '✗ workflow-defaults (prompt:workflow-default@1.0.0) — superseded by node',
      '✗ host-defaults (none) — no candidate at this layer',
      'writer user: prompt:host-user@1.0.0',
      '✗ node (none) — no candidate at this layer',
      '✗ agent-overrides (none) — no candidate at this layer',
      '✗ workflow-defaults (none) — no candidate at this layer',
      '✓ host-defaults (prompt:host-user@1.0.0)',
      'critic system: prompt:agent-intrinsic.vendor.acme.own@3.1.0',
      '✗ node (none) — no candidate at this layer',
      '✓ agent-intrinsic (prompt:agent-intrinsic.vendor.acme.own@3.1.0)',
      '✗ workflow-defaults (prompt:workflow-default@1.0.0) — superseded by agent-intrinsic',
      '✗ host-defaults (none) — no candidate at this layer',
      'editor system: prompt:editorial-house-style@1.0.0',
      '✗ node (none) — no candidate at this layer',
      '✓ agent-overrides (prompt:editorial-house-style@1.0.0)',
      '✗ workflow-defaults (prompt:workflow-default@1.0.0) — superseded by agent-overrides',
      '✗ host-defaults (none) — no candidate at this layer',
      'librarian system: prompt:shelf@1.0.0',
      '✗ node (none) — no candidate at this layer',
      '✓ agent-library-default (prompt:shelf@1.0.0)',
      '✗ workflow-defaults (prompt:workflow-default@1.0.0) — superseded by agent-library-default',
      '✗ host-defaults (none) — no candidate at this layer',
      'nobody system: prompt:workflow-default@1.0.0',
      '✗ node (none) — no candidate at this layer',
      '✗ agent-intrinsic (none) — the node names no agent',
      '✓ workflow-defaults (prompt:workflow-default@1.0.0)',
      '✗ host-defaults (none) — no candidate at this layer',
    ])
    const texts = of(events, 'prompt.composed').flatMap(({ payload }) => (payload.kind === 'system-only' ? [payload.systemPrompt] : []))
    expect(texts).toEqual(['Experiment.', 'I criticise.', 'Keep to the house style.', 'From the shelf.', 'Work.'])
  })

  it('agent.promptResolved comes in every mode; prompt.composed as far as it may', async () => {
    for (const observability of ['off', 'hashed', 'full'] as const) {
      const quiet = await startHost({ observability })
      try {
        const quietly = await checkedAsk(quiet)
        await publishConformance(quiet.store, 'onbook')
        const events = await runToEnd(quietly, { workflowId: 'conformance-prompt-all-four-kinds' })
        expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index))
        expect(resolvedIn(events)).toHaveLength(5)
        expect(of(events, 'prompt.composed')).toHaveLength(observability === 'off' ? 0 : 5)
        expect(JSON.stringify(events).includes('careful writer')).toBe(observability === 'full')
      } finally {
        await quiet.close()
      }
    }
  })
})
