// Reads and commits workspaces of a host. A version of a workspace never changes; a commit creates the next one.
import type { Document } from '../../wire/onbook/document.ts'
import type {
  checksAnswer,
  commitAnswer,
  commitBody,
  diffAnswer,
  headAnswer,
  treeAnswer,
  versionsAnswer,
  workspacesAnswer,
} from '../../wire/onbook/workspace-schema.ts'
import { eachItem } from '../each-page.ts'
import { answerWith, fieldOf, listIn } from '../shapes.ts'
import type { CallOptions, Question, Transport } from '../transport.ts'
import { type WriteOptions, writeHeaders } from '../write.ts'

export type WorkspaceSummary = Document<typeof workspacesAnswer>['items'][number]
export type WorkspaceHead = Document<typeof headAnswer>
export type WorkspaceVersion = Document<typeof versionsAnswer>['items'][number]
export type WorkspaceEntry = Document<typeof treeAnswer>['entries'][number]
export type WorkspaceCommit = Document<typeof commitBody>
export type CommittedWorkspace = Document<typeof commitAnswer>
export type WorkspaceChecks = Document<typeof checksAnswer>
export type WorkspaceDifference = Document<typeof diffAnswer>

interface VersionOptions extends CallOptions {
  /** Default: the newest. */
  readonly version?: number
}

export interface Workspaces {
  /** Each workspace at its newest version. */
  list(options?: CallOptions): AsyncIterable<WorkspaceSummary>
  get(workspace: string, options?: VersionOptions): Promise<WorkspaceHead>
  /** Newest first, each with the report of its checks. */
  versions(workspace: string, options?: CallOptions): AsyncIterable<WorkspaceVersion>
  /** All files and folders below a path. */
  tree(workspace: string, options?: VersionOptions & { readonly path?: string }): AsyncIterable<WorkspaceEntry>
  read(workspace: string, path: string, options?: VersionOptions): Promise<Uint8Array>
  /** Creates the next version. With `expectedHead`, only if that is the newest. */
  commit(workspace: string, commit: WorkspaceCommit, options?: WriteOptions): Promise<CommittedWorkspace>
  /** Default: from the version before the newest, to the newest. */
  diff(
    workspace: string,
    options?: CallOptions & { readonly from?: number; readonly to?: number; readonly path?: string },
  ): Promise<WorkspaceDifference>
  /** The last check of the exact files of a version. */
  checks(workspace: string, options?: VersionOptions): Promise<WorkspaceChecks>
  /** Lints and tests a version, and records the result. */
  check(workspace: string, options?: VersionOptions): Promise<WorkspaceChecks>
}

const PATH = '/v1/workspaces'
const pathOf = (workspace: string, rest = ''): string => `${PATH}/${encodeURIComponent(workspace)}${rest}`

export function createWorkspaces(transport: Transport): Workspaces {
  const read = async (path: string, options: CallOptions, query: Question['query'] = []) =>
    (await transport.ask({ method: 'GET', path, query, ...options })).body
  return {
    list: (options = {}) => eachItem<WorkspaceSummary>(transport, PATH, options),
    get: async (workspace, { version, ...options } = {}) =>
      answerWith(await read(pathOf(workspace), options, [['version', version?.toString()]]), 'head') as WorkspaceHead,
    versions: (workspace, options = {}) => eachItem<WorkspaceVersion>(transport, pathOf(workspace, '/versions'), options),
    async *tree(workspace, { version, path, ...options } = {}) {
      const filter: Question['query'] = [
        ['version', version?.toString()],
        ['path', path],
        ['scope', 'subtree'],
      ]
      for (let cursor: string | undefined; ; ) {
        const page = await read(pathOf(workspace, '/tree'), options, [...filter, ['cursor', cursor]])
        yield* listIn(page, 'entries') as readonly WorkspaceEntry[]
        const next = fieldOf(page, 'nextCursor')
        if (typeof next !== 'string') return
        cursor = next
      }
    },
    async read(workspace, path, { version, signal = new AbortController().signal } = {}) {
      const file = path.split('/').map(encodeURIComponent).join('/')
      const query = [['version', version?.toString()]] as const
      const response = await transport.open({ method: 'GET', path: pathOf(workspace, `/files/${file}`), query }, signal)
      return new Uint8Array(await response.arrayBuffer())
    },
    async commit(workspace, commit, options = {}) {
      const { headers, call } = writeHeaders(options, transport)
      const { body } = await transport.ask({ method: 'POST', path: pathOf(workspace, '/commits'), body: commit, headers, ...call })
      return answerWith(body, 'outcome') as CommittedWorkspace
    },
    diff: async (workspace, { from, to, path, ...options } = {}) =>
      answerWith(
        await read(pathOf(workspace, '/diff'), options, [
          ['from', from?.toString()],
          ['to', to?.toString()],
          ['path', path],
        ]),
        'changes',
      ) as WorkspaceDifference,
    checks: async (workspace, { version, ...options } = {}) =>
      answerWith(await read(pathOf(workspace, '/checks'), options, [['version', version?.toString()]]), 'cases') as WorkspaceChecks,
    async check(workspace, { version, ...options } = {}) {
      const asked = { method: 'POST', path: pathOf(workspace, '/checks'), body: version === undefined ? {} : { version } } as const
      return answerWith((await transport.ask({ ...asked, ...options })).body, 'cases') as WorkspaceChecks
    },
  }
}
