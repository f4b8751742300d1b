// Shared by the commands about workspaces: the record, the user, and NAME@VERSION.

import { openProductStore } from '../../book/product-store.ts'
import { existingDatabase, tenantOf } from '../../book/record-folder.ts'
import { isWorkspaceName } from '../../core/workspace/path.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { WorkspaceUser } from '../../engine/workspaces/versions.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'

/** A user who can read the folder of the record may read everything in it. */
export async function withWorkspaces<T>(input: Input, work: (store: Store, user: WorkspaceUser) => Promise<T>): Promise<T> {
  existingDatabase(input)
  const store = openProductStore(input)
  try {
    return await work(store, { tenant: tenantOf(input), policy: EVERYTHING })
  } finally {
    await store.close()
  }
}

/** `writer` for the newest version, `writer@3` for that one. */
export function choiceOf(given: unknown): { readonly workspace: string; readonly version?: number } {
  const [workspace = '', version, ...more] = String(given).split('@')
  if (more.length > 0) throw new Fault('usage_invalid', { problem: `"${String(given)}" is not NAME or NAME@VERSION` })
  if (!isWorkspaceName(workspace)) throw new Fault('workspace_name_invalid', { name: workspace })
  return { workspace, ...(version === undefined ? {} : { version: versionNumber(version, 1) }) }
}

export function versionNumber(text: unknown, least: 0 | 1): number {
  const number = /^\d{1,15}$/.test(String(text)) ? Number(text) : Number.NaN
  if (!(number >= least))
    throw new Fault('usage_invalid', { problem: `"${String(text)}" is not a version: they are ${least}, ${least + 1}, ${least + 2} …` })
  return number
}
