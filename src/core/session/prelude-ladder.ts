// Chooses the messages before the history, with the reason: the run's own digests, else the prelude of the active snapshot, else none.
import type { Digest } from '../digest/digest.ts'
import type { PromptSource, RunConfig } from './config.ts'
import type { Snapshot } from './snapshot.ts'

/** The offer of one layer. A superseded layer is still recorded with its offer. */
export interface PreludeTraceEntry {
  readonly layer: 'direct' | 'workspace'
  readonly applied: boolean
  readonly digests: readonly Digest[] | null
  /** The name of the prelude, if it has one. */
  readonly name: string | null
  readonly code: 'applied' | 'superseded' | 'nothing_here'
}

export interface ChosenPrelude {
  readonly source: PromptSource
  readonly prelude: readonly Digest[]
  /** The settings of the prelude beside its messages. They apply together. */
  readonly defaults: Digest | null
  readonly trace: readonly PreludeTraceEntry[]
}

export function preludeOf({ promptDigests }: RunConfig, snapshot: Snapshot | null): ChosenPrelude {
  const { prelude = null } = snapshot ?? {}
  const offers = [
    { layer: 'direct', digests: promptDigests, name: null, defaults: null },
    {
      layer: 'workspace',
      digests: prelude === null ? null : [prelude.digest],
      name: prelude?.name ?? null,
      defaults: prelude?.options ?? null,
    },
  ] as const
  const winner = offers.find(({ digests }) => digests !== null)
  const trace = offers.map((offer): PreludeTraceEntry => {
    const { layer, digests, name } = offer
    const applied = offer === winner
    return { layer, applied, digests, name, code: applied ? 'applied' : digests === null ? 'nothing_here' : 'superseded' }
  })
  return { source: winner?.layer ?? 'none', prelude: winner?.digests ?? [], defaults: winner?.defaults ?? null, trace }
}
