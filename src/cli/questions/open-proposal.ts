// Opens the proposal that recorded runs are compared with: a published version, or a folder on disk, published in memory.
import { existsSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { folderTree } from '../../adapters/folder/folder-tree.ts'
import type { StatCache } from '../../adapters/folder/folder-tree-cache.ts'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import { hostConfigOf } from '../../book/host-config.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, clock, databaseOf, existingDatabase, folderOf, tenantOf } from '../../book/record-folder.ts'
import { isWorkspaceName } from '../../core/workspace/path.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { type Proposal, type ProposedLabel, readActivation, readLabelMove, readProposal } from '../../engine/regression/proposal.ts'
import { publishTree, type TreeSource } from '../../engine/workspaces/publish.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { choiceOf } from '../workspace/open-workspaces.ts'

export interface ProposalDesk {
  readonly proposal: Proposal
  /** Null when the folder has no record. */
  readonly record: Store | null
  close(): Promise<void>
}

/** A folder is written as a path, a workspace as a name: `./desk`, `desk@3`. */
export const isFolder = (against: string): boolean => /^\.{1,2}$|[/\\]/.test(against)

/** @param against null when only labels move */
export async function openProposal(input: Input, against: string | null): Promise<ProposalDesk> {
  const named = against === null || isFolder(against) ? null : choiceOf(against)
  const labels = labelsOf(input)
  if (named !== null) existingDatabase(input)
  // A read-only command creates no record.
  const record = existsSync(databaseOf(input)) ? openProductStore(input) : null
  const beside = memoryStore(clock, PRODUCT_PROJECTIONS)
  const validator = workerValidator()
  const user = { tenant: tenantOf(input), policy: EVERYTHING }
  const close = async (): Promise<void> => {
    await validator.close()
    await beside.close()
    await record?.close()
  }
  try {
    const library = { store: record ?? beside, tenant: user.tenant, libraryId: hostConfigOf(input).libraryId }
    const choice = named ?? (await takeIn(beside, input, against))
    const place = { store: named === null ? beside : record!, user, choice, library, validator, labels }
    return { proposal: await readProposal(place), record, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** An empty cache: every file is read, because the folder was never published. */
const NOTHING_KNOWN: StatCache = { find: () => null, note: () => {}, save: () => {} }

/** A workspace without files, for a proposal that only moves labels. */
const LABELS_ALONE = 'labels'
const NO_FILES: TreeSource = { files: [], read: () => [], named: () => {} }

const labelsOf = ({ label = [], activate = [] }: Input): readonly ProposedLabel[] => [
  ...(label as readonly string[]).map(readLabelMove),
  ...(activate as readonly string[]).flatMap(readActivation),
]

/** Publishes the folder in memory, as the first version of its workspace. */
async function takeIn(store: Store, input: Input, folder: string | null): Promise<{ readonly workspace: string }> {
  const writer = { tenant: tenantOf(input), policy: EVERYTHING, actor: actorOf() }
  if (folder === null) {
    await publishTree(store, writer, { workspace: LABELS_ALONE, source: NO_FILES })
    return { workspace: LABELS_ALONE }
  }
  if (!existsSync(folder)) throw new Fault('path_missing', { path: folder })
  const workspace = typeof input.workspace === 'string' ? input.workspace : basename(realpathSync(folder))
  if (!isWorkspaceName(workspace))
    throw new Fault('usage_invalid', {
      problem: `"${workspace}" is not a workspace name: name the workspace that ${folder} is a proposal for with --workspace`,
    })
  const source = folderTree(folder, NOTHING_KNOWN, { without: [folderOf(input)] })
  await publishTree(store, writer, { workspace, source })
  return { workspace }
}
