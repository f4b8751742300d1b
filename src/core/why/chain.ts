// Folder: Why a prompt was chosen: each layer as written and as pinned, and the events behind the active versions. It chooses and loads nothing.
// Explains why a prompt was chosen: the offer of every layer, as written and as pinned, and its result. Chooses nothing itself.
import type { Digest } from '../digest/digest.ts'
import type { MeantBy } from '../library/meant.ts'
import type { SnapshotSource } from '../library/pack-set.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { Layer, ResolveRequest } from '../resolve/layers.ts'
import type { RefDialect } from '../resolve/prompt-ref.ts'
import { type FaultCode, type Lookup, type ReasonCode, resolveKind, type TraceEntry } from '../resolve/resolve.ts'

export interface WhyEntry {
  readonly layer: Layer
  readonly applied: boolean
  /** Pinned where it could be; left out by a layer that offers nothing. */
  readonly source?: string
  readonly code: ReasonCode
  readonly reason: string
  readonly library?: string
  /** The library is the host's own. */
  readonly owner?: 'host'
  readonly digest?: Digest
  /** As its author wrote it, when that differs from the pinned ref. */
  readonly written?: string
  /** The rule that gave the version. Left out where no ref was followed. */
  readonly meant?: MeantBy
  /** The version of a workspace that gave the template, in place of a library. */
  readonly snapshot?: SnapshotSource
}

/** @param written the ref of each layer in this slot, before any lookup */
export function chainOf(trace: readonly TraceEntry[], written: readonly TraceEntry[]): readonly WhyEntry[] {
  return trace.map(({ layer, applied, ref, template, meant, snapshot, code, reason }) => {
    const writtenRef = written.find(entry => entry.layer === layer)?.ref ?? null
    return {
      layer,
      applied,
      ...(ref === null ? {} : { source: ref }),
      code,
      reason,
      ...(template === null || snapshot !== undefined ? {} : { library: template.libraryId }),
      ...(template === null ? {} : { digest: template.digest }),
      ...(template?.owner === undefined ? {} : { owner: template.owner }),
      ...(writtenRef === null || writtenRef === ref ? {} : { written: writtenRef }),
      ...(meant === undefined ? {} : { meant }),
      ...(snapshot === undefined ? {} : { snapshot }),
    }
  })
}

const NOBODY_LOOKS: Lookup = { find: () => ({ status: 'unchecked' }), defaultOf: () => null }

/** The refs of every layer for a kind, by slot: the resolver's own walk, without lookups. */
export const writtenFor = (request: ResolveRequest, kind: PromptKind, dialect: RefDialect): readonly (readonly TraceEntry[])[] =>
  resolveKind(request, kind, NOBODY_LOOKS, dialect).map(({ trace }) => trace)

const FAULTS: readonly (ReasonCode & FaultCode)[] = ['prompt_ref_invalid', 'prompt_ref_ambiguous', 'prompt_template_not_found']

/**
 * The deciding layer whose offer cannot be resolved: layers below it were not considered. Null when one was applied, and
 * when no layer had an offer.
 */
export const refusedIn = (chain: readonly WhyEntry[]): WhyEntry | null =>
  chain.some(({ applied }) => applied) ? null : (chain.find(({ code }) => FAULTS.some(fault => fault === code)) ?? null)

/** Whether no layer offers anything at all. */
export const isSilent = (chain: readonly WhyEntry[]): boolean =>
  chain.every(({ source }) => source === undefined) && refusedIn(chain) === null
