// Folder: Workspace versions: published, read, compared, checked.
// Publishes a folder as the next version of a workspace: writes new files, removes missing ones, and does not read unchanged ones.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { isStale, type WorkspaceHead } from '../../core/workspace/decide.ts'
import { filesOf } from '../../core/workspace/list.ts'
import type { FileMode, TreeFile } from '../../core/workspace/tree.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { type CommitResult, commitChanges, MOST_FILES, type WorkspaceChange, type WorkspaceWriter } from './commit.ts'
import { checkBytes, MOST_FILE_BYTES, writeFile } from './files.ts'
import { conduct } from './nodes.ts'
import { checkUse, headOf } from './versions.ts'

export interface SourceFile {
  readonly path: string
  readonly mode: FileMode
  readonly size: number
  /** The digest it had when it looked exactly as it does now; null when it must be read. */
  readonly known: Digest | null
}

/** Files, and how to read them. They are data, for there may be very many. */
export interface TreeSource<F extends SourceFile = SourceFile> {
  readonly files: readonly F[]
  read(file: F): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Receives the digest of the file, so that it need not be read again. */
  named(file: F, digest: Digest): void
}

export interface PublishTree<F extends SourceFile = SourceFile> {
  readonly workspace: string
  readonly source: TreeSource<F>
  readonly message?: string | undefined
  readonly expected?: number | undefined
  readonly progress?: (done: number, total: number) => void
}

/** Smaller files are written together, in one commit. */
const SMALL = 256 * 1024
const AT_ONCE_BYTES = 8 * 1024 * 1024
const AT_ONCE = 1000

export async function publishTree<F extends SourceFile>(
  store: Store,
  writer: WorkspaceWriter,
  request: PublishTree<F>,
): Promise<CommitResult> {
  const { workspace, message, expected } = request
  const { files } = request.source
  if (files.length > MOST_FILES) throw new Fault('files_too_many', { files: files.length, most: MOST_FILES })
  // The whole workspace is replaced: files that the folder lacks are removed.
  checkUse(writer, workspace, 'write')
  for (const { path, size } of files) if (size > MOST_FILE_BYTES) throw new Fault('file_too_large', { path, most: MOST_FILE_BYTES })
  for (;;) {
    const head = await headOf(store, writer.tenant, workspace)
    const found = head?.version ?? 0
    if (isStale(head, expected)) throw new Fault('workspace_conflict', { workspace, expected, found })
    const changes = await changesTo(store, writer, request, head)
    try {
      return await commitChanges(store, writer, { workspace, changes, message, expected: found })
    } catch (error) {
      // Another writer committed meanwhile: the folder is compared with the new head.
      if (!(error instanceof Fault && error.code === 'workspace_conflict' && expected === undefined)) throw error
    }
  }
}

async function changesTo<F extends SourceFile>(
  store: Store,
  { tenant }: WorkspaceWriter,
  { source, progress }: PublishTree<F>,
  head: WorkspaceHead | null,
): Promise<readonly WorkspaceChange[]> {
  const before: Map<string, TreeFile> = head === null ? new Map() : await conduct(store, tenant, filesOf(head.root))
  const { files } = source
  const bodies = bodiesOf(store, tenant, source)
  const changes: WorkspaceChange[] = []
  for (const [index, file] of files.entries()) {
    const { path, mode } = file
    const there = before.get(path)
    before.delete(path)
    // The known digest counts only if the version has the same. No await: most files of a folder are unchanged.
    const isSame = there !== undefined && there.digest === file.known
    const written = isSame ? there : await bodies.write(file, there?.digest)
    if (there?.digest !== written.digest || there.mode !== mode)
      changes.push({ path, write: { digest: written.digest, size: written.size }, mode })
    progress?.(index + 1, files.length)
  }
  for (const path of before.keys()) changes.push({ path, write: null })
  return changes.map(bodies.bring)
}

function bodiesOf<F extends SourceFile>(store: Store, tenant: string, { read, named }: TreeSource<F>) {
  const brought = new Set<Digest>()
  const waiting = new Map<Digest, Uint8Array>()
  let bytes = 0
  const flush = async (): Promise<void> => {
    await store.commit({ tenant, objects: [...waiting.values()] })
    waiting.clear()
    bytes = 0
  }
  /** @param there the file's digest in the newest version, which is certainly in the store */
  const write = async (file: F, there: Digest | undefined): Promise<{ digest: Digest; size: number }> => {
    if (file.size > SMALL) {
      const written = await writeFile(store, tenant, file.path, read(file))
      named(file, written.digest)
      return written
    }
    const pieces: Uint8Array[] = []
    for await (const chunk of read(file)) pieces.push(chunk)
    const body = checkBytes(file.path, pieces.length === 1 ? pieces[0]! : new Uint8Array(Buffer.concat(pieces)))
    const digest = digestBytes(body)
    named(file, digest)
    if (digest !== there && !brought.has(digest)) {
      brought.add(digest)
      waiting.set(digest, body)
      bytes += body.length
      if (waiting.size >= AT_ONCE || bytes >= AT_ONCE_BYTES) await flush()
    }
    return { digest, size: body.length }
  }
  /** Pending bodies go along with the version itself: a few changes are one commit, and so one sync to disk. */
  const bring = (change: WorkspaceChange): WorkspaceChange => {
    const digest = change.write instanceof Uint8Array ? undefined : change.write?.digest
    const body = digest === undefined ? undefined : waiting.get(digest)
    if (digest === undefined || body === undefined) return change
    waiting.delete(digest)
    return { ...change, write: body }
  }
  return { write, bring }
}
