// The snapshot of a step as a sync of the proposal would make it: with its prelude, its catalog, or both. Reads, and adopts nothing.
import { indexIn } from '../../core/lint/layout.ts'
import type { Cause } from '../../core/regression/cause.ts'
import type { Failure } from '../../core/session/events.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { catalogPath, INDEX_FILE, preludePath } from '../../core/workspace/index-file.ts'
import type { Store } from '../../ports.ts'
import { changedFile } from './changed-file.ts'
import type { Proposal } from './proposal.ts'

/** Or why there could be none. */
export type SnapshotWith = { readonly snapshot: Snapshot | null } | Failure

export interface ProposedSnapshots {
  /** None when it is of another workspace, or would be the same. */
  readonly causes: readonly Cause[]
  /** With these in place. */
  with(causes: readonly Cause[]): SnapshotWith
}

const NO_CATALOG = 'tools'
const MOST_INDEX = 8 * 1024 * 1024

export async function proposedSnapshots(
  store: Store,
  tenant: string,
  proposal: Proposal,
  recorded: Snapshot | null,
): Promise<ProposedSnapshots> {
  const made = recorded === null ? null : await proposal.synced(recorded)
  if (recorded === null || made === null) return { causes: [], with: () => ({ snapshot: recorded }) }
  const fileOf = (own: string) => changedFile(proposal, { store, tenant, root: recorded.root }, own)
  const { prelude, catalog } = recorded
  const read = await proposal.files.readText(INDEX_FILE, MOST_INDEX)
  const index = indexIn(new Map(read.ok ? [[INDEX_FILE, read.text]] : []))
  const preludeCause = async (to: string | null): Promise<Cause> => {
    const name = prelude?.name ?? ''
    return { cause: 'prelude', name, file: await fileOf(preludePath(index, name)), from: prelude?.digest ?? null, to }
  }
  const catalogCause = async (to: string | null): Promise<Cause> => {
    const name = catalog?.name ?? NO_CATALOG
    const file = recorded.legacy || catalog === null ? 'tools' : await fileOf(catalogPath(index, name))
    return { cause: 'catalog', name, file, from: catalog?.digest ?? null, to }
  }
  if ('outcome' in made) {
    const { code, detail } = made
    const cause = made.stage === 'catalog' ? await catalogCause(null) : await preludeCause(null)
    return { causes: [cause], with: taken => (taken.length > 0 ? { code, detail } : { snapshot: recorded }) }
  }
  const causes: Cause[] = []
  if (prelude?.digest !== made.prelude?.digest || prelude?.options !== made.prelude?.options)
    causes.push(await preludeCause(made.prelude?.digest ?? null))
  if (catalog?.digest !== made.catalog?.digest) causes.push(await catalogCause(made.catalog?.digest ?? null))
  return {
    causes,
    with: taken => ({
      snapshot: {
        ...recorded,
        ...(taken.some(({ cause }) => cause === 'prelude') ? { prelude: made.prelude } : {}),
        ...(taken.some(({ cause }) => cause === 'catalog') ? { catalog: made.catalog, legacy: made.legacy } : {}),
      },
    }),
  }
}
