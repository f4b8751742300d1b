// The snapshot of a step as a sync of the proposal would make it: with its prelude, its catalog, or both. Adopts nothing.

import type { Digest } from '../../core/digest/digest.ts'
import { type PackSet, packSetText, withTemplatesOf } from '../../core/library/pack-set.ts'
import { indexIn } from '../../core/lint/layout.ts'
import { type Cause, causeKey } from '../../core/regression/cause.ts'
import type { Failure } from '../../core/session/events.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { catalogPath, INDEX_FILE, preludePath } from '../../core/workspace/index-file.ts'
import type { Store } from '../../ports.ts'
import { loadSnapshotPacks } from '../library/pack-sets.ts'
import { changedFile } from './changed-file.ts'
import type { Proposal } from './proposal.ts'

/** Or why there could be none. */
export type SnapshotWith = { readonly snapshot: Snapshot | null } | Failure

export interface ProposedSnapshots {
  /** None when it is of another workspace, or would be the same. */
  readonly causes: readonly Cause[]
  /** With these in place. */
  with(causes: readonly Cause[]): SnapshotWith
  /** Templates that the proposed snapshot makes active. */
  readonly reached: readonly Digest[]
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
  if (recorded === null || made === null) return { causes: [], reached: [], with: () => ({ snapshot: recorded }) }
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
    return { causes: [cause], reached: [], with: taken => (taken.length > 0 ? { code, detail } : { snapshot: recorded }) }
  }
  const causes: Cause[] = []
  if (prelude?.digest !== made.prelude?.digest || prelude?.options !== made.prelude?.options)
    causes.push(await preludeCause(made.prelude?.digest ?? null))
  if (catalog?.digest !== made.catalog?.digest) causes.push(await catalogCause(made.catalog?.digest ?? null))
  const packs = await proposedPacks(store, tenant, proposal, recorded, made)
  causes.push(...packs.causes)
  return {
    causes,
    reached: packs.reached,
    with: taken => ({
      snapshot: {
        ...recorded,
        ...packs.with(taken),
        ...(taken.some(({ cause }) => cause === 'prelude') ? { prelude: made.prelude } : {}),
        ...(taken.some(({ cause }) => cause === 'catalog') ? { catalog: made.catalog, legacy: made.legacy } : {}),
      },
    }),
  }
}

interface ProposedPacks {
  readonly causes: readonly Cause[]
  readonly reached: readonly Digest[]
  with(taken: readonly Cause[]): Pick<Snapshot, 'packs'>
}

/** Packs decide only where the recorded snapshot carries them. Without packs in the snapshot, refs go to the library. */
async function proposedPacks(store: Store, tenant: string, proposal: Proposal, recorded: Snapshot, made: Snapshot): Promise<ProposedPacks> {
  const was = (await loadSnapshotPacks(store, tenant, recorded))?.packs
  if (was === undefined || recorded.packs === made.packs) return { causes: [], reached: [], with: () => ({}) }
  const is = made.packs === undefined ? NO_PACKS : await packSetIn(proposal, made.packs)
  const causes: Cause[] = []
  for (const name of [...new Set([...was.templates, ...is.templates].map(({ templateId }) => templateId))].sort()) {
    const [before, after] = [activeIn(was, name), activeIn(is, name)]
    if (before?.digest === after?.digest) continue
    const file = proposal.templates.find(({ row }) => row.digest === after?.digest)?.file
    causes.push({
      cause: 'template',
      name,
      ...(file === undefined ? {} : { file }),
      from: before?.version ?? null,
      to: after?.version ?? null,
      ...(before !== undefined && before.version === after?.version ? { sameVersion: true as const } : {}),
    })
  }
  return {
    causes,
    reached: is.templates.filter(one => activeIn(is, one.templateId) === one).map(({ digest }) => digest),
    with(taken) {
      const keys = taken.map(causeKey)
      const names = causes.filter(cause => keys.includes(causeKey(cause))).map(({ name }) => name)
      return names.length === 0 ? {} : { packs: proposal.keep(packSetText(withTemplatesOf(was, is, names))) }
    },
  }
}

const NO_PACKS: PackSet = { templates: [], active: {}, schemas: {} }

const packSetIn = async (proposal: Proposal, digest: NonNullable<Snapshot['packs']>): Promise<PackSet> =>
  JSON.parse(new TextDecoder().decode(await proposal.object(digest))) as PackSet

const activeIn = ({ templates, active }: PackSet, name: string) =>
  templates.find(({ templateId, version }) => templateId === name && version === active[name])
