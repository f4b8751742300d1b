import { afterAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { scriptedModel } from '../../adapters/models/scripted-model.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { packText } from '../../testing/rules/test-rule.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { type Checker, checksOf, checkVersion, reportOf } from './checks.ts'
import { commitChanges } from './commit.ts'
import { storedFiles } from './stored-files.ts'

const validator = sharedValidator()
afterAll(() => validator.close())

const checker: Checker = {
  name: 'onbook test',
  validator,
  modelFor: async () => scriptedModel('script.yaml', 'replies: { Empty question: {} }'),
}
const writer = { tenant: 'acme', policy: EVERYTHING, actor: 'ada' }
const fresh = () => memoryStore(() => '2026-01-01T00:00:00.000Z', PRODUCT_PROJECTIONS)

async function committed(files: Readonly<Record<string, string | Uint8Array>>, store = fresh()) {
  const changes = Object.entries(files).map(([path, body]) => ({
    path,
    write: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  }))
  const { version, root } = await commitChanges(store, writer, { workspace: 'desk', changes })
  return { store, version, root }
}

const schema = (name: string) => JSON.stringify({ $id: `https://example.com/schemas/${name}.json`, type: 'object' })
const PACK = {
  'prompts/writer/v1.0.0.yaml': packText({}),
  'schemas/question.json': schema('question'),
  'schemas/answer.json': schema('answer'),
}

describe('checks of a version', () => {
  it('are of its files alone, and stay when the next version comes', async () => {
    const { store, root } = await committed({ 'tools/catalogs/default.json': '["nothing"]' })
    const made = await checkVersion(store, writer, { workspace: 'desk' }, checker)
    expect(made).toMatchObject({ checker: 'onbook test', files: 1, errors: 1, warnings: 0, infos: 0, tests: null })
    expect((await reportOf(store, writer, made!)).findings).toMatchObject([{ file: 'tools/catalogs/default.json', line: 1, column: 2 }])
    const second = await committed({ 'tools/catalogs/default.json': '[]' }, store)
    expect(await checksOf(store, writer, { workspace: 'desk', root: second.root })).toBeNull()
    expect(await checksOf(store, writer, { workspace: 'desk', root })).toEqual(made)
    expect(await checkVersion(store, writer, { workspace: 'desk', version: 1 }, checker)).toEqual(made)
  })

  it('test the packs that have something to be tested with', async () => {
    const { store } = await committed(PACK)
    expect(await checkVersion(store, writer, { workspace: 'desk' }, checker)).toMatchObject({ files: 1, errors: 0, tests: null })
    await committed({ 'prompts/writer/v1.0.0.script.yaml': 'replies: {}' }, store)
    const made = await checkVersion(store, writer, { workspace: 'desk' }, checker)
    expect(made?.tests).toEqual({ pass: 1, fail: 0, skip: 0, error: 0 })
    expect((await reportOf(store, writer, made!)).cases).toMatchObject([{ pack: 'prompts/writer/v1.0.0.yaml', status: 'pass' }])
  })

  it('are not made where there is nothing to check', async () => {
    const { store } = await committed({ 'a.md': 'A' })
    expect(await checkVersion(store, writer, { workspace: 'desk' }, checker)).toBeNull()
  })

  it('are for those who may use the workspace, and of one tenant', async () => {
    const { store, root } = await committed({ 'tools/catalogs/default.json': '[]' })
    await checkVersion(store, writer, { workspace: 'desk' }, checker)
    expect(await checksOf(store, { ...writer, tenant: 'other' }, { workspace: 'desk', root })).toBeNull()
    const stranger = { ...writer, policy: [{ workspaces: ['other'] }] }
    await expect(checksOf(store, stranger, { workspace: 'desk', root })).rejects.toMatchObject({ code: 'workspace_not_allowed' })
    const reader = { ...writer, policy: [{ workspaces: ['desk'], operations: ['resolve', 'list', 'read'] as const }] }
    await expect(checkVersion(store, reader, { workspace: 'desk' }, checker)).rejects.toMatchObject({ code: 'workspace_not_allowed' })
  })
})

describe('a version as files', () => {
  it('reads, lists and knows what is there, as a folder does', async () => {
    const { store } = await committed({
      'a/b.md': 'B',
      'a/.hidden/c.md': 'C',
      'node_modules/x.md': 'X',
      'bytes.bin': new Uint8Array([0xff]),
    })
    const files = await storedFiles(store, writer, { workspace: 'desk' })
    expect(await files.list('')).toEqual(['a/b.md', 'bytes.bin'])
    expect(await files.list('a')).toEqual(['a/b.md'])
    expect([await files.kind('a'), await files.kind('a/b.md'), await files.kind('../a'), await files.kind('z')]).toEqual([
      'folder',
      'file',
      'none',
      'none',
    ])
    expect(await files.readText('a/b.md', 10)).toEqual({ ok: true, text: 'B' })
    expect(await files.readText('a/b.md', 0)).toMatchObject({ ok: false, missing: false })
    expect(await files.readText('a', 10)).toMatchObject({ ok: false, message: 'it is a folder' })
    expect(await files.readText('bytes.bin', 10)).toMatchObject({ ok: false, message: 'it is not valid UTF-8' })
    expect(await files.readText('z', 10)).toMatchObject({ ok: false, missing: true })
    await expect(files.writeText('a/b.md', 'X')).rejects.toThrow('does not change')
  })
})
