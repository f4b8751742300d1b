// Finds the workspace file that changes a prelude or a catalog. Compares digests; reads only the file that lists the others.
import type { Digest } from '../../core/digest/digest.ts'
import { filesOf } from '../../core/prelude/compile.ts'
import { readPrelude } from '../../core/prelude/prelude.ts'
import { descriptorPath, namedDescriptors, readCatalogFile } from '../../core/tools/catalog.ts'
import { findEntry } from '../../core/workspace/tree.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { conduct } from '../workspaces/nodes.ts'
import type { Proposal } from './proposal.ts'

const MOST_BYTES = 8 * 1024 * 1024

interface RecordedRoot {
  readonly store: Store
  readonly tenant: string
  readonly root: Digest
}

/** The file that differs; `own` if several differ, or if the record no longer has the sources. */
export async function changedFile(proposal: Proposal, recorded: RecordedRoot, own: string): Promise<string> {
  const changed: string[] = []
  try {
    for (const path of [own, ...(await namedBy(proposal, own))])
      if ((await digestAt(recorded, path)) !== (await proposal.digestAt(path))) changed.push(path)
  } catch (error) {
    // It may be erased, or left out of a run file.
    if (!(error instanceof Fault && error.code === 'object_missing')) throw error
    return own
  }
  return changed.length === 1 ? changed[0]! : own
}

const digestAt = async ({ store, tenant, root }: RecordedRoot, path: string): Promise<Digest | null> =>
  (await conduct(store, tenant, findEntry(root, path)))?.digest ?? null

async function namedBy({ files }: Proposal, own: string): Promise<readonly string[]> {
  const read = await files.readText(own, MOST_BYTES)
  if (!read.ok) return []
  const bytes = new TextEncoder().encode(read.text)
  if (own.startsWith('tools/')) {
    const catalog = readCatalogFile(own, bytes)
    return catalog.ok ? namedDescriptors(catalog.file).map(descriptorPath) : []
  }
  const prelude = readPrelude(bytes)
  return prelude.ok && prelude.prelude.kind !== 'messages' ? filesOf(prelude.prelude.prelude) : []
}
