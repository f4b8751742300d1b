// onbook publish <folder> --workspace NAME: publishes the folder as the next version.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { folderTree } from '../../adapters/folder/folder-tree.ts'
import { statCache } from '../../adapters/folder/folder-tree-cache.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, folderOf, tenantOf } from '../../book/record-folder.ts'
import type { CommittedWorkspace } from '../../client/index.ts'
import { digestText, hexOf } from '../../core/digest/digest.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { CommitResult } from '../../engine/workspaces/commit.ts'
import { publishTree } from '../../engine/workspaces/publish.ts'
import type { WorkspaceUser } from '../../engine/workspaces/versions.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { progressOn } from '../progress.ts'
import { visible } from '../report/visible.ts'
import { bytesText, counted } from './format.ts'

export interface FolderRequest {
  readonly workspace: string
  readonly folder: string
  readonly message?: string | undefined
  readonly expected?: number | undefined
}

export async function publishFolder(store: Store, user: WorkspaceUser, input: Input, request: FolderRequest): Promise<CommitResult> {
  const { folder, ...rest } = request
  const data = folderOf(input)
  const cache = statCache(join(data, 'folders', `${hexOf(digestText(realpathSync(folder))).slice(0, 16)}.json`))
  const source = folderTree(folder, cache, { without: [data] })
  const progress = progressOn()
  try {
    const tick = (done: number, total: number) => progress.tick(done, total, 0)
    return await publishTree(store, { ...user, actor: actorOf() }, { ...rest, source, progress: tick })
  } finally {
    progress.clear()
    try {
      cache.save()
    } catch {
      // The cache only saves time: without it, the next publish reads every file.
    }
  }
}

/** Publishes to the record of the folder. Files with unchanged metadata are not read again. */
export async function publishHere(input: Input, request: FolderRequest): Promise<CommitResult> {
  const store = openProductStore(input)
  try {
    return await publishFolder(store, { tenant: tenantOf(input), policy: EVERYTHING }, input, request)
  } finally {
    await store.close()
  }
}

type Committed = Omit<CommittedWorkspace, 'previousRoot'>

export const summaryOf = ({ outcome, workspace, version, root, files, bytes, changes }: Committed) => ({
  outcome,
  workspace,
  version,
  root,
  files,
  bytes,
  added: numberOf(changes, 'added'),
  changed: changes.filter(({ kind }) => kind !== 'added' && kind !== 'removed').length,
  removed: numberOf(changes, 'removed'),
})

const numberOf = (changes: Committed['changes'], wanted: Committed['changes'][number]['kind']): number =>
  changes.filter(({ kind }) => kind === wanted).length

export function sentenceOf(result: Committed): string {
  const { outcome, workspace, version, files, bytes, added, changed, removed } = summaryOf(result)
  const what = `${counted(files, 'file')}, ${bytesText(bytes)}`
  if (outcome === 'unchanged') return visible(`Workspace ${workspace} stays at version ${version}: nothing is different (${what}).`)
  return visible(`Workspace ${workspace} is at version ${version}: ${what}; ${added} added, ${changed} changed, ${removed} removed.`)
}
