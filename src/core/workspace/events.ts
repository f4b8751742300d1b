// The events of a workspace: its versions, each a root digest. The files are objects that the root references.
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

/** The result of a check of exactly the files under this root. A version can be checked long after its commit, and repeatedly. */
export interface WorkspaceChecked {
  readonly workspace: string
  readonly root: Digest
  /** The version of the checker: rules change between versions. */
  readonly checker: string
  readonly files: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  /** The test results of the packs that have tests; null without tests. */
  readonly tests: { readonly pass: number; readonly fail: number; readonly skip: number; readonly error: number } | null
  /** JSON: every finding, and every case. */
  readonly report: Digest
}

export const workspaceCheckedDraft = (payload: WorkspaceChecked, actor: string): EventDraft => ({
  type: 'workspace.checked',
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

/** The last check of each root. */
export const workspaceCheckRows: Projection = {
  table: 'workspaceChecks',
  columns: {
    workspace: 'text',
    root: 'text',
    at: 'text',
    checker: 'text',
    files: 'integer',
    errors: 'integer',
    warnings: 'integer',
    infos: 'integer',
    pass: 'integer',
    fail: 'integer',
    skip: 'integer',
    error: 'integer',
    report: 'text',
  },
  key: ['workspace', 'root'],
  indexes: [['workspace', 'root']],
  from: {
    'workspace.checked': [
      {
        put: {
          workspace: 'payload.workspace',
          root: 'payload.root',
          at: 'at',
          checker: 'payload.checker',
          files: 'payload.files',
          errors: 'payload.errors',
          warnings: 'payload.warnings',
          infos: 'payload.infos',
          pass: 'payload.tests.pass',
          fail: 'payload.tests.fail',
          skip: 'payload.tests.skip',
          error: 'payload.tests.error',
          report: 'payload.report',
        },
      },
    ],
  },
}

export const WORKSPACE_PROJECTIONS: readonly Projection[] = [workspaceRows, workspaceVersionRows, workspaceCheckRows]
