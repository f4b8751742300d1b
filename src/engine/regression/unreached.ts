// Finds templates of a proposal that no recorded ref would reach, because the ref uses a label that the proposal does not move.
import type { Digest } from '../../core/digest/digest.ts'
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import { answersIn, type FrozenLookup } from '../../core/run/frozen.ts'
import type { Proposal } from './proposal.ts'
import { proposedFound } from './proposed-causes.ts'

export interface Unreached {
  readonly templateId: string
  readonly version: string
  readonly file: string
  /** The label that refs go by. */
  readonly label: string
  /** Where the label points to. */
  readonly stays: string
}

interface UnreachedTemplates {
  /** Takes the answers that a run froze for its refs. */
  add(lookup: FrozenLookup): void
  /** These are reached through a snapshot. */
  reach(digests: readonly Digest[]): void
  /** In a steady order. */
  all(): readonly Unreached[]
}

export function unreachedBy(proposal: Proposal): UnreachedTemplates {
  const found = new Map<string, Unreached>()
  const reached = new Set<Digest>()
  const fresh = proposal.templates.filter(({ isNew }) => isNew)
  return {
    add(lookup) {
      if (fresh.length === 0) return
      for (const [, ref, was] of answersIn(lookup)) {
        const is = proposedFound(proposal, ref, was)
        if (is.status === 'found') reached.add(is.template.digest)
        if (is.status !== 'found' || was.status !== 'found' || was.meant === 'newest' || ref.version !== null) continue
        for (const { row, file } of fresh)
          if (row.templateId === ref.templateId) {
            const { templateId, version } = row
            const label = ref.label ?? ACTIVE_LABEL
            found.set(JSON.stringify([row.digest, label]), { templateId, version, file, label, stays: is.template.version })
          }
      }
    },
    reach(digests) {
      for (const digest of digests) reached.add(digest)
    },
    all: () =>
      [...found]
        .filter(([key]) => !reached.has((JSON.parse(key) as [Digest, string])[0]))
        .map(([, one]) => one)
        .toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.label < b.label ? -1 : 1)),
  }
}
