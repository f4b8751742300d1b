// Decides which operations on which workspaces are allowed. Authority is by the workspace's name: a digest alone gives no access.
import { isMember } from '../access/keys.ts'
import { isWithin } from './path.ts'

/** `read` covers files and annotations, `write` both and removing. */
export type WorkspaceOperation = 'resolve' | 'list' | 'read' | 'write' | 'diff'

export const READING: readonly WorkspaceOperation[] = ['resolve', 'list', 'read', 'diff']

/** An absent list restricts nothing; an empty one allows nothing. */
export interface WorkspaceGrant {
  /** `*` for all of them. */
  readonly workspaces: readonly string[]
  readonly operations?: readonly WorkspaceOperation[]
  /** Each with everything below it. */
  readonly paths?: readonly string[]
}

/** Allows every use that at least one of its grants allows. */
export type WorkspacePolicy = readonly WorkspaceGrant[]

export const EVERYTHING: WorkspacePolicy = [{ workspaces: ['*'] }]

export interface WorkspaceUse {
  readonly workspace: string
  readonly operation: WorkspaceOperation
  /** Empty for the whole. */
  readonly path: string
}

/** The part of the policy that refuses the use; null when it is allowed. */
export function refusedUse(
  policy: WorkspacePolicy,
  { workspace, operation, path }: WorkspaceUse,
): 'workspace' | 'operation' | 'path' | null {
  const named = policy.filter(({ workspaces }) => isMember(workspaces, workspace))
  if (named.length === 0) return 'workspace'
  const able = named.filter(({ operations }) => operations?.includes(operation) ?? true)
  if (able.length === 0) return 'operation'
  // Which version there is concerns no path.
  if (operation === 'resolve') return null
  return able.some(({ paths }) => paths?.some(prefix => isWithin(path, prefix)) ?? true) ? null : 'path'
}
