// Commits a new version of a workspace on top of the newest one. The decision is repeated when another writer commits first.
import { canonicalJson, type Digest, digestBytes, isDigest, type Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { decideCommit, isStale, type WorkspaceHead } from '../../core/workspace/decide.ts'
import { countAfter, diffTrees, type TreeDifference } from '../../core/workspace/diff.ts'
import { workspaceStream } from '../../core/workspace/events.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { FileMode } from '../../core/workspace/tree.ts'
import { type TreeChange, type TreeRefusal, updateTree } from '../../core/workspace/update.ts'
import { Fault } from '../../errors.ts'
import type { Commit, Store } from '../../ports.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'
import { checkBytes } from './files.ts'
import { conduct } from './nodes.ts'
import { readAnnotations } from './read.ts'
import { checkUse, headOf, type WorkspaceUser, type WorkspaceVersion } from './versions.ts'

export const MOST_FILES = 100_000

export interface WorkspaceWriter extends WorkspaceUser {
  readonly actor: string
}

export interface WorkspaceChange {
  readonly path: string
  /** The bytes themselves, or what `writeFile` made of them; null takes the file away. */
  readonly write?: Uint8Array | { readonly digest: Digest; readonly size: number } | null
  /** Without it a file keeps the mode it has. */
  readonly mode?: FileMode | undefined
  /** Keys to set; null takes one away. */
  readonly annotate?: JsonObject
}

export interface CommitChanges {
  readonly workspace: string
  readonly changes: readonly WorkspaceChange[]
  readonly message?: string | undefined
  /** The version that must be newest; 0 when there must be none. */
  readonly expected?: number | undefined
  /** Evaluated together with the decision, so that no other write can come in between. */
  readonly precondition?: ((head: WorkspaceVersion | null) => Promise<boolean>) | undefined
  /** The stored answer to a repeated request. */
  readonly idempotency?: ((result: CommitResult) => Commit['idempotency']) | undefined
}

export interface CommitResult extends WorkspaceHead {
  readonly outcome: 'committed' | 'unchanged'
  readonly workspace: string
  readonly previousRoot: Digest | null
  readonly changes: readonly TreeDifference[]
  /** It had been done before, under the same idempotency key. */
  readonly replayed: boolean
}

export async function commitChanges(store: Store, writer: WorkspaceWriter, request: CommitChanges): Promise<CommitResult> {
  const { workspace, changes, message } = request
  checkUse(writer, workspace, 'resolve')
  for (const { path, write } of changes) checkUse(writer, workspace, 'write', path, write === null)
  // In an event a digest names an object.
  if (message !== undefined && isDigest(message))
    throw new Fault('validation_error', { problem: 'the message is a digest; write it in words' })
  return optimisticRetry(() => commitOnce(store, writer, request))
}

async function commitOnce(store: Store, writer: WorkspaceWriter, request: CommitChanges): Promise<CommitResult> {
  const { workspace, message, expected, precondition, idempotency } = request
  const { tenant, actor } = writer
  const stream = workspaceStream(workspace)
  const { seq } = await store.head(tenant, stream)
  const head = await headOf(store, tenant, workspace)
  if (isStale(head, expected)) throw conflict(workspace, expected, head)
  if (precondition !== undefined && !(await precondition(head)))
    throw new Fault('precondition_failed', { problem: `workspace ${workspace} is not what If-Match names` })

  const { tree, objects } = await prepare(store, writer, request, head)
  const updated = await conduct(store, tenant, updateTree(head?.root ?? null, tree))
  if (!updated.ok) throw refusal(workspace, head, updated.code, updated.path)
  const differences = await conduct(store, tenant, diffTrees(head?.root ?? null, updated.root), updated.nodes)
  const counts = countAfter(head ?? { files: 0, bytes: 0 }, differences)
  if (counts.files > MOST_FILES) throw new Fault('files_too_many', { files: counts.files, most: MOST_FILES })
  const asked = { workspace, root: updated.root, actor, ...counts, ...(message === undefined ? {} : { message }) }
  const decided = decideCommit(head, { ...asked, ...(expected === undefined ? {} : { expected }) })
  if (decided.outcome === 'conflict') throw conflict(workspace, decided.expected, head)

  const { outcome, version } = decided
  const previousRoot = head?.root ?? null
  const result = { outcome, workspace, version, root: updated.root, previousRoot, ...counts, changes: differences }
  const storedAnswer = idempotency?.({ ...result, replayed: false })
  if (decided.outcome === 'unchanged' && storedAnswer === undefined) return { ...result, replayed: false }
  const drafts = decided.outcome === 'committed' ? decided.drafts : []
  const nodes = [...updated.nodes.values()].map(({ text }) => new TextEncoder().encode(text))
  const { replayed } = await store.commit({
    tenant,
    ...(drafts.length === 0 ? {} : { objects: [...objects, ...nodes], appends: [{ stream, expected: seq, entries: drafts }] }),
    ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }),
  })
  return { ...result, replayed: replayed !== null }
}

const conflict = (workspace: string, expected: number, head: WorkspaceHead | null): Fault =>
  new Fault('workspace_conflict', { workspace, expected, found: head?.version ?? 0 })

const PROBLEMS: Readonly<Record<TreeRefusal, string>> = {
  path_twice: 'it is named twice',
  path_missing: 'it is not there',
  path_is_folder: 'it is a folder with something in it',
  path_in_file: 'it is a file, so nothing can be below it',
}

const refusal = (workspace: string, head: WorkspaceHead | null, code: TreeRefusal, path: string): Fault =>
  code === 'path_missing'
    ? new Fault('workspace_path_missing', { workspace, version: head?.version ?? 0, path })
    : new Fault('workspace_path_conflict', { workspace, path, problem: PROBLEMS[code] })

interface Prepared {
  readonly tree: readonly TreeChange[]
  readonly objects: readonly Uint8Array[]
}

async function prepare(
  store: Store,
  { tenant }: WorkspaceWriter,
  { changes }: CommitChanges,
  head: WorkspaceVersion | null,
): Promise<Prepared> {
  const tree: TreeChange[] = []
  const objects: Uint8Array[] = []
  for (const { path, write, mode, annotate } of changes) {
    let change: TreeChange = { path }
    if (write === null) change = { path, file: null }
    else if (write !== undefined) {
      const isBytes = write instanceof Uint8Array
      if (isBytes) objects.push(checkBytes(path, write))
      const { digest, size } = isBytes ? { digest: digestBytes(write), size: write.length } : write
      change = { path, file: { digest, size, ...(mode === undefined ? {} : { mode }) } }
    }
    if (annotate !== undefined) {
      const bytes = await annotated(store, tenant, head, path, annotate)
      if (bytes !== null) objects.push(bytes)
      change = { ...change, annotations: bytes === null ? null : digestBytes(bytes) }
    }
    tree.push(change)
  }
  return { tree, objects }
}

const MOST_BYTES = 64 * 1024

/** The object that holds them; null when none are left. In a patch null takes one away. */
async function annotated(
  store: Store,
  tenant: string,
  head: WorkspaceVersion | null,
  path: string,
  patch: JsonObject,
): Promise<Uint8Array | null> {
  // A key that begins with a dollar could make them look like a node.
  const wrong = Object.keys(patch).find(key => key.startsWith('$') || key === '')
  if (wrong !== undefined) throw new Fault('validation_error', { problem: `"${wrong}" cannot be the name of an annotation` })
  const before = head === null ? {} : await annotationsBefore(store, tenant, head, path)
  const after = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null)
  if (after.length === 0) return null
  const bytes = new TextEncoder().encode(canonicalJson(Object.fromEntries(after) as Json))
  if (bytes.length > MOST_BYTES)
    throw new Fault('validation_error', { problem: `the annotations of ${path || 'the root'} have more than ${MOST_BYTES} bytes` })
  return bytes
}

/** A caller with write access may build on existing annotations. A file that is written and annotated at once has none yet. */
const annotationsBefore = (store: Store, tenant: string, { workspace, root }: WorkspaceVersion, path: string): Promise<JsonObject> =>
  readAnnotations(store, { tenant, policy: EVERYTHING }, { workspace, root }, path).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'workspace_path_missing') return {}
    throw error
  })
