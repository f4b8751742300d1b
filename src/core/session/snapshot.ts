// A frozen, validated version of a workspace. Having one grants nothing; its content was checked before.
import type { Digest } from '../digest/digest.ts'
import type { Selection } from './config.ts'

export interface SnapshotPrelude {
  readonly name: string
  /** The digest of the messages, as the model adapters read them. */
  readonly digest: Digest
  /** The digest of the settings of the prelude beside its messages; null when it sets nothing. */
  readonly options: Digest | null
}

export interface SnapshotCatalog {
  readonly name: string
  readonly digest: Digest
}

export interface Snapshot {
  readonly workspace: string
  readonly version: number
  readonly root: Digest
  /** The digest of agent.workspace.json; null when the workspace has none. */
  readonly index: Digest | null
  readonly prelude: SnapshotPrelude | null
  readonly catalog: SnapshotCatalog | null
  /** Its tools were discovered in tools/, because nothing names them. */
  readonly legacy: boolean
  /** The digest of its packs, as a `PackSet`. Left out where the workspace has none. */
  readonly packs?: Digest
}

/** A pack that would have another version, or other text, with a snapshot applied. */
export interface PackChange {
  readonly pack: string
  /** The version that is active now; null when no version is. */
  readonly from: string | null
  /** Null when the workspace no longer has the pack: then the library decides. */
  readonly to: string | null
  readonly errors: number
  readonly warnings: number
  /** Null when the pack has neither script nor recording to answer for a model. */
  readonly tests: { readonly pass: number; readonly fail: number; readonly skip: number; readonly error: number } | null
  readonly proof: 'passed' | 'failed' | 'untested' | 'removed'
  /** The digest of the findings and test results for exactly these templates. */
  readonly report: Digest | null
}

/** A snapshot with its requested selection, which becomes the session's own when the snapshot is applied. */
export interface Staged {
  readonly snapshot: Snapshot
  readonly selection: Selection
}

/** Validated, and not applied yet. */
export interface Pending extends Staged {
  /** The packs that it would change. Left out where it changes none. */
  readonly packs?: readonly PackChange[]
}

/** Packs whose tests did not pass, by name: summarizer@1.1.0. */
export const unprovenIn = ({ packs = [] }: Pending): readonly string[] =>
  packs.filter(({ proof }) => proof === 'failed' || proof === 'untested').map(({ pack, to }) => `${pack}@${to}`)

/** Why the snapshot does not answer the request, such as a late reply about another workspace. Null when it does. */
export function snapshotMismatch(snapshot: Snapshot, { workspace, prelude, catalog }: Selection): string | null {
  if (snapshot.workspace !== workspace.name) return `it is of workspace ${snapshot.workspace}, not of ${workspace.name}`
  if (workspace.version !== null && snapshot.version !== workspace.version)
    return `it is of version ${snapshot.version}, not of ${workspace.version}`
  if ((snapshot.prelude?.name ?? null) !== prelude) return `its prelude is ${snapshot.prelude?.name ?? 'none'}, not ${prelude ?? 'none'}`
  const named = snapshot.legacy ? null : (snapshot.catalog?.name ?? null)
  return named === catalog ? null : `its catalog is ${named ?? 'none'}, not ${catalog ?? 'none'}`
}
