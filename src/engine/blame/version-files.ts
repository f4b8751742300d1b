// The files of the workspace version that was active at a step. Read from its root, so that a run file is enough; erased files count as absent.
import type { Snapshot } from '../../core/session/snapshot.ts'
import { listTree } from '../../core/workspace/list.ts'
import { Fault, type FaultCode } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { openWorkspace, type Workspace } from '../packs/pack-folder.ts'
import { conduct } from '../workspaces/nodes.ts'
import { filesAmong } from '../workspaces/stored-files.ts'

export interface VersionFiles extends Pick<Workspace, 'packs' | 'schemas'> {
  readonly paths: readonly string[]
  /** Null for a missing file, or one that is not text. */
  text(path: string): Promise<string | null>
}

const MOST_BYTES = 4 * 1024 * 1024
const GONE: readonly FaultCode[] = ['object_missing', 'object_corrupt', 'tree_invalid']

/** Null when it cannot be read any more. */
export async function versionFiles(store: Store, tenant: string, { root }: Snapshot): Promise<VersionFiles | null> {
  const found = await unlessGone(async () => {
    const listed = await conduct(store, tenant, listTree(root, { path: '', scope: 'subtree', limit: Number.MAX_SAFE_INTEGER }))
    const entries = listed.ok ? listed.entries : []
    const files = filesAmong(store, tenant, entries)
    return { entries, files, workspace: await openWorkspace(files) }
  })
  if (found === null) return null
  const { entries, files, workspace } = found
  return {
    packs: workspace.packs,
    schemas: workspace.schemas,
    paths: entries.flatMap(({ path, kind }) => (kind === 'file' ? [path] : [])),
    async text(path) {
      const read = await unlessGone(() => files.readText(path, MOST_BYTES))
      return read?.ok === true ? read.text : null
    },
  }
}

/** Null where the record does not hold it any more. */
export async function unlessGone<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Fault && GONE.includes(error.code)) return null
    throw error
  }
}
