// Tests OpenWOP's prompts over HTTP: a host that does not support them, the host's defaults, and templates of another kind than their slot.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { publishToHost } from '../../testing/hosts/host-library.ts'
import { runToEnd } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'
import { testSessions } from '../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import type { RunEventDoc } from '../../wire/openwop/run-event.ts'

async function hostWith({ supported = true, hostDefaults = {} }): Promise<TestHost> {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  const sessions = testSessions(store, undefined, { world: { ...WORLD, opaqueRefs: !supported, hostDefaults } })
  const host = await startHost({ supported, hostDefaults }, { store, sessions })
  return {
    ...host,
    async close() {
      await sessions.close()
      await host.close()
    },
  }
}

const text = (templateId: string, words: string, more = {}) => template(templateId, { text: words, variables: [], ...more })
const put = ({ ask }: TestHost, id: string, config: object, more: object = {}) =>
  ask('PUT', `/v1/workflows/${id}`, { body: { id, nodes: [{ id: 'n', typeId: 'core.ai.callPrompt', config }], ...more } })
const sentIn = async ({ ask }: TestHost, events: readonly RunEventDoc[]): Promise<string> =>
  (await ask('GET', `/v1/runs/${events[0]!.runId}/prompts/n/1`)).body.full.text
const logsIn = (events: readonly RunEventDoc[], code: string) =>
  events.filter(({ type, payload }) => type === 'log.appended' && payload.code === code).map(({ payload }) => payload.message)
const isReplayed = async ({ ask }: TestHost, runId: string) => (await ask('GET', `/v1/runs/${runId}/replay?level=2`)).body.identical

describe('a host with supported: false', () => {
  let host: TestHost
  beforeAll(async () => {
    host = await hostWith({ supported: false })
    await host.ask('POST', '/v1/prompts', { body: text('secretary', 'From the library.') })
  })
  afterAll(() => host.close())

  it('openwop D9: sends inline prompts, leaves every ref aside, and has no events of prompts', async () => {
    const config = { systemPromptRef: 'prompt:secretary', systemPrompt: 'From the node.', userPrompt: 'Hi.' }
    await put(host, 'inline', config, { defaults: { promptRefs: { 'few-shot': 'prompt:secretary' } } })
    const events = await runToEnd(host.ask, { workflowId: 'inline' })
    expect(events.at(-1)!.type).toBe('run.completed')
    const sent = await sentIn(host, events)
    expect(sent).toMatch(/From the node\.[\s\S]*Hi\./)
    expect(sent).not.toContain('From the library.')
    expect(events.filter(({ type }) => type === 'agent.promptResolved' || type === 'prompt.composed')).toEqual([])
    expect(logsIn(events, 'prompt_ref_supersedes_inline')).toEqual([])
    expect(logsIn(events, 'prompt_ref_opaque')).toEqual([
      'this host does not support prompts, so no ref is resolved: systemPromptRef, defaults.promptRefs.few-shot',
    ])
    expect(await isReplayed(host, events[0]!.runId)).toBe(true)
  })

  it('openwop D9: a node with nothing but refs fails, and the error says what to do', async () => {
    await put(host, 'refs', { systemPromptRef: 'prompt:secretary', userPromptRef: 'prompt:not.there' })
    const events = await runToEnd(host.ask, { workflowId: 'refs', inputs: { topic: 'tides' } })
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', payload: { error: { code: 'prompts_unsupported' } } })
    const { error } = events.at(-1)!.payload as { readonly error: { readonly message: string } }
    expect(error.message).toMatch(/systemPromptRef, userPromptRef.*inline systemPrompt or userPrompt/)
  })

  it("openwop D9: an agent's own text is not a ref, and is sent", async () => {
    const agentId = 'local.desk.writer'
    await host.ask('PUT', `/v1/agents/${agentId}`, {
      body: { agentId, systemPrompt: 'I write.', promptOverrides: { user: 'prompt:secretary' } },
    })
    await put(host, 'agent', { agentId })
    const events = await runToEnd(host.ask, { workflowId: 'agent' })
    const sent = await sentIn(host, events)
    expect([sent.includes('I write.'), sent.includes('From the library.')]).toEqual([true, false])
    expect(events.filter(({ type }) => type === 'prompt.composed')).toEqual([])
    expect(await isReplayed(host, events[0]!.runId)).toBe(true)
  })

  it('openwop D9: says so; the library is another capability, and stays', async () => {
    const { prompts } = (await host.ask('GET', '/.well-known/openwop')).body
    expect(prompts).toMatchObject({ supported: false, endpointsSupported: true, agentBindings: false, defaults: {} })
    const rendered = await host.ask('POST', '/v1/prompts:render', { body: { ref: 'prompt:secretary', variables: {} } })
    const written = await host.ask('POST', '/v1/prompts', { body: text('another', 'Text.') })
    const resolved = await host.ask('POST', '/v1/prompts:resolve', { body: { node: { nodeId: 'n' } } })
    expect([rendered.status, written.status, resolved.status, resolved.body.error]).toEqual([200, 201, 501, 'capability_not_provided'])
    expect(resolved.body.message).toContain('prompts.supported')
  })
})

describe('host defaults', () => {
  let host: TestHost
  beforeAll(async () => {
    host = await hostWith({ hostDefaults: { system: 'prompt:house' } })
  })
  afterAll(() => host.close())

  const chosen = async (runId: string) => (await host.ask('GET', `/v1/runs/${runId}/why?kind=system`)).body.items[0]

  it("openwop D16: a tenant's own template of the same id never fills the host's layer", async () => {
    expect((await host.ask('POST', '/v1/prompts', { body: text('house', 'Words of a tenant.', { version: '9.0.0' }) })).status).toBe(201)
    await put(host, 'plain', { userPrompt: 'Hi.' })
    const failed = await runToEnd(host.ask, { workflowId: 'plain' })
    expect(failed.at(-1)).toMatchObject({ type: 'run.failed', payload: { error: { code: 'prompt_template_not_found' } } })
    expect(JSON.stringify(failed.at(-1)!.payload)).toContain("in the host's own library")

    await publishToHost(host.store, text('house', 'Words of the host.'))
    const events = await runToEnd(host.ask, { workflowId: 'plain' })
    const sent = await sentIn(host, events)
    expect([sent.includes('Words of the host.'), sent.includes('Words of a tenant.')]).toEqual([true, false])
    // The same ref on a node is the tenant's own choice, and resolves in the tenant's library.
    await put(host, 'own', { systemPromptRef: 'prompt:house', userPrompt: 'Hi.' })
    expect(await sentIn(host, await runToEnd(host.ask, { workflowId: 'own' }))).toContain('Words of a tenant.')
  })

  it("openwop D16: why, :resolve, a replay and a fork name the host's library", async () => {
    const { runId } = (await runToEnd(host.ask, { workflowId: 'plain' }))[0]!
    const applied = (chain: readonly { readonly applied: boolean }[]) => chain.find(one => one.applied)
    const why = await chosen(runId)
    expect(why.resolved).toBe('prompt:house@1.0.0')
    expect(applied(why.chain)).toMatchObject({ layer: 'host-defaults', library: 'onbook', owner: 'host' })
    expect(applied(why.chain)).not.toHaveProperty('published')
    const { resolutions } = (await host.ask('POST', '/v1/prompts:resolve', { body: { node: { nodeId: 'n' }, kind: 'system' } })).body
    expect(resolutions[0].resolved).toMatchObject({ templateId: 'house', version: '1.0.0', owner: 'host' })

    await publishToHost(host.store, text('house', 'Later words.', { version: '2.0.0' }))
    expect(await isReplayed(host, runId)).toBe(true)
    const fork = (await host.ask('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay' } })).body.runId
    for (;;) {
      const { events, isComplete } = (await host.ask('GET', `/v1/runs/${fork}/events/poll`)).body
      if (!isComplete) continue
      expect(events.filter(({ type }: RunEventDoc) => type === 'replay.diverged')).toEqual([])
      break
    }
    expect((await chosen(fork)).resolved).toBe('prompt:house@1.0.0')
  })
})

describe('a template of another kind than its slot', () => {
  let host: TestHost
  beforeAll(async () => {
    host = await hostWith({})
    await host.ask('POST', '/v1/prompts', { body: text('asks', 'Please write.', { kind: 'user' }) })
    await host.ask('POST', '/v1/prompts', { body: text('rules', 'You write.') })
  })
  afterAll(() => host.close())

  it('openwop D23: is sent, with one warning in the log of the run, and the trace says so', async () => {
    await put(host, 'misplaced', { systemPromptRef: 'prompt:asks', userPromptRef: 'prompt:rules' })
    const events = await runToEnd(host.ask, { workflowId: 'misplaced' })
    expect(events.at(-1)!.type).toBe('run.completed')
    expect(logsIn(events, 'prompt_kind_mismatch')).toEqual([
      'prompt:asks@1.0.0 is a user template, and node names it for system; prompt:rules@1.0.0 is a system template, and node names it for user',
    ])
    const why = (await host.ask('GET', `/v1/runs/${events[0]!.runId}/why?kind=system`)).body.items[0]
    expect(why.chain[1]).toMatchObject({ applied: true, reason: "first layer with a candidate; the template's own kind is user" })
    expect(await isReplayed(host, events[0]!.runId)).toBe(true)
  })

  it('openwop D23: :resolve warns as well; a template in its place, and an additional ref of any kind, do not', async () => {
    const warned = async (config: object) =>
      (await host.ask('POST', '/v1/prompts:resolve', { body: { node: { nodeId: 'n', config } } })).body.warnings
    expect(await warned({ systemPromptRef: 'prompt:asks' })).toMatchObject([{ code: 'prompt_kind_mismatch', nodeId: 'n' }])
    expect(await warned({ systemPromptRef: 'prompt:rules', userPromptRef: 'prompt:asks', additionalPromptRefs: ['prompt:asks'] })).toEqual(
      [],
    )
  })
})
