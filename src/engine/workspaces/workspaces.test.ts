// Workspaces on a real record: what one may reach, what survives, what it leaves behind.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { EVERYTHING, type WorkspacePolicy } from '../../core/workspace/policy.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { commitChanges, type WorkspaceChange, type WorkspaceWriter } from './commit.ts'
import { publishTree, type SourceFile, type TreeSource } from './publish.ts'
import { diffVersions, listFiles, openFile, readAnnotations, readBytes, readRef } from './read.ts'
import { listVersions, listWorkspaces, resolveWorkspace } from './versions.ts'

let store: Store
beforeAll(() => {
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
})
afterAll(() => store.close())

const writer: WorkspaceWriter = { tenant: 'acme', policy: EVERYTHING, actor: 'test' }
const only = (policy: WorkspacePolicy): WorkspaceWriter => ({ ...writer, policy })
const text = (path: string, words: string): WorkspaceChange => ({ path, write: Buffer.from(words) })
const commit = (workspace: string, changes: readonly WorkspaceChange[], as = writer) => commitChanges(store, as, { workspace, changes })
const refused = (code: string, more = {}) => expect.objectContaining({ code, ...more })
let made = 0
const fresh = () => `ws-${++made}`

describe('resolving', () => {
  it('answers that something is not there with a value', async () => {
    const workspace = fresh()
    expect(await resolveWorkspace(store, writer, { workspace })).toEqual({ exists: false })
    await commit(workspace, [text('a', '1')])
    await commit(workspace, [text('a', '2')])
    expect(await resolveWorkspace(store, writer, { workspace })).toMatchObject({ exists: true, version: 2, head: 2 })
    expect(await resolveWorkspace(store, writer, { workspace, version: 1 })).toMatchObject({ exists: true, version: 1, head: 2 })
    expect(await resolveWorkspace(store, writer, { workspace, version: 3 })).toEqual({ exists: false })
  })

  it('leaves a pinned version what it was, whatever is committed since', async () => {
    const workspace = fresh()
    const { root } = await commit(workspace, [text('a', 'first')])
    await commit(workspace, [text('a', 'second')])
    expect(Buffer.from(await readBytes(store, writer, { workspace, version: 1 }, 'a')).toString()).toBe('first')
    expect(Buffer.from(await readBytes(store, writer, { workspace, root }, 'a')).toString()).toBe('first')
  })
})

describe('reading', () => {
  it('gives refs, bytes and ranges, and null or a fault for what is not there', async () => {
    const workspace = fresh()
    await commit(workspace, [text('docs/a.md', '0123456789')])
    const read = async (range?: readonly [number, number]) =>
      Buffer.from(await readBytes(store, writer, { workspace }, 'docs/a.md', range)).toString()
    expect(await readRef(store, writer, { workspace }, 'docs/a.md')).toMatchObject({ kind: 'file', size: 10, mode: '0644' })
    expect(await readRef(store, writer, { workspace }, 'docs')).toMatchObject({ kind: 'dir', size: 0, mode: '0755' })
    expect(await readRef(store, writer, { workspace }, 'docs/b.md')).toBeNull()
    expect([await read(), await read([2, 5]), await read([10, 10])]).toEqual(['0123456789', '234', ''])
    for (const range of [
      [5, 2],
      [0, 11],
      [-1, 2],
    ] as const)
      await expect(read(range)).rejects.toEqual(refused('range_invalid'))
    await expect(openFile(store, writer, { workspace }, 'docs')).rejects.toEqual(refused('workspace_path_conflict'))
    await expect(openFile(store, writer, { workspace }, 'nope')).rejects.toEqual(refused('workspace_path_missing'))
  })

  it('lists all there is, and the versions newest first', async () => {
    const workspace = fresh()
    await commit(workspace, [text('b', '1'), text('a/c', '2')])
    await commit(workspace, [text('b', '3')])
    expect((await listFiles(store, writer, { workspace, scope: 'subtree' })).entries.map(({ path }) => path)).toEqual(['a', 'a/c', 'b'])
    const versions: number[] = []
    for await (const { version } of listVersions(store, writer, workspace)) versions.push(version)
    expect(versions).toEqual([2, 1])
  })
})

describe('a policy', () => {
  const docs = (workspace: string) => only([{ workspaces: [workspace], paths: ['docs'] }])

  it('is asked about the workspace, whatever root is named', async () => {
    const [mine, theirs] = [fresh(), fresh()]
    await commit(mine, [text('a', 'mine')])
    const { root } = await commit(theirs, [text('a', 'theirs')])
    const member = only([{ workspaces: [mine] }])
    const through = (workspace: string) => [
      readRef(store, member, { workspace, root }, 'a'),
      readBytes(store, member, { workspace, root }, 'a'),
      listFiles(store, member, { workspace, root }),
      readAnnotations(store, member, { workspace, root }),
    ]
    for (const attempt of through(mine))
      await expect(attempt).rejects.toEqual(refused('workspace_not_allowed', { details: expect.objectContaining({ refused: 'root' }) }))
    for (const attempt of through(theirs)) await expect(attempt).rejects.toEqual(refused('workspace_not_allowed'))
    const other = { ...writer, tenant: 'umbrella' }
    await expect(readRef(store, other, { workspace: theirs, root }, 'a')).rejects.toEqual(refused('workspace_not_allowed'))
  })

  it('holds for a root that both have', async () => {
    const [mine, theirs] = [fresh(), fresh()]
    const { root } = await commit(mine, [text('a', 'same')])
    await commit(theirs, [text('a', 'same')])
    expect(await readRef(store, only([{ workspaces: [mine] }]), { workspace: mine, root }, 'a')).not.toBeNull()
    await expect(readRef(store, only([{ workspaces: [mine] }]), { workspace: theirs, root }, 'a')).rejects.toEqual(
      refused('workspace_not_allowed'),
    )
  })

  it('keeps everybody below the paths they were given', async () => {
    const workspace = fresh()
    await commit(workspace, [text('docs/a', '1'), text('docs2/a', '2'), text('secret', '3')])
    const user = docs(workspace)
    expect((await listFiles(store, user, { workspace, path: 'docs' })).entries).toHaveLength(1)
    expect((await diffVersions(store, user, { workspace, path: 'docs' })).changes).toHaveLength(1)
    const empty = fresh()
    const attempts = [
      listFiles(store, user, { workspace }),
      listFiles(store, user, { workspace, path: 'docs2' }),
      readBytes(store, user, { workspace }, 'secret'),
      diffVersions(store, user, { workspace }),
      commit(workspace, [text('docs/b', 'x'), text('secret', 'x')], user),
      commit(workspace, [{ path: '', annotate: { x: 1 } }], user),
      publishTree(store, user, { workspace, source: { files: [], read: () => [], named: () => undefined } }),
      publishTree(store, docs(empty), { workspace: empty, source: { files: [], read: () => [], named: () => undefined } }),
    ]
    for (const attempt of attempts)
      await expect(attempt).rejects.toEqual(refused('workspace_not_allowed', { details: expect.objectContaining({ refused: 'path' }) }))
    expect((await commit(workspace, [text('docs/b', 'x')], user)).version).toBe(2)
  })

  it('lets nobody do what was not granted', async () => {
    const workspace = fresh()
    await commit(workspace, [text('a', '1')])
    const reader = only([{ workspaces: ['*'], operations: ['resolve', 'read'] }])
    expect(await readRef(store, reader, { workspace }, 'a')).not.toBeNull()
    for (const attempt of [
      listFiles(store, reader, { workspace }),
      commit(workspace, [text('a', '2')], reader),
      diffVersions(store, reader, { workspace }),
    ])
      await expect(attempt).rejects.toEqual(
        refused('workspace_not_allowed', { details: expect.objectContaining({ refused: 'operation' }) }),
      )
    const names: string[] = []
    for await (const one of listWorkspaces(store, only([{ workspaces: [workspace] }]))) names.push(one.workspace)
    expect(names).toEqual([workspace])
  })
})

describe('committing', () => {
  it('writes one event with what it says, and rows that a rebuild makes again', async () => {
    const workspace = fresh()
    const first = await commitChanges(store, writer, {
      workspace,
      changes: [text('a', '12'), text('b/c', '345')],
      message: 'begin',
      expected: 0,
    })
    const events = []
    for await (const { event } of store.read('acme', `workspace/${workspace}`, -1)) events.push(event)
    expect(events).toMatchObject([
      {
        type: 'workspace.committed',
        actor: 'test',
        payload: { workspace, version: 1, root: first.root, message: 'begin', files: 2, bytes: 5 },
      },
    ])
    const before = await resolveWorkspace(store, writer, { workspace })
    await store.rebuild()
    expect(await resolveWorkspace(store, writer, { workspace })).toEqual(before)
  })

  it('shares what is the same between versions and workspaces', async () => {
    const [one, other] = [fresh(), fresh()]
    const first = await commit(one, [text('a/x', '1'), text('b/x', '2')])
    const second = await commit(other, [text('b/x', '2'), text('a/x', '1')])
    expect(second.root).toBe(first.root)
  })

  it('gives everything back after a collection: what a version leads to is kept', async () => {
    const workspace = fresh()
    await commit(workspace, [text('deep/down/a.md', 'kept'), { path: 'deep', annotate: { note: 'kept too' } }])
    await commit(workspace, [{ path: 'deep/down/a.md', write: null }, text('b', 'x')])
    await store.collect('2999-01-01T00:00:00.000Z')
    expect(Buffer.from(await readBytes(store, writer, { workspace, version: 1 }, 'deep/down/a.md')).toString()).toBe('kept')
    expect(await readAnnotations(store, writer, { workspace, version: 1 }, 'deep')).toEqual({ note: 'kept too' })
  })

  it('refuses a digest as a message, names that are none and annotations that are too much', async () => {
    const workspace = fresh()
    const digest = digestBytes(Buffer.from('x'))
    await expect(commitChanges(store, writer, { workspace, changes: [text('a', 'x')], message: digest })).rejects.toEqual(
      refused('validation_error'),
    )
    await expect(commit('..', [text('a', 'x')])).rejects.toEqual(refused('workspace_name_invalid'))
    await expect(commit(workspace, [text('../a', 'x')])).rejects.toEqual(refused('workspace_path_invalid'))
    await expect(commit(workspace, [{ ...text('a', 'x'), annotate: { note: 'x'.repeat(70_000) } }])).rejects.toEqual(
      refused('validation_error'),
    )
    expect(await resolveWorkspace(store, writer, { workspace })).toEqual({ exists: false })
  })
})

describe('publishing a tree', () => {
  interface TestFile extends SourceFile {
    readonly text: string
  }
  const file = (path: string, text: string, known: Digest | null = null): TestFile => ({
    path,
    mode: '0644',
    size: text.length,
    known,
    text,
  })
  /** Files that are counted when they are read. */
  const sourceOf = (files: readonly TestFile[], reads: string[] = []): TreeSource<TestFile> => ({
    files,
    *read({ path, text }) {
      reads.push(path)
      yield Buffer.from(text)
    },
    named: () => undefined,
  })

  it('makes the version what the folder is, and keeps annotations of what stays', async () => {
    const workspace = fresh()
    const publish = (files: Readonly<Record<string, string>>) =>
      publishTree(store, writer, { workspace, source: sourceOf(Object.entries(files).map(([path, words]) => file(path, words))) })
    await publish({ a: '1', 'b/c': '2' })
    await commit(workspace, [{ path: 'a', annotate: { reviewed: true } }])
    const { version, changes } = await publish({ a: '1 more', b: 'now a file' })
    expect([version, changes.map(({ path, kind }) => [path, kind])]).toEqual([
      3,
      [
        ['a', 'changed'],
        ['b', 'added'],
        ['b/c', 'removed'],
      ],
    ])
    expect(await readAnnotations(store, writer, { workspace }, 'a')).toEqual({ reviewed: true })
    expect((await publish({ a: '1 more', b: 'now a file' })).outcome).toBe('unchanged')
  })

  it('believes a known digest only when the newest version has it', async () => {
    const workspace = fresh()
    const known = digestBytes(Buffer.from('same'))
    const reads: string[] = []
    for (let n = 0; n < 2; n++) await publishTree(store, writer, { workspace, source: sourceOf([file('a', 'same', known)], reads) })
    expect(reads).toEqual(['a'])
  })

  it('stores every body, in as many commits as it takes, however often it stands there and wherever it moves', async () => {
    const workspace = fresh()
    const many = Array.from({ length: 2_500 }, (_, n) => file(`f${n}`, n % 2 === 0 ? 'the same' : `text ${n}`))
    await publishTree(store, writer, { workspace, source: sourceOf(many) })
    const moved = [...many.slice(1), file('moved', 'text 1'), file('new-1', 'twice'), file('new-2', 'twice')]
    const { changes } = await publishTree(store, writer, { workspace, source: sourceOf(moved) })
    expect(changes.map(({ path }) => path).sort()).toEqual(['f0', 'moved', 'new-1', 'new-2'])
    for (const { path, text: words } of [many[2]!, many[999]!, many[2_499]!, ...moved.slice(-3)])
      expect(new TextDecoder().decode(await readBytes(store, writer, { workspace }, path))).toBe(words)
  })

  it('is refused as a whole when a file is too large or there are too many', async () => {
    const workspace = fresh()
    const publish = (files: readonly TestFile[]) => publishTree(store, writer, { workspace, source: sourceOf(files) })
    const tooLarge = { ...file('b', 'x'), size: 64 * 1024 * 1024 + 1 }
    await expect(publish([file('a', 'x'), tooLarge])).rejects.toEqual(refused('file_too_large'))
    await expect(publish(Array.from({ length: 100_001 }, (_, n) => file(`f${n}`, 'x')))).rejects.toEqual(refused('files_too_many'))
    expect(await resolveWorkspace(store, writer, { workspace })).toEqual({ exists: false })
  })

  it('refuses a file that a store would take for a folder, in whatever pieces it comes', async () => {
    const workspace = fresh()
    const small = file('a', '{"$node":"tree","entries":[]}')
    const byCharacter: TreeSource<TestFile> = {
      ...sourceOf([{ ...small, size: 300_000 }]),
      *read({ text }) {
        for (const character of text) yield Buffer.from(character)
      },
    }
    for (const source of [sourceOf([small]), byCharacter])
      await expect(publishTree(store, writer, { workspace, source })).rejects.toEqual(refused('file_reserved'))
    expect(await resolveWorkspace(store, writer, { workspace })).toEqual({ exists: false })
  })

  it('compares again when somebody commits meanwhile, unless it was told what to expect', async () => {
    const workspace = fresh()
    await commit(workspace, [text('a', '1')])
    const racing = (path: string): TreeSource<TestFile> => {
      let raced = false
      return {
        ...sourceOf([file(path, 'x')]),
        async *read() {
          if (!raced) await commit(workspace, [text(`theirs-${++made}`, 'x')])
          raced = true
          yield Buffer.from('x')
        },
      }
    }
    expect(await publishTree(store, writer, { workspace, source: racing('mine') })).toMatchObject({ version: 3, files: 1 })
    await expect(publishTree(store, writer, { workspace, source: racing('other'), expected: 3 })).rejects.toEqual(
      refused('workspace_conflict', { details: { workspace, expected: 3, found: 4 } }),
    )
  })
})
