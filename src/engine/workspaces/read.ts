// Reads a version of a workspace: its listing, a file's bytes, its difference from another. Every call names its workspace.
import type { JsonObject } from '../../core/digest/is-object.ts'
import { diffTrees, type TreeDifference } from '../../core/workspace/diff.ts'
import { type ListedEntry, listTree } from '../../core/workspace/list.ts'
import { isWithin } from '../../core/workspace/path.ts'
import { findEntry, openFolder, type TreeEntry } from '../../core/workspace/tree.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { conduct } from './nodes.ts'
import { treeOf, type VersionChoice, type WorkspaceUser, type WorkspaceVersion } from './versions.ts'

export interface ListRequest extends VersionChoice {
  readonly path?: string | undefined
  readonly scope?: 'dir' | 'subtree' | undefined
  /** Lists only entries after this path. */
  readonly cursor?: string | undefined
  /** Without it, all. */
  readonly limit?: number | undefined
}

export interface ListedTree {
  readonly version: WorkspaceVersion
  readonly entries: readonly ListedEntry[]
  /** Null when there is no more. */
  readonly nextCursor: string | null
}

export async function listFiles(store: Store, user: WorkspaceUser, request: ListRequest): Promise<ListedTree> {
  const { path = '', scope = 'dir', cursor, limit = Number.MAX_SAFE_INTEGER } = request
  const version = await treeOf(store, user, request, 'list', path)
  const listing = { path, scope, limit, ...(cursor === undefined ? {} : { after: cursor }) }
  const listed = await conduct(store, user.tenant, listTree(version.root, listing))
  if (!listed.ok) throw refusal(version, listed.code, path)
  return { version, entries: listed.entries, nextCursor: listed.more ? (listed.entries.at(-1)?.path ?? null) : null }
}

/** The tree entry at a path, or null. */
export async function readRef(store: Store, user: WorkspaceUser, choice: VersionChoice, path: string): Promise<TreeEntry | null> {
  const { root } = await treeOf(store, user, choice, 'read', path)
  return conduct(store, user.tenant, findEntry(root, path))
}

export interface OpenFile extends TreeEntry {
  readonly version: WorkspaceVersion
  /** From `start` to before `end`. Nothing is known about the whole until it was read to its end. */
  bytes(start?: number, end?: number): AsyncIterable<Uint8Array>
}

export async function openFile(store: Store, user: WorkspaceUser, choice: VersionChoice, path: string): Promise<OpenFile> {
  const version = await treeOf(store, user, choice, 'read', path)
  const entry = await conduct(store, user.tenant, findEntry(version.root, path))
  if (entry === null || entry.kind === 'dir') throw refusal(version, entry === null ? 'path_missing' : 'path_is_folder', path)
  return { ...entry, version, bytes: (start = 0, end = entry.size) => piece(store.readObject(user.tenant, entry.digest), start, end) }
}

async function* piece(chunks: AsyncIterable<Uint8Array>, start: number, end: number): AsyncIterable<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
    at += chunk.length
    if (part.length > 0) yield part
  }
}

/** @param range from the first byte to before the second; within the file, or it is refused */
export async function readBytes(
  store: Store,
  user: WorkspaceUser,
  choice: VersionChoice,
  path: string,
  range?: readonly [start: number, end: number],
): Promise<Uint8Array> {
  const file = await openFile(store, user, choice, path)
  const [start, end] = range ?? [0, file.size]
  if (!(start >= 0 && start <= end && end <= file.size))
    throw new Fault('range_invalid', { path, size: file.size, range: `${start}-${end}` })
  const pieces: Uint8Array[] = []
  for await (const part of file.bytes(start, end)) pieces.push(part)
  return new Uint8Array(Buffer.concat(pieces))
}

/** Those of a file or a folder; empty when it has none. */
export async function readAnnotations(store: Store, user: WorkspaceUser, choice: VersionChoice, path = ''): Promise<JsonObject> {
  const version = await treeOf(store, user, choice, 'read', path)
  const entry = await conduct(store, user.tenant, findEntry(version.root, path))
  if (entry === null) throw refusal(version, 'path_missing', path)
  const digest = entry.kind === 'file' ? entry.annotations : (await conduct(store, user.tenant, openFolder(entry.digest))).annotations
  return digest === undefined ? {} : (JSON.parse(new TextDecoder().decode(await store.object(user.tenant, digest))) as JsonObject)
}

export interface DiffRequest {
  readonly workspace: string
  /** 0 for nothing at all; without it, the version before `to`. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Only this file or folder. */
  readonly path?: string | undefined
}

export interface DiffResult {
  readonly from: number
  readonly to: number
  readonly changes: readonly TreeDifference[]
}

export async function diffVersions(store: Store, user: WorkspaceUser, request: DiffRequest): Promise<DiffResult> {
  const { workspace, path = '' } = request
  const to = await treeOf(store, user, { workspace, version: request.to }, 'diff', path)
  const from = request.from ?? to.version - 1
  const before = from === 0 ? null : (await treeOf(store, user, { workspace, version: from }, 'diff', path)).root
  const all = await conduct(store, user.tenant, diffTrees(before, to.root))
  return { from, to: to.version, changes: all.filter(change => isWithin(change.path, path)) }
}

type PathProblem = 'path_missing' | 'path_is_file' | 'path_is_folder'

const refusal = ({ workspace, version }: WorkspaceVersion, problem: PathProblem, path: string): Fault =>
  problem === 'path_missing'
    ? new Fault('workspace_path_missing', { workspace, version, path })
    : new Fault('workspace_path_conflict', { workspace, path, problem: problem === 'path_is_file' ? 'it is a file' : 'it is a folder' })
