// Finds the versions of a workspace, and checks who may see them. A root is accepted only if it belongs to a version.
import type { Digest } from '../../core/digest/digest.ts'
import type { ProjectedRow, Row } from '../../core/record/projection.ts'
import type { WorkspaceHead } from '../../core/workspace/decide.ts'
import { workspaceRows, workspaceVersionRows } from '../../core/workspace/events.ts'
import { isPath, isStoredPath, isWorkspaceName } from '../../core/workspace/path.ts'
import { refusedUse, type WorkspaceOperation, type WorkspacePolicy } from '../../core/workspace/policy.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** Who asks: whose workspaces, and what with them. */
export interface WorkspaceUser {
  readonly tenant: string
  readonly policy: WorkspacePolicy
}

export interface WorkspaceVersion extends WorkspaceHead {
  readonly workspace: string
  readonly at: string
  readonly actor: string
  readonly message: string | null
}

/** One version: by number, by root, or the newest. */
export interface VersionChoice {
  readonly workspace: string
  readonly version?: number | undefined
  readonly root?: Digest | undefined
}

export type Resolved = { readonly exists: false } | ({ readonly exists: true /** The newest. */; readonly head: number } & WorkspaceVersion)

/** Throws `workspace_not_allowed`, also where there is no such workspace: who may not look learns nothing. */
export function checkUse({ policy }: WorkspaceUser, workspace: string, operation: WorkspaceOperation, path = '', removes = false): void {
  if (!isWorkspaceName(workspace)) throw new Fault('workspace_name_invalid', { name: workspace })
  if (path !== '') checkPath(path, removes)
  const refused = refusedUse(policy, { workspace, operation, path })
  if (refused !== null) throw new Fault('workspace_not_allowed', { workspace, operation, path, refused })
}

/** Versions of older releases may hold a reserved path: it can be removed, and nothing else. */
export function checkPath(path: string, removes = false): void {
  if (!isStoredPath(path)) throw new Fault('workspace_path_invalid', { path })
  if (!removes && !isPath(path)) throw new Fault('workspace_path_reserved', { path })
}

export async function resolveWorkspace(store: Store, user: WorkspaceUser, choice: VersionChoice): Promise<Resolved> {
  checkUse(user, choice.workspace, 'resolve')
  const head = await headOf(store, user.tenant, choice.workspace)
  const found = head === null ? null : await versionOf(store, user.tenant, choice, head)
  return head === null || found === null ? { exists: false } : { exists: true, head: head.version, ...found }
}

export const headOf = (store: Store, tenant: string, workspace: string): Promise<WorkspaceVersion | null> =>
  firstOf(store, workspaceRows.table, tenant, { workspace })

async function versionOf(store: Store, tenant: string, choice: VersionChoice, head: WorkspaceVersion): Promise<WorkspaceVersion | null> {
  const { workspace, version = choice.root === undefined ? head.version : undefined, root } = choice
  if (version === head.version && (root === undefined || root === head.root)) return head
  const cells = { workspace, ...(version === undefined ? {} : { version }), ...(root === undefined ? {} : { root }) }
  return firstOf(store, workspaceVersionRows.table, tenant, cells)
}

async function firstOf(store: Store, table: string, tenant: string, cells: Row): Promise<WorkspaceVersion | null> {
  for await (const row of store.rows(table, tenant, cells)) return toVersion(row)
  return null
}

/** For every operation on a tree: allowed, there, and really a version of this workspace. */
export async function treeOf(
  store: Store,
  user: WorkspaceUser,
  choice: VersionChoice,
  operation: WorkspaceOperation,
  path = '',
): Promise<WorkspaceVersion> {
  const { workspace, version, root } = choice
  checkUse(user, workspace, operation, path)
  const head = await headOf(store, user.tenant, workspace)
  const found = head === null ? null : await versionOf(store, user.tenant, choice, head)
  if (found !== null) return found
  // The error does not reveal which roots other workspaces have.
  if (root !== undefined) throw new Fault('workspace_not_allowed', { workspace, operation, path, refused: 'root' })
  throw head === null || version === undefined
    ? new Fault('workspace_missing', { workspace })
    : new Fault('workspace_version_missing', { workspace, version, head: head.version })
}

/** By name; only workspaces that the user may use. */
export async function* listWorkspaces(store: Store, user: WorkspaceUser, after = ''): AsyncIterable<WorkspaceVersion> {
  for await (const row of store.rows(workspaceRows.table, user.tenant, {}, { by: 'workspace', after })) {
    const version = toVersion(row)
    if (refusedUse(user.policy, { workspace: version.workspace, operation: 'resolve', path: '' }) === null) yield version
  }
}

/** Newest first, from before a version on. */
export async function* listVersions(
  store: Store,
  user: WorkspaceUser,
  workspace: string,
  before?: number,
): AsyncIterable<WorkspaceVersion> {
  const head = await treeOf(store, user, { workspace }, 'resolve')
  for (let version = Math.min(head.version, (before ?? head.version + 1) - 1); version > 0; version--) {
    const found = await versionOf(store, user.tenant, { workspace, version }, head)
    if (found !== null) yield found
  }
}

function toVersion({ cells }: ProjectedRow): WorkspaceVersion {
  return {
    workspace: String(cells.workspace),
    version: Number(cells.version),
    root: cells.root as Digest,
    files: Number(cells.files),
    bytes: Number(cells.bytes),
    at: String(cells.at),
    actor: String(cells.actor),
    message: cells.message === null || cells.message === undefined ? null : String(cells.message),
  }
}
