// Workspaces of a host: versions of folders. A version never changes; a commit makes the next one.
import type { Static } from 'typebox'
import type {
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

export type WorkspaceSummary = Static<typeof workspacesAnswer>['items'][number]
export type WorkspaceHead = Static<typeof headAnswer>
export type WorkspaceVersion = Static<typeof versionsAnswer>['items'][number]
export type WorkspaceEntry = Static<typeof treeAnswer>['entries'][number]
export type WorkspaceCommit = Static<typeof commitBody>
export type CommittedWorkspace = Static<typeof commitAnswer>
export type WorkspaceDifference = Static<typeof diffAnswer>

interface VersionOptions extends CallOptions {
  /** Default: the newest. */
  readonly version?: number
}

export interface Workspaces {
  /** Each at its newest version. */
  list(options?: CallOptions): AsyncIterable<WorkspaceSummary>
  get(workspace: string, options?: VersionOptions): Promise<WorkspaceHead>
  /** Newest first, each with the report of its checks. */
  versions(workspace: string, options?: CallOptions): AsyncIterable<WorkspaceVersion>
  /** All files and folders below a path. */
  tree(workspace: string, options?: VersionOptions & { readonly path?: string }): AsyncIterable<WorkspaceEntry>
  read(workspace: string, path: string, options?: VersionOptions): Promise<Uint8Array>
  /** Makes the next version. With `expectedHead`, only if that is the newest. */
  commit(workspace: string, commit: WorkspaceCommit, options?: WriteOptions): Promise<CommittedWorkspace>
  /** Default: from the version before the newest, to the newest. */
  diff(workspace: string, options?: CallOptions & { readonly from?: number; readonly to?: number }): Promise<WorkspaceDifference>
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
    diff: async (workspace, { from, to, ...options } = {}) =>
      answerWith(
        await read(pathOf(workspace, '/diff'), options, [
          ['from', from?.toString()],
          ['to', to?.toString()],
        ]),
        'changes',
      ) as WorkspaceDifference,
  }
}
