// Two committed versions of a workspace: which files differ, which decisions change with them, and what those affect.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EVERYTHING, type WorkspacePolicy } from '../../core/workspace/policy.ts'
import type { Store } from '../../ports.ts'
import { freshStore, TENANT } from '../../testing/stories/run-house.ts'
import { commitChanges } from '../workspaces/commit.ts'
import { diffWorkspaces } from './diff-workspaces.ts'

const user = { tenant: TENANT, policy: EVERYTHING }
let store: Store
const commit = (files: Readonly<Record<string, string | null>>) =>
  commitChanges(
    store,
    { ...user, actor: 'ada' },
    {
      workspace: 'desk',
      changes: Object.entries(files).map(([path, text]) => ({ path, write: text === null ? null : new TextEncoder().encode(text) })),
    },
  )
beforeAll(async () => {
  store = freshStore()
  await commit({
    'context/style.md': 'Short.\n',
    'prompts/packs/desk.json': '{"id":"desk","templates":[],"context":["context/style.md"]}',
    'agents/writer.json': '{"agentId":"local.desk.writer","label":"Writer"}',
    'notes/gone.md': 'Old.\n',
    'notes/picture.bin': '\u0000one',
  })
  await commit({
    'context/style.md': 'Short and plain.\n',
    'agents/writer.json': '{"agentId":"local.desk.writer","label":"Author"}',
    'notes/gone.md': null,
    'notes/new.md': 'New.\n',
  })
})
afterAll(() => store.close())

const between = (from: number, to: number, path?: string) =>
  diffWorkspaces(store, user, { workspace: 'desk', version: from }, { workspace: 'desk', version: to }, path)

it('tells what is decided otherwise, and which prelude changes with a file', async () => {
  const { a, b, same, decisions, texts, means } = await between(1, 2)
  expect([a, b, same]).toEqual(['desk version 1', 'desk version 2', false])
  expect(decisions.map(({ what, path, field, a: one, b: other }) => [what, path, field, one !== null, other !== null])).toEqual([
    ['agent', 'agents/writer.json', 'label', true, true],
    ['file', 'context/style.md', undefined, true, true],
    ['file', 'notes/gone.md', undefined, true, false],
    ['file', 'notes/new.md', undefined, false, true],
  ])
  expect(texts.map(({ path }) => path)).toEqual(['agents/writer.json', 'context/style.md'])
  expect(means).toEqual([
    { what: 'prelude', name: 'desk', path: 'prompts/packs/desk.json', change: 'says something else', because: ['context/style.md'] },
  ])
})

it('other bytes are never the same; another mode changes nothing that is said', async () => {
  const pack = readFileSync('scaffold/prompts/summarizer/v1.0.0.yaml', 'utf8')
  const path = 'prompts/summarizer/v1.0.0.yaml'
  await commit({ [path]: pack })
  await commit({ [path]: `# a remark\n${pack}` })
  const write = new TextEncoder().encode('Short and plain.\n')
  await commitChanges(store, { ...user, actor: 'ada' }, { workspace: 'desk', changes: [{ path: 'context/style.md', write, mode: '0755' }] })
  expect(await between(3, 4)).toMatchObject({ same: false, decisions: [{ what: 'pack', path }], texts: [{ path }] })
  expect(await between(4, 5)).toMatchObject({ decisions: [{ name: 'mode' }], means: [] })
})

it('is the same with itself, and within a path', async () => {
  expect(await between(1, 1)).toMatchObject({ same: true, decisions: [], texts: [], means: [] })
  expect((await between(1, 2, 'notes')).decisions).toHaveLength(2)
})

it('refuses who may not read what it would tell', async () => {
  const policy: WorkspacePolicy = [{ workspaces: ['*'], operations: ['resolve', 'list', 'diff'] }]
  const asked = diffWorkspaces(store, { ...user, policy }, { workspace: 'desk', version: 1 }, { workspace: 'desk', version: 2 })
  await expect(asked).rejects.toMatchObject({ code: 'workspace_not_allowed' })
})
