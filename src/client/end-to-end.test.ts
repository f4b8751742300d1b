// Tests the client against a real host.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../adapters/sqlite-store/sqlite-store.ts'
import { SCOPES } from '../core/access/keys.ts'
import { createKey } from '../engine/access/access.ts'
import { PRODUCT_PROJECTIONS } from '../engine/record/projections.ts'
import { createHost } from '../host/app.ts'
import { DEFAULT_CONFIG } from '../host/config.ts'
import { testSessions } from '../testing/hosts/test-sessions.ts'
import { type Client, createClient } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-client-'))
const clock = (): string => new Date().toISOString()
const store = sqliteStore(join(folder, 'onbook.db'), clock, PRODUCT_PROJECTIONS)
const sessions = testSessions(store)
const app = createHost({ store, clock, config: DEFAULT_CONFIG, sessions })
let client: Client

beforeAll(async () => {
  const { key } = await createKey(store, (bytes, as) => randomBytes(bytes).toString(as), { tenant: 'acme', scopes: SCOPES, actor: 'test' })
  client = createClient({ url: await app.listen({ host: '127.0.0.1', port: 0 }), key })
})
afterAll(async () => {
  await app.close()
  await sessions.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

it('writes, labels, reads, renders, resolves and removes', async () => {
  const template = {
    templateId: 'writer',
    version: '1.0.0',
    kind: 'system' as const,
    text: 'Write about {{topic}}.',
    variables: [{ name: 'topic', type: 'string' as const, required: true }],
  }
  const { tag } = await client.prompts.create(template)
  await expect(client.prompts.create(template)).rejects.toMatchObject({ code: 'template_exists', status: 409 })
  expect(await client.prompts.replace({ ...template, version: '1.1.0' }, { ifMatch: tag! })).toMatchObject({
    template: { version: '1.1.0' },
  })
  await client.labels.move('writer', 'production', '1.0.0', { why: 'first' })

  expect(await client.prompts.get('prompt:writer@production')).toMatchObject({
    ref: 'prompt:writer@1.0.0',
    tag,
    freshness: { stale: false },
  })
  expect((await client.prompts.get('prompt:writer')).template.version).toBe('1.1.0')
  expect((await client.prompts.get('prompt:writer')).template.version).toBe('1.1.0')
  expect(await client.labels.history('writer')).toMatchObject([{ label: 'production', from: null, to: '1.0.0', why: 'first' }])
  const listed: string[] = []
  for await (const { version } of client.prompts.list()) listed.push(version)
  expect(listed).toContain('1.1.0')

  const rendered = await client.render({ ref: 'prompt:writer@1.0.0', variables: { topic: 'owls' } })
  expect(rendered).toMatchObject({ composed: 'Write about owls.', refs: ['prompt:writer@1.0.0'] })
  const { resolutions } = await client.resolve({ node: { nodeId: 'n' }, kind: 'system', runOverrides: { system: 'prompt:writer' } })
  expect(resolutions[0]!.resolved).toMatchObject({ templateId: 'writer', version: '1.1.0' })

  await client.labels.remove('writer', 'production')
  await expect(client.labels.get('writer', 'production')).rejects.toMatchObject({ code: 'label_missing' })
  await client.prompts.remove('writer')
  await expect(client.prompts.get('prompt:writer')).rejects.toMatchObject({ code: 'prompt_template_not_found', status: 404 })
})

it('makes a session, runs it, follows it, and says what was said', async () => {
  const { digest } = await client.objects.put(new TextEncoder().encode('[{"role":"system","content":"Be brief."}]'))
  expect(new TextDecoder().decode(await client.objects.get(digest))).toContain('Be brief.')
  const { session } = await client.sessions.create({ config: { provider: 'scripted', model: 'small', promptDigests: [digest] } })
  const { run, runId } = await client.sessions.run(session, { input: 'Hello', interactive: true })
  expect(run).toBe(1)
  const untilWaiting = async (after = '') => {
    for await (const { type, id } of client.runs.events(runId, { after, modes: ['debug'] })) if (type === 'onbook.node.waiting') return id
    throw new Error('the run ended')
  }
  const waiting = await untilWaiting()
  expect(await client.sessions.provideInput(session, { role: 'user', content: 'More.' })).toMatchObject({ run: 1 })
  await untilWaiting(waiting)
  const types: string[] = []
  for await (const { type } of client.sessions.events(session)) {
    types.push(type)
    if (types.length === 6) break
  }
  expect(types).toEqual(['session.created', 'run.attached', ...Array.from({ length: 4 }, () => 'message.appended')])
  const { entries } = await client.sessions.transcript(session, { limit: 3 })
  expect(entries.map(({ messages }) => messages[0]?.role)).toEqual(['user', 'assistant', 'user'])
  await client.sessions.command(session, { kind: 'cancel', reason: 'enough' })
  expect((await client.sessions.get(session)).lifecycle).toBe('cancelled')
  const listed: unknown[] = []
  for await (const one of client.sessions.list()) listed.push([one.session, one.runId, one.open])
  expect(listed).toEqual([[session, runId, false]])
  expect(await client.sessions.apply(session)).toMatchObject({ outcome: 'refused', code: 'nothing_pending' })
  await expect(client.sessions.sync(session)).rejects.toMatchObject({ code: 'workspace_unset', status: 422 })
  await expect(client.sessions.get('nobody')).rejects.toMatchObject({ code: 'session_missing', status: 404 })
})

it('publishes workflows and agents, reads, lists and removes them', async () => {
  const agent = { agentId: 'local.desk.writer', systemPrompt: 'I write.' }
  const workflow = { id: 'desk', nodes: [{ id: 'writer', agent: agent.agentId }] }
  expect(await client.agents.put(agent)).toMatchObject({ agentId: agent.agentId, outcome: 'created', revision: 1 })
  expect(await client.workflows.put(workflow, { ifNoneMatch: '*' })).toMatchObject({ workflowId: 'desk', outcome: 'created' })
  const { document, tag } = await client.workflows.get('desk')
  expect(document).toEqual(workflow)
  expect(await client.workflows.put({ ...workflow, name: 'The desk' }, { ifMatch: tag! })).toMatchObject({ revision: 2 })
  await expect(client.workflows.put(workflow, { ifMatch: tag! })).rejects.toMatchObject({ code: 'precondition_failed', status: 412 })
  await client.workflows.put({ ...workflow, id: 'another' })
  const listed: unknown[] = []
  for await (const { workflowId, name } of client.workflows.list()) listed.push([workflowId, name])
  for await (const { agentId, revision } of client.agents.list()) listed.push([agentId, revision])
  expect(listed).toEqual([
    ['another', 'another'],
    ['desk', 'The desk'],
    [agent.agentId, 1],
  ])
  await client.workflows.remove('desk')
  await expect(client.workflows.get('desk')).rejects.toMatchObject({ code: 'workflow_not_found', status: 404 })
  await expect(client.agents.put({ agentId: 'nobody' })).rejects.toMatchObject({ code: 'agent_invalid' })
})

it('starts a run, follows it, says something to it, looks at what it was told, and waits for its end', async () => {
  await client.workflows.put({ id: 'talk', objective: 'Talk.', orchestration: 'interactive', nodes: [{ id: 'writer' }] })
  const { runId } = await client.runs.create({ workflowId: 'talk', mode: 'planning', tags: ['night'] })
  const until = async (type: string, after = '') => {
    for await (const event of client.runs.events(runId, { after, modes: ['debug'] })) if (event.type === type) return event.id
    throw new Error(`the run ended without ${type}`)
  }
  const waiting = await until('onbook.node.waiting')
  expect(await client.runs.get(runId)).toMatchObject({ status: 'waiting-input', mode: 'planning', tags: ['night'] })
  expect(await client.runs.override(runId, { nodeId: 'writer', text: 'Be brief.' })).toMatchObject({ runId })
  expect(await client.runs.mode(runId, 'implementation')).toMatchObject({ runId })
  expect(await client.runs.say(runId, 'writer', 'follow-up', 'Go on.')).toMatchObject({ session: null })
  await until('onbook.node.waiting', waiting)
  const steps: unknown[] = []
  for await (const { nodeId, step } of client.runs.prompts(runId)) steps.push([nodeId, step])
  expect(steps).toEqual([
    ['writer', 1],
    ['writer', 2],
  ])
  expect((await client.runs.prompt(runId, 'writer', 2)).blocks.at(-1)).toMatchObject({ block: 'override' })
  expect(await client.runs.pause(runId)).toMatchObject({ status: 'paused' })
  expect(await client.runs.resume(runId)).toMatchObject({ status: 'waiting-input' })
  const end = client.runs.waitFor(runId)
  await client.runs.cancel(runId, 'enough')
  expect((await end).status).toBe('cancelled')
  const listed: unknown[] = []
  for await (const { status } of client.runs.list({ workflowId: 'talk', status: 'cancelled' })) listed.push(status)
  for await (const one of client.approvals.list()) listed.push(one)
  expect(listed).toEqual(['cancelled'])
  await expect(client.approvals.resolve('nobody', { decision: 'approved' })).rejects.toMatchObject({
    code: 'approval_missing',
    status: 404,
  })
  await expect(client.runs.create({ workflowId: 'nobody' })).rejects.toMatchObject({ code: 'workflow_not_found', status: 400 })
  await expect(client.runs.get('nobody')).rejects.toMatchObject({ code: 'run_missing', status: 404 })
})
