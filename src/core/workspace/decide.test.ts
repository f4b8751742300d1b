import { describe, expect, it } from 'vitest'
import { digestText } from '../digest/digest.ts'
import { decideCommit } from './decide.ts'
import { refusedUse, type WorkspaceGrant, type WorkspaceOperation } from './policy.ts'

const [one, two] = [digestText('one'), digestText('two')]
const request = { workspace: 'writer', root: two, files: 2, bytes: 20, actor: 'test' }
const head = { version: 4, root: one, files: 1, bytes: 10 }

describe('a commit', () => {
  it('is version 1 of what did not exist', () => {
    expect(decideCommit(null, { ...request, expected: 0 })).toEqual({
      outcome: 'committed',
      version: 1,
      drafts: [
        { type: 'workspace.committed', actor: 'test', payload: { workspace: 'writer', version: 1, root: two, files: 2, bytes: 20 } },
      ],
    })
  })

  it('is the next version of what did, and says what it follows', () => {
    const decided = decideCommit(head, { ...request, message: 'tone' })
    expect(decided).toMatchObject({ version: 5, drafts: [{ payload: { version: 5, root: two, previousRoot: one, message: 'tone' } }] })
  })

  it('writes nothing when the root is the same', () => {
    expect(decideCommit(head, { ...request, root: one })).toEqual({ outcome: 'unchanged', version: 4 })
  })

  it.each([
    [head, 3, 4],
    [head, 5, 4],
    [head, 0, 4],
    [null, 1, 0],
  ])('is refused when the head is another than expected', (found, expected, version) => {
    expect(decideCommit(found, { ...request, root: one, expected })).toEqual({ outcome: 'conflict', expected, found: version })
  })
})

describe('a policy', () => {
  const refused = (grants: readonly WorkspaceGrant[], operation: WorkspaceOperation, path = '', workspace = 'writer') =>
    refusedUse(grants, { workspace, operation, path })

  it('allows nothing that no grant names', () => {
    expect([refused([], 'read'), refused([{ workspaces: [] }], 'read'), refused([{ workspaces: ['editor'] }], 'resolve')]).toEqual(
      Array(3).fill('workspace'),
    )
  })

  it('takes an absent list for everything and an empty one for nothing', () => {
    expect(refused([{ workspaces: ['*'] }], 'write', 'any/path')).toBeNull()
    expect(refused([{ workspaces: ['*'], operations: [] }], 'read')).toBe('operation')
    expect(refused([{ workspaces: ['*'], paths: [] }], 'read', 'a')).toBe('path')
  })

  it('reaches a path and what is below it, never beside or above', () => {
    const docs: readonly WorkspaceGrant[] = [{ workspaces: ['writer'], paths: ['docs'] }]
    expect(['docs', 'docs/a', 'docs2', 'doc', ''].map(path => refused(docs, 'read', path))).toEqual([null, null, 'path', 'path', 'path'])
    expect(refused(docs, 'resolve')).toBeNull()
  })

  it('never adds up two grants into one', () => {
    const grants: readonly WorkspaceGrant[] = [
      { workspaces: ['writer'], operations: ['read'] },
      { workspaces: ['writer'], operations: ['write'], paths: ['drafts'] },
    ]
    expect([refused(grants, 'read', 'secret'), refused(grants, 'write', 'drafts/a'), refused(grants, 'write', 'secret')]).toEqual([
      null,
      null,
      'path',
    ])
  })
})
