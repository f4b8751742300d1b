// What a workspace remembers: its versions, each a root digest. The files are objects that the root leads to.
import type { Digest, Json } from '../digest/digest.ts'
import type { EventDraft } from '../record/event.ts'
import type { Projection } from '../record/projection.ts'
import type { TreeCounts } from './diff.ts'

export const workspaceStream = (workspace: string): string => `workspace/${workspace}`

export interface WorkspaceCommitted extends TreeCounts {
  readonly workspace: string
  /** 1, 2, 3 … */
  readonly version: number
  readonly root: Digest
  readonly previousRoot?: Digest
  readonly message?: string
}

export const workspaceCommittedDraft = (payload: WorkspaceCommitted, actor: string): EventDraft => ({
  type: 'workspace.committed',
  actor,
  payload: payload as unknown as Json,
})

const COLUMNS = {
  workspace: 'text',
  version: 'integer',
  root: 'text',
  files: 'integer',
  bytes: 'integer',
  at: 'text',
  actor: 'text',
  message: 'text',
} as const

const PUT = {
  workspace: 'payload.workspace',
  version: 'payload.version',
  root: 'payload.root',
  files: 'payload.files',
  bytes: 'payload.bytes',
  at: 'at',
  actor: 'actor',
  message: 'payload.message',
}

/** The newest version of each. */
export const workspaceRows: Projection = {
  table: 'workspaces',
  columns: COLUMNS,
  key: ['workspace'],
  indexes: [['workspace']],
  from: { 'workspace.committed': [{ put: PUT }] },
}

export const workspaceVersionRows: Projection = {
  table: 'workspaceVersions',
  columns: COLUMNS,
  key: ['workspace', 'version'],
  indexes: [
    ['workspace', 'version'],
    ['workspace', 'root'],
  ],
  from: { 'workspace.committed': [{ put: PUT }] },
}

export const WORKSPACE_PROJECTIONS: readonly Projection[] = [workspaceRows, workspaceVersionRows]
