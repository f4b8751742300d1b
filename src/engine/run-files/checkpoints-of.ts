// Selects the checkpoints for a run file: those that name an event of its streams. A rewritten event then contradicts one of them.
import { CHECKPOINTS, readCheckpoint } from '../../core/record/checkpoint.ts'
import type { Store, StoredEvent } from '../../ports.ts'

/**
 * The most checkpoints of one stream: the first half and the last half of this number. A checkpoint may be large, and a stream may live for
 * years.
 */
const MOST_OF_STREAM = 100

export interface StreamPart {
  readonly tenant: string
  readonly stream: string
  readonly events: number
}

/** In order of tenants, oldest first. */
export async function checkpointsOf(store: Store, streams: readonly StreamPart[]): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = []
  for (const tenant of [...new Set(streams.map(one => one.tenant))].sort()) {
    const wanted = await sequencesNaming(
      store,
      tenant,
      new Map(streams.filter(one => one.tenant === tenant).map(one => [one.stream, one.events])),
    )
    if (wanted.size === 0) continue
    for await (const stored of store.read(tenant, CHECKPOINTS, Math.min(...wanted) - 1))
      if (wanted.delete(stored.event.seq)) found.push(stored)
  }
  return found
}

/** Sequences first: the checkpoints themselves are not held until it is known which are wanted. */
async function sequencesNaming(store: Store, tenant: string, events: ReadonlyMap<string, number>): Promise<Set<number>> {
  const naming = new Map<string, number[]>()
  for await (const { event } of store.read(tenant, CHECKPOINTS, -1))
    for (const { stream, seq } of readCheckpoint(event)?.statement.heads ?? []) {
      if (seq >= (events.get(stream) ?? 0)) continue
      const list = naming.get(stream) ?? []
      naming.set(stream, list)
      list.push(event.seq)
    }
  const half = MOST_OF_STREAM / 2
  return new Set(
    [...naming.values()].flatMap(list => (list.length <= MOST_OF_STREAM ? list : [...list.slice(0, half), ...list.slice(-half)])),
  )
}
