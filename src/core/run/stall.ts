// Detects a stalled agent: so many rounds in a row change nothing. Reports the evidence. DESIGN, decision 22.
import type { Digest } from '../digest/digest.ts'

/** One step as far as circles are concerned. */
export interface Round {
  /** The hash of its prompt, without the line that only distinguishes runs. */
  readonly promptHash: Digest
  /** The hash of the raw reply, its calls included, without their ids. */
  readonly replyHash: Digest
}

/** A call after the last step that changed nothing: it failed, or gave the same result as before. */
export interface VainCall {
  readonly tool: string
  readonly status: string
}

export interface StallEvidence {
  readonly signal: 'same_prompt' | 'same_reply' | 'cycle' | 'many_steps'
  readonly times: number
  /** Newest last. */
  readonly promptHashes: readonly Digest[]
  readonly replyHashes: readonly Digest[]
  /** The length of a cycle. Only runs with the present rule record this. */
  readonly period?: number
  /** Only runs with the present rule record these. */
  readonly calls?: readonly VainCall[]
}

const longestCycle = (rule: number | undefined): number => (rule === undefined ? 2 : 5)

/** A cycle shows only when it has gone round twice. */
const windowOf = (after: number, period: number): number => Math.max(after, 2 * period)

/** More are never looked at. */
export const roundsKept = (after: number, rule: number | undefined): number => windowOf(after, longestCycle(rule))

/**
 * @param rounds since the last one with an effect, newest last
 * @param after so many are a stall; 0 for never
 */
export function stallIn(rounds: readonly Round[], after: number, rule: number | undefined): StallEvidence | null {
  if (after <= 0) return null
  const last = rounds.slice(-after)
  if (last.length === after && after > 1) {
    if (isSame(last.map(({ replyHash }) => replyHash))) return evidenceOf('same_reply', last)
    if (isSame(last.map(({ promptHash }) => promptHash))) return evidenceOf('same_prompt', last)
  }
  for (let period = 2; period <= longestCycle(rule); period++) {
    const round = rounds.slice(-windowOf(after, period))
    if (round.length < windowOf(after, period) || !isCycle(round, period, rule)) continue
    return { ...evidenceOf('cycle', round), ...(rule === undefined ? {} : { period }) }
  }
  return null
}

/** @param steps of the node since it began, or since a person last resumed it */
export const tooMany = (rounds: readonly Round[], steps: number, most: number | null | undefined): StallEvidence | null =>
  most == null || steps < most ? null : { ...evidenceOf('many_steps', rounds), times: steps }

const evidenceOf = (signal: StallEvidence['signal'], of: readonly Round[]): StallEvidence => ({
  signal,
  times: of.length,
  promptHashes: of.map(({ promptHash }) => promptHash),
  replyHashes: of.map(({ replyHash }) => replyHash),
})

const isSame = (hashes: readonly Digest[]): boolean => new Set(hashes).size === 1

/** An agent that words each reply differently still receives the same results in turn. */
const isCycle = (rounds: readonly Round[], period: number, rule: number | undefined): boolean =>
  repeats(
    rounds.map(({ replyHash }) => replyHash),
    period,
  ) ||
  (rule !== undefined &&
    repeats(
      rounds.map(({ promptHash }) => promptHash),
      period,
    ))

const repeats = (hashes: readonly Digest[], period: number): boolean =>
  !isSame(hashes) && hashes.every((hash, index) => index < period || hash === hashes[index - period])
