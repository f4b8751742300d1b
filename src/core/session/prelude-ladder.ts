// Which messages stand before the history, and why: the run's own digests, else the prelude of the snapshot in force, else none.
import type { Digest } from '../digest/digest.ts'
import type { PromptSource, RunConfig } from './config.ts'
import type { Snapshot } from './snapshot.ts'

/** What one rung offers. A rung that lost keeps what it offered. */
export interface PreludeTraceEntry {
  readonly layer: 'direct' | 'workspace'
  readonly applied: boolean
  readonly digests: readonly Digest[] | null
  /** Of the prelude, where it has one. */
  readonly name: string | null
  readonly code: 'applied' | 'superseded' | 'nothing_here'
}

export interface ChosenPrelude {
  readonly source: PromptSource
  readonly prelude: readonly Digest[]
  /** What the prelude sets beside its messages. It goes with them. */
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
