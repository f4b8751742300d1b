// A record in which one thing is not what it was: other bytes under a name, other words in an event. For tests of what notices. Writes nothing.
import type { Digest } from '../../core/digest/digest.ts'
import { emptyHead, type RecordedEvent, writeEvent } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { Store, StoredEvent } from '../../ports.ts'

/** As if other bytes had this name. */
export const withObject = (store: Store, digest: Digest, change: (text: string) => string): Store => ({
  ...store,
  async object(tenant, name) {
    const bytes = await store.object(tenant, name)
    return name === digest ? new TextEncoder().encode(change(new TextDecoder().decode(bytes))) : bytes
  },
})

/** As a store answers for an object that was erased, or whose bytes have rotted. */
export const withoutObject = (store: Store, digest: Digest, rotten: Digest | null): Store => ({
  ...store,
  async object(tenant, name) {
    if (name !== digest) return store.object(tenant, name)
    throw rotten === null ? new Fault('object_missing', { digest }) : new Fault('object_corrupt', { digest, found: rotten })
  },
})

/** As if these were its events. */
export const withReads = (store: Store, read: Store['read']): Store => ({
  ...store,
  read,
  async *pages(...of) {
    for await (const stored of read(...of)) yield [stored]
  },
})

type Change = (event: RecordedEvent) => RecordedEvent

/** The event alone: what follows still names what it was. */
export const withEvent = (store: Store, stream: string, change: Change): Store =>
  withReads(store, async function* (tenant, name, after) {
    for await (const stored of store.read(tenant, name, after)) yield name === stream ? rewritten(stored, change) : stored
  })

function rewritten(stored: StoredEvent, change: Change): StoredEvent {
  const event = change(stored.event)
  return event === stored.event ? stored : { event, bytes: new TextEncoder().encode(JSON.stringify(event)) }
}

/** The whole history, chained again as a capable attacker would. */
export const withHistory = (store: Store, streams: readonly string[], change: Change): Store => {
  const written = async (tenant: string, stream: string): Promise<{ head: ReturnType<typeof emptyHead>; all: StoredEvent[] }> => {
    let head = emptyHead(tenant, stream)
    const all: StoredEvent[] = []
    for await (const { event: before } of store.read(tenant, stream, -1)) {
      const { type, actor, cause, payload, at } = change(before)
      const { event, bytes, head: next } = writeEvent(head, { type, actor, cause, payload }, at)
      all.push({ event, bytes })
      head = next
    }
    return { head, all }
  }
  const changed = withReads(store, async function* (tenant, stream, after) {
    if (!streams.includes(stream)) yield* store.read(tenant, stream, after)
    else yield* (await written(tenant, stream)).all.slice(after + 1)
  })
  return {
    ...changed,
    head: async (tenant, stream) => (streams.includes(stream) ? (await written(tenant, stream)).head : store.head(tenant, stream)),
  }
}
