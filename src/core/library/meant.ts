// Finds the version of a template that a ref means. The one implementation for runs, sessions, render, why, resolve,
// replay, regression and fork.
import { latestOf } from './decide.ts'
import { ACTIVE_LABEL } from './events.ts'

/**
 * The rules that give a version, in order; the first that applies decides. `version`: the ref names it. `label`: the ref names a label. `snapshot`:
 * the registry in the agent's active snapshot names it. `active`: the library's label `active` points to it. `newest`: the template never had that
 * label, and this is the newest release.
 */
export const MEANT_BY = ['version', 'label', 'snapshot', 'active', 'newest'] as const
export type MeantBy = (typeof MEANT_BY)[number]

export interface AskedVersion {
  readonly version: string | null
  readonly label: string | null
}

/** A version as one library has it. */
export interface OfferedVersion {
  readonly version: string
  readonly retired: boolean
}

/** The versions of one template in a snapshot, and the one that its registry calls active. */
export interface SnapshotVersions<V> {
  readonly versions: readonly V[]
  readonly active: string | null
}

/**
 * @param versions of one template in one library, without removed ones
 * @param labels where its labels point to; null for a label that was removed
 * @param snapshot null where the agent has no snapshot, or the snapshot does not have the template
 */
export function meantVersion<V extends OfferedVersion>(
  { version, label }: AskedVersion,
  versions: readonly V[],
  labels: ReadonlyMap<string, string | null>,
  snapshot: SnapshotVersions<V> | null = null,
): { readonly meant: MeantBy; readonly row: V } | null {
  const among = (all: readonly V[], wanted: string | null | undefined): V | null => latestOf(all.filter(one => one.version === wanted))
  const at = (wanted: string | null | undefined): V | null => among(versions, wanted)
  const answer = (meant: MeantBy, row: V | null) => (row === null ? null : { meant, row })
  if (version !== null) return answer('version', at(version) ?? among(snapshot?.versions ?? [], version))
  if (label !== null) return answer('label', at(labels.get(label)))
  if (snapshot !== null) return answer('snapshot', among(snapshot.versions, snapshot.active))
  if (labels.has(ACTIVE_LABEL)) return answer('active', at(labels.get(ACTIVE_LABEL)))
  return answer('newest', latestOf(versions.filter(({ retired }) => !retired)))
}
