// Decides whether a workspace gets a new version. A caller whose expected version is stale is refused.
import type { Digest } from '../digest/digest.ts'
import type { EventDraft } from '../record/event.ts'
import type { TreeCounts } from './diff.ts'
import { workspaceCommittedDraft } from './events.ts'

export interface WorkspaceHead extends TreeCounts {
  readonly version: number
  readonly root: Digest
}

export interface CommitRequest extends TreeCounts {
  readonly workspace: string
  readonly root: Digest
  readonly message?: string
  /** The version the caller believes is newest; 0 when there should be none. */
  readonly expected?: number
  readonly actor: string
}

export type CommitDecision =
  | { readonly outcome: 'committed'; readonly version: number; readonly drafts: readonly EventDraft[] }
  /** The root is the head's already: nothing is written. */
  | { readonly outcome: 'unchanged'; readonly version: number }
  | { readonly outcome: 'conflict'; readonly expected: number; readonly found: number }

/** Also checked before a tree is changed: an error there may only follow from a stale version. */
export const isStale = (head: WorkspaceHead | null, expected: number | undefined): expected is number =>
  expected !== undefined && expected !== (head?.version ?? 0)

export function decideCommit(head: WorkspaceHead | null, request: CommitRequest): CommitDecision {
  const { workspace, root, message, expected, actor, files, bytes } = request
  const headVersion = head?.version ?? 0
  if (isStale(head, expected)) return { outcome: 'conflict', expected, found: headVersion }
  if (head?.root === root) return { outcome: 'unchanged', version: headVersion }
  const version = headVersion + 1
  const payload = {
    workspace,
    version,
    root,
    ...(head === null ? {} : { previousRoot: head.root }),
    ...(message === undefined ? {} : { message }),
    files,
    bytes,
  }
  return { outcome: 'committed', version, drafts: [workspaceCommittedDraft(payload, actor)] }
}
