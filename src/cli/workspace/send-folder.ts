// onbook publish FOLDER --workspace NAME through a host: uploads the files that the host does not have, then commits all changes at once.
import { type FolderFile, type FolderTree, folderTree } from '../../adapters/folder/folder-tree.ts'
import type { Book } from '../../book.ts'
import { ClientError, type CommittedWorkspace, type WorkspaceCommit } from '../../client/index.ts'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { Fault } from '../../errors.ts'
import { progressOn } from '../progress.ts'
import type { FolderRequest } from './publish-folder.ts'

type Change = WorkspaceCommit['changes'][number]

/** No cache: the record is on another machine. */
const NO_CACHE = { find: () => null, note: () => {}, save: () => {} }

/** The latest version; 0 when the workspace does not exist. */
export async function latestVersion(book: Book, workspace: string): Promise<number> {
  try {
    return (await book.workspaces.get(workspace)).version
  } catch (error) {
    if (error instanceof ClientError && error.code === 'workspace_missing') return 0
    throw error
  }
}

export async function sendFolder(
  book: Book,
  { workspace, folder, message, expected }: FolderRequest,
): Promise<Omit<CommittedWorkspace, 'previousRoot'>> {
  const source = folderTree(folder, NO_CACHE)
  const uploaded = new Set<Digest>()
  for (;;) {
    const head = await latestVersion(book, workspace)
    if (expected !== undefined && expected !== head) throw new Fault('workspace_conflict', { workspace, expected, found: head })
    const changes = await changesSince(book, workspace, head, source, uploaded)
    if (changes.length === 0 && head > 0) return { ...(await book.workspaces.get(workspace)), outcome: 'unchanged', changes: [] }
    try {
      return await book.workspaces.commit(workspace, { expectedHead: head, changes, ...(message === undefined ? {} : { message }) })
    } catch (error) {
      // Another writer committed meanwhile: the folder is compared with the new version.
      if (!(error instanceof ClientError && error.code === 'workspace_conflict' && expected === undefined)) throw error
    }
  }
}

async function changesSince(
  book: Book,
  workspace: string,
  version: number,
  source: FolderTree,
  uploaded: Set<Digest>,
): Promise<readonly Change[]> {
  const before = new Map<string, { readonly digest: string; readonly mode: string }>()
  if (version > 0)
    for await (const { path, kind, digest, mode } of book.workspaces.tree(workspace, { version }))
      if (kind === 'file') before.set(path, { digest, mode })
  const progress = progressOn()
  const changes: Change[] = []
  try {
    for (const [index, file] of source.files.entries()) {
      const bytes = bytesOf(source, file)
      const digest = digestBytes(bytes)
      const there = before.get(file.path)
      before.delete(file.path)
      if (there?.digest === digest && there.mode === file.mode) continue
      // Uploaded even if the host may have it: a key that is limited to workspaces may name only objects that it uploaded itself.
      if (!uploaded.has(digest)) await book.objects.put(bytes)
      uploaded.add(digest)
      changes.push({ path: file.path, digest, mode: file.mode })
      progress.tick(index + 1, source.files.length, 0)
    }
  } finally {
    progress.clear()
  }
  return [...changes, ...[...before.keys()].map(path => ({ path, remove: true as const }))]
}

const bytesOf = (source: FolderTree, file: FolderFile): Uint8Array => new Uint8Array(Buffer.concat([...source.read(file)]))
