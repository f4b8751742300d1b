// Tests OpenWOP's nodes over HTTP: which types run, and a node's own prompt text.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runToEnd } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'

let host: TestHost
let ask: TestHost['ask']
beforeAll(async () => {
  host = await startHost()
  ask = host.ask
})
afterAll(() => host.close())

const put = (id: string, nodes: readonly object[], more: object = {}) => ask('PUT', `/v1/workflows/${id}`, { body: { id, nodes, ...more } })
/** The prompt of the first step of the only node. */
const sentBy = async (workflowId: string): Promise<string> => {
  const { runId } = (await runToEnd(ask, { workflowId }))[0]!
  return (await ask('GET', `/v1/runs/${runId}/prompts/n/1`)).body.full.text
}

describe('node types', () => {
  it.each(['core.approvalGate', 'core.http.request', 'core.fail', 'core.noop', 'nonsense.not.there'])(
    'openwop D3: %s is refused when the workflow is published, with the types that are known',
    async typeId => {
      const { status, body } = await put('gate', [{ id: 'ok' }, { id: 'n', typeId }], { objective: 'Go on.' })
      expect([status, body.error]).toEqual([400, 'node_type_unknown'])
      expect(body.message).toContain(typeId)
      expect(body.details).toMatchObject({
        problems: [{ pointer: '/nodes/1/typeId' }],
        known: ['onbook.agent', 'core.ai.callPrompt', 'local.sample.demo.mock-ai'],
      })
      expect((await ask('GET', '/v1/workflows/gate')).status).toBe(404)
    },
  )

  it('openwop D3: known types are published and run', async () => {
    const nodes = ['onbook.agent', 'core.ai.callPrompt'].map((typeId, index) => ({ id: `n${index}`, typeId }))
    expect((await put('known', nodes, { objective: 'Say something.' })).status).toBe(201)
    expect((await runToEnd(ask, { workflowId: 'known' })).at(-1)!.type).toBe('run.completed')
  })
})

describe('prompts in a node', () => {
  it('openwop D4: an inline userPrompt needs no ref, and the model gets it', async () => {
    expect((await put('inline', [{ id: 'n', typeId: 'core.ai.callPrompt', config: { userPrompt: 'Hi, {{name}}!' } }])).status).toBe(201)
    expect(await sentBy('inline')).toContain('Hi, {{name}}!')
  })

  it('openwop D4: userPrompt and schemaHintPrompt are sent beside a systemPromptRef, in that order', async () => {
    await ask('POST', '/v1/prompts', { body: template('d4.system', { text: 'You greet.', variables: [] }) })
    const config = { systemPromptRef: 'prompt:d4.system', userPrompt: 'Greet Ada.', schemaHintPrompt: 'Answer in JSON.' }
    await put('beside', [{ id: 'n', typeId: 'core.ai.callPrompt', config }])
    expect(await sentBy('beside')).toMatch(/You greet\.[\s\S]*Greet Ada\.\n\nAnswer in JSON\.$/)
  })

  it('openwop D4: a userPromptRef beside a userPrompt supersedes it, with a warning', async () => {
    await ask('POST', '/v1/prompts', { body: template('d4.user', { kind: 'user', text: 'From the library.', variables: [] }) })
    await put('superseded', [{ id: 'n', config: { userPromptRef: 'prompt:d4.user', userPrompt: 'From the node.' } }])
    const events = await runToEnd(ask, { workflowId: 'superseded' })
    expect(events.find(({ type }) => type === 'log.appended')?.payload).toMatchObject({ code: 'prompt_ref_supersedes_inline' })
    const { full } = (await ask('GET', `/v1/runs/${events[0]!.runId}/prompts/n/1`)).body
    expect(full.text).toContain('From the library.')
    expect(full.text).not.toContain('From the node.')
  })

  it('openwop D4: blame names the node for its own words, and a replay is identical', async () => {
    await put('blamed', [{ id: 'n', userPrompt: 'Greet Ada.' }])
    const { runId } = (await runToEnd(ask, { workflowId: 'blamed' }))[0]!
    const { spans } = (await ask('GET', `/v1/runs/${runId}/blame`)).body.items[0]
    expect(spans.find(({ text }: { text: string }) => text === 'Greet Ada.')).toMatchObject({
      block: 'task',
      part: 'user',
      source: { from: 'node', name: 'n' },
      trust: 'trusted',
    })
    expect((await ask('GET', `/v1/runs/${runId}/replay?level=2`)).body).toMatchObject({ identical: true })
  })
})
