// Workflows and agents in the record: the current meaning of an id, its earlier meanings, and its owner.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { breaksIn } from '../../testing/mutations/breaks-in.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { eraseObject } from '../record/erase.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { agentAt, listAgents, loadAgent, prepareAgent, publishAgent } from './agents.ts'
import { publishDefinitions, removeDefinition } from './publish.ts'
import { listWorkflows, loadWorkflow, prepareWorkflow, publishWorkflow, workflowAt } from './workflows.ts'

let store: Store
beforeEach(() => {
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
})
afterEach(() => store.close())

const acme = { tenant: 'acme', actor: 'test' }
const host = { tenant: HOST_TENANT, actor: 'onbook' }
const desk = (objective: string): Json => ({ id: 'desk', name: 'The desk', objective, nodes: [{ id: 'writer' }] })
const writer: Json = { agentId: 'local.desk.writer', persona: 'Writer', version: '1.0.0', systemPrompt: 'I write.' }
const idsOf = async (rows: AsyncIterable<{ readonly id: string }>): Promise<string[]> => {
  const ids: string[] = []
  for await (const { id } of rows) ids.push(id)
  return ids
}
const eventsOf = async (stream: string): Promise<unknown[]> => {
  const events: unknown[] = []
  for await (const { event } of store.read('acme', stream, -1)) events.push([event.type, event.actor, event.payload])
  return events
}

describe('a workflow', () => {
  it('counts its revisions, and publishing the same again writes nothing', async () => {
    const first = await publishWorkflow(store, acme, desk('one'))
    const again = await publishWorkflow(store, acme, { objective: 'one', nodes: [{ id: 'writer' }], name: 'The desk', id: 'desk' })
    const second = await publishWorkflow(store, acme, desk('two'))
    expect([first, again, second].map(({ outcome, revision }) => [outcome, revision])).toEqual([
      ['created', 1],
      ['unchanged', 1],
      ['replaced', 2],
    ])
    expect(again.digest).toBe(first.digest)
    const about = { workflowId: 'desk', name: 'The desk', version: '0.0.0' }
    expect(await eventsOf('workflow/desk')).toEqual([
      ['workflow.published', 'test', { ...about, revision: 1, document: first.digest }],
      ['workflow.published', 'test', { ...about, revision: 2, document: second.digest }],
    ])
  })

  it('is loaded as it stands now, and by its digest as it stood', async () => {
    const { digest } = await publishWorkflow(store, acme, desk('one'))
    await publishWorkflow(store, acme, desk('two'))
    const loaded = await loadWorkflow(store, 'acme', 'desk')
    expect(loaded).toMatchObject({ workflow: { id: 'desk', objective: 'two', mode: 'implementation' }, revision: 2 })
    await removeDefinition(store, acme, 'workflow', 'desk')
    await store.collect('9999-01-01T00:00:00.000Z')
    expect(await loadWorkflow(store, 'acme', 'desk')).toBeNull()
    expect((await workflowAt(store, 'acme', digest)).objective).toBe('one')
  })

  it('is parsed once, and asked for again when its bytes were erased', async () => {
    const { digest } = await publishWorkflow(store, acme, desk('one'))
    const workflow = await workflowAt(store, 'acme', digest)
    await publishWorkflow(store, acme, desk('two'))
    expect(await workflowAt(store, 'acme', digest)).toBe(workflow)
    await eraseObject(store, { tenant: 'acme', digest, actor: 'test', why: 'a secret' })
    await expect(workflowAt(store, 'acme', digest)).rejects.toMatchObject({ code: 'object_missing' })
  })

  it('that was removed begins again with the next revision, also with the same bytes', async () => {
    await publishWorkflow(store, acme, desk('one'))
    await removeDefinition(store, acme, 'workflow', 'desk')
    await expect(removeDefinition(store, acme, 'workflow', 'desk')).rejects.toMatchObject({ code: 'workflow_not_found' })
    expect(await publishWorkflow(store, acme, desk('one'))).toMatchObject({ outcome: 'created', revision: 2 })
    expect((await loadWorkflow(store, 'acme', 'desk'))?.revision).toBe(2)
  })

  it('that is not valid is refused with every problem and its place, and nothing is written', async () => {
    const wrong = { id: 'desk', nodes: [{ id: 'a', typeId: 7 }], edges: [{ from: 'a', to: 'b', kind: 'x' }] }
    await expect(publishWorkflow(store, acme, wrong)).rejects.toMatchObject({
      code: 'workflow_invalid',
      details: { problems: [{ pointer: '/nodes/0/typeId' }, { pointer: '/edges/0/kind' }] },
      message: expect.stringContaining('The document is not a valid workflow: "nodes/0/typeId"'),
    })
    expect((await store.head('acme', 'workflow/desk')).seq).toBe(-1)
  })

  it('published by many at once has as many revisions', async () => {
    const published = await Promise.all(Array.from({ length: 8 }, (_, n) => publishWorkflow(store, acme, desk(String(n)))))
    expect(published.map(({ revision }) => revision).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect((await loadWorkflow(store, 'acme', 'desk'))?.revision).toBe(8)
  })

  it('is written for whoever saw what is there, and once for one key', async () => {
    const { digest } = await publishWorkflow(store, acme, desk('one'), { precondition: seen => seen === null })
    const stale = publishWorkflow(store, acme, desk('two'), { precondition: seen => seen === null })
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' })
    const keyed = { precondition: (seen: string | null) => seen === digest, idempotency: () => ({ key: 'k', answer: 'first' }) }
    expect(await publishWorkflow(store, acme, desk('two'), keyed)).toMatchObject({ outcome: 'replaced', revision: 2 })
    const prepared = [prepareWorkflow(desk('three'))]
    expect(await publishDefinitions(store, acme, prepared, { idempotency: keyed.idempotency })).toMatchObject({ replayed: true })
    expect((await loadWorkflow(store, 'acme', 'desk'))?.workflow.objective).toBe('two')
  })
})

describe('an agent', () => {
  it('is kept with the text of its file, and needs no file any more', async () => {
    const named: Json = { agentId: 'local.desk.writer', persona: 'Writer', systemPromptRef: 'texts/writer.md' }
    await expect(publishAgent(store, acme, named)).rejects.toMatchObject({
      code: 'agent_invalid',
      details: { problems: [{ pointer: '/systemPromptRef' }] },
    })
    const prepared = prepareAgent(named, 'agents/writer.yaml', path => (path === 'texts/writer.md' ? 'I write.\n' : null))
    await publishDefinitions(store, acme, [prepared])
    const loaded = await loadAgent(store, 'acme', 'local.desk.writer')
    expect(loaded).toMatchObject({ agent: { systemPrompt: 'I write.\n', version: null }, revision: 1 })
    expect(JSON.parse(new TextDecoder().decode(await store.object('acme', loaded!.digest)))).toEqual({
      agentId: 'local.desk.writer',
      persona: 'Writer',
      systemPrompt: 'I write.\n',
    })
    expect(await agentAt(store, 'acme', loaded!.digest)).toBe(loaded!.agent)
  })

  it('stands apart from a workflow of the same name', async () => {
    await publishAgent(store, acme, writer)
    expect(await eventsOf('agent/local.desk.writer')).toMatchObject([
      ['agent.published', 'test', { agentId: 'local.desk.writer', name: 'Writer', version: '1.0.0', revision: 1 }],
    ])
    expect(await loadWorkflow(store, 'acme', 'local.desk.writer')).toBeNull()
    await removeDefinition(store, acme, 'agent', 'local.desk.writer')
    await expect(removeDefinition(store, acme, 'agent', 'local.desk.writer')).rejects.toMatchObject({ code: 'agent_not_found' })
  })
})

describe('what the host ships', () => {
  it('is seen by every tenant, and changed by none', async () => {
    const { digest } = await publishWorkflow(store, host, desk('ours'))
    expect(await loadWorkflow(store, 'acme', 'desk')).toMatchObject({ digest, workflow: { objective: 'ours' } })
    await expect(publishWorkflow(store, acme, desk('theirs'))).rejects.toMatchObject({ code: 'definition_read_only' })
    await expect(removeDefinition(store, acme, 'workflow', 'desk')).rejects.toMatchObject({ code: 'definition_read_only' })
  })

  it('gives way to what a tenant had before', async () => {
    await publishWorkflow(store, acme, desk('theirs'))
    await publishWorkflow(store, host, desk('ours'))
    expect((await loadWorkflow(store, 'acme', 'desk'))?.workflow.objective).toBe('theirs')
    expect((await loadWorkflow(store, 'umbrella', 'desk'))?.workflow.objective).toBe('ours')
    await removeDefinition(store, acme, 'workflow', 'desk')
    expect((await loadWorkflow(store, 'acme', 'desk'))?.workflow.objective).toBe('ours')
  })
})

it('lists what a tenant can see, by id, from after one on', async () => {
  const named = (id: string): Json => ({ id, nodes: [{ id: 'a' }] })
  for (const id of ['a', 'c', 'e', 'gone']) await publishWorkflow(store, acme, named(id))
  for (const id of ['b', 'd', 'f']) await publishWorkflow(store, host, named(id))
  await publishWorkflow(store, { ...acme, tenant: 'umbrella' }, named('x'))
  // The tenant had it first.
  await publishWorkflow(store, host, named('c'))
  await removeDefinition(store, acme, 'workflow', 'gone')
  expect(await idsOf(listWorkflows(store, 'acme'))).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(await idsOf(listWorkflows(store, 'acme', 'c'))).toEqual(['d', 'e', 'f'])
  expect(await idsOf(listWorkflows(store, HOST_TENANT))).toEqual(['b', 'c', 'd', 'f'])
  expect(await idsOf(listAgents(store, 'acme'))).toEqual([])
})

it('writes several in one commit, or none of them', async () => {
  await publishWorkflow(store, host, { id: 'taken', nodes: [{ id: 'a' }] })
  const all = [prepareAgent(writer), prepareWorkflow(desk('one'))]
  const taken = prepareWorkflow({ id: 'taken', nodes: [{ id: 'b' }] })
  await expect(publishDefinitions(store, acme, [...all, taken])).rejects.toMatchObject({ code: 'definition_read_only' })
  expect(await idsOf(listAgents(store, 'acme'))).toEqual([])
  expect((await publishDefinitions(store, acme, all)).results.map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['agent', 'created'],
    ['workflow', 'created'],
  ])
  await store.rebuild()
  expect(await idsOf(listAgents(store, 'acme'))).toEqual(['local.desk.writer'])
  expect(await breaksIn(store)).toEqual([])
})
