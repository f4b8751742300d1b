// Tests packs of a workspace over HTTP: a sync lists the changes, an apply requires passing tests, and the agent's next run uses the packs.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scriptedModel } from '../../../adapters/models/scripted-model.ts'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { scriptOf } from '../../../core/pack/identity.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import { endedRun, startRun } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'

const scaffold = (path: string): string => readFileSync(new URL(`../../../../scaffold/${path}`, import.meta.url), 'utf8')
const PACK = 'prompts/summarizer/v1.0.0.yaml'
const FILES = Object.fromEntries(
  ['schemas/article.schema.json', 'schemas/summary.schema.json', PACK, scriptOf(PACK)].map(path => [path, scaffold(path)]),
)
const REPLY = 'replies:\n  - match: {}\n    text: \'{"summary":"Trams run.","keyPoints":[]}\'\n'

let host: TestHost
const ask = (method: string, path: string, body?: unknown) => host.ask(method, path, { key: host.key, body })
const commit = async (files: Readonly<Record<string, string>>) =>
  expect(
    (await ask('POST', '/v1/workspaces/desk/commits', { changes: Object.entries(files).map(([path, text]) => ({ path, text })) })).status,
  ).toBeLessThan(300)
const sync = async () => (await ask('POST', '/v1/sessions/desk/sync', { workspace: 'desk' })).body
const apply = async (more: object = {}) => (await ask('POST', '/v1/sessions/desk/apply', { when: 'immediate_if_idle', ...more })).body
const chosen = async () => {
  const runId = await startRun(host.ask, { workflowId: 'brief', inputs: { title: 'Trams', body: 'They run.' } })
  await endedRun(host.ask, runId)
  const { items } = (await ask('GET', `/v1/runs/${runId}/why?kind=system`)).body
  return { runId, ...items[0].chain.find(({ applied }: { applied: boolean }) => applied) }
}

beforeAll(async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  const packModel = async (files: Parameters<NonNullable<Parameters<typeof testSessions>[2]>['packModel'] & object>[0], path: string) => {
    const read = await files.readText(scriptOf(path), 1e6)
    return scriptedModel(scriptOf(path), read.ok ? read.text : '')
  }
  host = await startHost({}, { store, sessions: testSessions(store, REPLY, { packModel }) })
  await ask('PUT', '/v1/agents/local.desk.writer', { agentId: 'local.desk.writer', persona: 'Writer', session: 'desk' })
  const node = { id: 'a', agent: 'local.desk.writer', config: { systemPromptRef: 'prompt:summarizer' } }
  await ask('PUT', '/v1/workflows/brief', { id: 'brief', objective: 'Summarise.', nodes: [node] })
  const config = { provider: 'scripted', model: 'small' }
  expect((await ask('POST', '/v1/sessions', { session: 'desk', agentId: 'local.desk.writer', config })).status).toBe(201)
  await commit(FILES)
})
afterAll(() => host.close())

it('is synced with a report, applied, and used by the next run', async () => {
  expect(await sync()).toMatchObject({
    outcome: 'ready',
    packs: [{ pack: 'summarizer', from: null, to: '1.0.0', errors: 0, tests: { pass: 2, fail: 0 }, proof: 'passed' }],
  })
  expect(await apply()).toMatchObject({ outcome: 'applied' })
  const used = await chosen()
  expect(used).toMatchObject({
    source: 'prompt:summarizer@1.0.0',
    meant: 'snapshot',
    snapshot: { workspace: 'desk', version: 1 },
    adopted: [{ type: 'workspace.applied', stream: 'session/desk' }],
  })
  expect((await ask('GET', `/v1/runs/${used.runId}/replay`)).body).toMatchObject({ divergences: [] })
})

it('decides in :resolve and :render when the session is named, and only then', async () => {
  const node = { nodeId: 'a', config: { systemPromptRef: 'prompt:summarizer' } }
  const trace = async (more: object) => (await ask('POST', '/v1/prompts:resolve', { node, kind: 'system', ...more })).body.resolutions[0]
  expect(await trace({})).toMatchObject({ resolved: null, fault: { code: 'prompt_template_not_found' } })
  expect(await trace({ session: 'desk' })).toMatchObject({
    resolved: { version: '1.0.0' },
    trace: expect.arrayContaining([expect.objectContaining({ applied: true, meant: 'snapshot' })]),
  })
  const rendered = { ref: 'prompt:summarizer', variables: {} }
  expect((await ask('POST', '/v1/prompts:render', rendered)).status).toBe(404)
  expect((await ask('POST', '/v1/prompts:render', { ...rendered, session: 'desk' })).body).toMatchObject({
    refs: ['prompt:summarizer@1.0.0'],
  })
  expect((await ask('POST', '/v1/prompts:render', { ...rendered, session: 'nobody' })).body).toMatchObject({ error: 'session_missing' })
})

it('is refused untested, unless it is asked for; the event names the packs', async () => {
  await commit({ [PACK]: FILES[PACK]!.replace('one article', 'one report'), [scriptOf(PACK)]: 'replies: {}\n' })
  expect(await sync()).toMatchObject({ packs: [{ from: '1.0.0', to: '1.0.0', proof: 'failed' }] })
  expect(await apply()).toMatchObject({ outcome: 'refused', code: 'pack_untested', message: expect.stringContaining('summarizer@1.0.0') })
  expect(await apply({ untested: true })).toMatchObject({ outcome: 'applied' })
  const events = (await ask('GET', '/v1/sessions/desk/events')).body
  expect(JSON.stringify(events)).toContain('"untested":["summarizer@1.0.0"]')
  expect((await chosen()).snapshot).toMatchObject({ version: 2 })
})

it('that cannot be compiled ends the sync, with the file and the line', async () => {
  await commit({ [PACK]: FILES[PACK]!.replace('{{audience}}', '{{nobody}}') })
  expect(await sync()).toMatchObject({ outcome: 'failed', stage: 'packs', code: 'packs_invalid', detail: expect.stringContaining(PACK) })
})
