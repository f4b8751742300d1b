// Whether an agent turns in circles: nothing it does changes anything, so many times in a row. Says on what evidence. DESIGN, decision 22.
import type { Digest } from '../digest/digest.ts'

/** One step as far as circles are concerned. */
export interface Turn {
  /** Of what it was told, without what only tells runs apart. */
  readonly promptHash: Digest
  /** Of the raw reply, its calls included, without their ids. */
  readonly replyHash: Digest
}

export interface StallEvidence {
  readonly signal: 'same_prompt' | 'same_reply' | 'cycle'
  readonly times: number
  /** Newest last. */
  readonly promptHashes: readonly Digest[]
  readonly replyHashes: readonly Digest[]
}

/** A cycle of two shows only when it has gone round twice. */
const SHORTEST_CYCLE = 4

/** More are never looked at. */
export const turnsKept = (after: number): number => Math.max(after, SHORTEST_CYCLE)

/**
 * @param turns since anything last came of one, newest last
 * @param after so many are a stall; 0 for never
 */
export function stallIn(turns: readonly Turn[], after: number): StallEvidence | null {
  if (after <= 0) return null
  const last = turns.slice(-after)
  const evidence = (signal: StallEvidence['signal'], of: readonly Turn[]): StallEvidence => ({
    signal,
    times: of.length,
    promptHashes: of.map(({ promptHash }) => promptHash),
    replyHashes: of.map(({ replyHash }) => replyHash),
  })
  if (last.length === after && after > 1) {
    if (isSame(last.map(({ replyHash }) => replyHash))) return evidence('same_reply', last)
    if (isSame(last.map(({ promptHash }) => promptHash))) return evidence('same_prompt', last)
  }
  const round = turns.slice(-turnsKept(after))
  return round.length === turnsKept(after) && isCycle(round) ? evidence('cycle', round) : null
}

const isSame = (hashes: readonly Digest[]): boolean => new Set(hashes).size === 1

const isCycle = (turns: readonly Turn[]): boolean =>
  turns.every((turn, index) => index < 2 || turn.replyHash === turns[index - 2]!.replyHash) && turns[0]!.replyHash !== turns[1]!.replyHash
