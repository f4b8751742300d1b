// A folder as the next version of a workspace: what is new is written, what is gone is taken away, what is the same is not even read.
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
  /** Told what it is called, so that it need not be read again. */
  named(file: F, digest: Digest): void
}

export interface PublishTree<F extends SourceFile = SourceFile> {
  readonly workspace: string
  readonly source: TreeSource<F>
  readonly message?: string | undefined
  readonly expected?: number | undefined
  readonly progress?: (done: number, total: number) => void
}

/** What is smaller is written together with others, in one commit. */
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
  // The whole of it is written: what is missing in the folder goes.
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
      // Somebody else committed meanwhile: the folder is compared with what is there now.
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
  const bodies = bodiesOf(store, tenant, source, new Set([...before.values()].map(({ digest }) => digest)))
  const changes: WorkspaceChange[] = []
  for (const [index, file] of files.entries()) {
    const { path, mode } = file
    const same = bodies.same(file)
    const written = same === null ? await bodies.write(file) : { digest: same, size: file.size }
    const known = before.get(path)
    before.delete(path)
    if (known?.digest !== written.digest || known.mode !== mode) changes.push({ path, write: written, mode })
    progress?.(index + 1, files.length)
  }
  await bodies.flush()
  for (const path of before.keys()) changes.push({ path, write: null })
  return changes
}

/** @param present objects that are there for certain, since a version leads to them */
function bodiesOf<F extends SourceFile>(store: Store, tenant: string, { read, named }: TreeSource<F>, present: Set<Digest>) {
  let waiting: Uint8Array[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    if (waiting.length > 0) await store.commit({ tenant, objects: waiting })
    waiting = []
    bytes = 0
  }
  const write = async (file: F): Promise<{ digest: Digest; size: number }> => {
    if (file.size > SMALL) {
      const written = await writeFile(store, tenant, file.path, read(file))
      present.add(written.digest)
      named(file, written.digest)
      return written
    }
    const pieces: Uint8Array[] = []
    for await (const chunk of read(file)) pieces.push(chunk)
    const body = checkBytes(file.path, pieces.length === 1 ? pieces[0]! : new Uint8Array(Buffer.concat(pieces)))
    const digest = digestBytes(body)
    named(file, digest)
    if (!present.has(digest)) {
      present.add(digest)
      waiting.push(body)
      bytes += body.length
      if (waiting.length >= AT_ONCE || bytes >= AT_ONCE_BYTES) await flush()
    }
    return { digest, size: body.length }
  }
  /** Without waiting: most files of a folder are the same as before. */
  const same = ({ known }: SourceFile): Digest | null => (known !== null && present.has(known) ? known : null)
  return { same, write, flush }
}
