// Tests diff over real HTTP: the answer equals the engine's, matches the schema, is visible only to its tenant, and hides text where prompts are
// hidden.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diffRuns } from '../../../engine/diff/diff-runs.ts'
import { runToEnd } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'
import { withoutWords } from '../../../wire/onbook/differences-schema.ts'

let host: TestHost
let ask: TestHost['ask']
let runs: readonly string[]
beforeAll(async () => {
  host = await startHost({ observability: 'full' })
  ask = await checkedAsk(host)
  await furnish(ask)
  runs = [await run('ferries'), await run('trams')]
})
afterAll(() => host.close())

const brave = (version: string, text: string) =>
  template('brave', { version, text, variables: [{ name: 'topic', type: 'string', required: true }] })
const nodes = [{ id: 'writer', role: 'reviewer', systemPromptRef: 'prompt:brave@1.0.0' }]

async function furnish(on: TestHost['ask']): Promise<void> {
  await on('POST', '/v1/prompts', { body: brave('1.0.0', 'Write about {{topic}}.') })
  await on('PUT', '/v1/prompts/brave', { body: brave('1.1.0', 'Write two lines about {{topic}}.') })
  await on('PUT', '/v1/workflows/one', { body: { id: 'one', objective: 'Write.', nodes, variables: [{ name: 'topic', type: 'string' }] } })
}

const run = async (topic: string, on = ask): Promise<string> => (await runToEnd(on, { workflowId: 'one', inputs: { topic } }))[0]!.runId

it('of two runs, answers as the engine does', async () => {
  const [a, b] = runs as [string, string]
  const sideOf = (runId: string) => ({ store: host.store, tenant: 'acme', runId })
  const { status, body } = await ask('GET', `/v1/runs/${a}/diff?with=${b}`)
  expect([status, body]).toEqual([200, { a, b, ...JSON.parse(JSON.stringify(await diffRuns(sideOf(a), sideOf(b)))) }])
  expect(body.decisions.map(({ what, a: one, b: other }: Record<string, string>) => [what, one, other])).toEqual([
    ['input', 'ferries', 'trams'],
    ['variable', 'ferries', 'trams'],
  ])
  expect(body.texts.map(({ block }: { block: string }) => block)).toEqual(['role', 'task'])
  expect((await ask('GET', `/v1/runs/${a}/diff?with=${a}`)).body).toMatchObject({ same: true, decisions: [], texts: [] })
  expect((await ask('GET', `/v1/runs/${a}/diff?nodeId=writer&steps=1..1`)).body).toMatchObject({ a: '1.1', b: '1.1', same: true })
})

it.each([
  ['', 400, 'validation_error'],
  ['?with=nobody', 404, 'run_missing'],
  ['?steps=1..2', 400, 'validation_error'],
  ['?nodeId=writer&steps=1-2', 400, 'validation_error'],
  ['?nodeId=writer&steps=1..2', 404, 'node_missing'],
  ['?nodeId=writer&steps=1..1&with=nobody', 400, 'validation_error'],
])('of runs, %s is refused', async (query, status, error) => {
  const answer = await ask('GET', `/v1/runs/${runs[0]}/diff${query}`)
  expect([answer.status, answer.body.error]).toEqual([status, error])
})

it('with another tenant’s run is as if there were none', async () => {
  const { key } = await host.makeKey('umbrella')
  const stranger: TestHost['ask'] = (method, path, more = {}) => host.ask(method, path, { ...more, key })
  await furnish(stranger)
  const theirs = await run('trams', stranger)
  const answer = await ask('GET', `/v1/runs/${runs[0]}/diff?with=${theirs}`)
  expect([answer.status, answer.body.error]).toEqual([404, 'run_missing'])
})

it('a host that shows no prompts says that they differ, and not how', async () => {
  const quiet = await startHost({ observability: 'hashed' })
  try {
    const on = await checkedAsk(quiet)
    await furnish(on)
    const [a, b] = [await run('ferries', on), await run('trams', on)]
    const { body } = await on('GET', `/v1/runs/${a}/diff?with=${b}`)
    expect(body.decisions.map(({ what, a: one }: Record<string, string>) => [what, one])).toEqual([
      ['input', 'not shown'],
      ['variable', 'not shown'],
    ])
    expect(body.texts).toMatchObject([
      { hunks: null, why: 'not_shown' },
      { hunks: null, why: 'not_shown' },
    ])
    expect(JSON.stringify(body)).not.toMatch(/ferries|trams/)
  } finally {
    await quiet.close()
  }
})

describe('content', () => {
  it('two versions of a template', async () => {
    const { status, body } = await ask('GET', '/v1/prompts/brave/diff?from=1.0.0')
    expect([status, body.a, body.b, body.same]).toEqual([200, 'prompt:brave@1.0.0', 'prompt:brave@1.1.0', false])
    expect(body.texts[0].hunks[0].lines).toEqual(['-Write about {{topic}}.', '+Write two lines about {{topic}}.'])
    expect((await ask('GET', '/v1/prompts/brave/diff?from=3.0.0')).status).toBe(404)
  })

  it('two versions of a workspace, when it is asked for', async () => {
    const { key } = await host.makeKey('acme', undefined, { workspaces: ['desk'] })
    const commit = (text: string) =>
      ask('POST', '/v1/workspaces/desk/commits', { body: { changes: [{ path: 'agents/a.json', text }] }, key })
    await commit('{"agentId":"local.a","label":"A"}')
    await commit('{"agentId":"local.a","label":"B"}')
    const { body } = await ask('GET', '/v1/workspaces/desk/diff?decisions=true', { key })
    expect(body).toMatchObject({ from: 1, to: 2, changes: [{ path: 'agents/a.json', kind: 'changed' }], same: false })
    expect(body.decisions).toEqual([{ what: 'agent', path: 'agents/a.json', field: 'label', a: 'A', b: 'B' }])
    expect((await ask('GET', '/v1/workspaces/desk/diff', { key })).body.decisions).toBeUndefined()
  })
})

it('a host that shows no prompts does not show those of agents and workflows', () => {
  const decisions = [
    { what: 'agent', name: 'local.writer', field: 'systemPrompt', a: 'You hide the treasure.', b: 'You find the treasure.' },
    { what: 'workflow', field: 'nodes/writer/objective', a: 'Write of the treasure.', b: 'Be silent.' },
    { what: 'model', a: 'small', b: 'large' },
  ] as const
  expect(withoutWords({ same: false, decisions, texts: [], left: 0 })).toMatchObject({
    decisions: [
      { a: 'not shown', b: 'not shown' },
      { a: 'not shown', b: 'not shown' },
      { a: 'small', b: 'large' },
    ],
  })
})
