// Finds the targets of labels at a moment, from the events that moved them. Reads libraries only where a ref named a label.
import { ACTIVE_LABEL, type LabelMove, libraryStream } from '../../core/library/events.ts'
import { readPromptRef } from '../../core/resolve/prompt-ref.ts'
import type { EventPlace } from '../../core/why/active-since.ts'
import type { WhyEntry } from '../../core/why/chain.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { DIALECT } from '../runs/start/frozen.ts'

export interface LabelMoves {
  readonly label: string
  readonly moves: readonly (Pick<LabelMove, 'from' | 'to' | 'why'> & { readonly at: string; readonly actor: string })[]
}

export interface WhyLayer extends WhyEntry {
  /** Where a label stood until then, when a ref names one or goes by the label `active`. Oldest first. */
  readonly label?: LabelMoves
  /** The events that approved and applied the snapshot, where a snapshot gave the template. */
  readonly adopted?: readonly EventPlace[]
  /** For the applied layer: when and by whom its template was published. Left out if the record does not hold that. */
  readonly published?: EventPlace
  /** For the applied layer: when and by whom the agent or workflow that names it was published. */
  readonly definition?: EventPlace
}

type RecordedMove = LabelMove & LabelMoves['moves'][number]

/** @returns adds the moves of a label to the entry whose ref names it */
export function labelReader(store: Store, tenant: string): (entry: WhyEntry, at: string) => Promise<WhyLayer> {
  const libraries = new Map<string, Promise<readonly RecordedMove[]>>()
  return async (entry, until) => {
    const { written, library } = entry
    const read = written === undefined ? null : readPromptRef(written, DIALECT)
    if (library === undefined || !read?.ok) return entry
    const { templateId } = read.ref
    const label = entry.meant === 'active' ? ACTIVE_LABEL : read.ref.label
    if (label === null) return entry
    const movesOf = async (owner: string): Promise<readonly RecordedMove[]> => {
      const key = JSON.stringify([owner, library])
      const all = libraries.get(key) ?? movesIn(store, owner, library)
      libraries.set(key, all)
      return (await all).filter(move => move.label === label && move.templateId === templateId && move.at <= until)
    }
    const own = await movesOf(tenant)
    // A tenant follows the host's label `active`, and no other label of the host.
    const about = own.length === 0 && label === ACTIVE_LABEL ? await movesOf(HOST_TENANT) : own
    return { ...entry, label: { label, moves: about.map(({ from, to, why, at, actor }) => ({ from, to, why, at, actor })) } }
  }
}

async function movesIn(store: Store, tenant: string, library: string): Promise<readonly RecordedMove[]> {
  const found: RecordedMove[] = []
  for await (const { event } of store.read(tenant, libraryStream(library), -1)) {
    const { type, at, actor, payload } = event
    if (type === 'label.moved') found.push({ ...(payload as unknown as LabelMove), at, actor })
  }
  return found
}
