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
  /** As its author wrote it, where that is not what it was pinned to. */
  readonly written?: string
  /** The rule that gave the version. Left out where no ref was followed. */
  readonly meant?: MeantBy
  /** The version of a workspace that gave the template, in place of a library. */
  readonly snapshot?: SnapshotSource
}

/** @param written what each layer says in this slot, before anybody looked it up */
export function chainOf(trace: readonly TraceEntry[], written: readonly TraceEntry[]): readonly WhyEntry[] {
  return trace.map(({ layer, applied, ref, template, meant, snapshot, code, reason }) => {
    const said = written.find(entry => entry.layer === layer)?.ref ?? null
    return {
      layer,
      applied,
      ...(ref === null ? {} : { source: ref }),
      code,
      reason,
      ...(template === null || snapshot !== undefined ? {} : { library: template.libraryId }),
      ...(template === null ? {} : { digest: template.digest }),
      ...(template?.owner === undefined ? {} : { owner: template.owner }),
      ...(said === null || said === ref ? {} : { written: said }),
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

/** The layer that had its say and cannot be followed: no other was asked. Null when one was applied, and when none had anything to say. */
export const refusedIn = (chain: readonly WhyEntry[]): WhyEntry | null =>
  chain.some(({ applied }) => applied) ? null : (chain.find(({ code }) => FAULTS.some(fault => fault === code)) ?? null)

/** Whether no layer offers anything at all. */
export const isSilent = (chain: readonly WhyEntry[]): boolean =>
  chain.every(({ source }) => source === undefined) && refusedIn(chain) === null
