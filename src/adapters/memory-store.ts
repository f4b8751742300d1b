// The record in memory: for tests and for trying things out. Keeps every promise of the port but durability.
import { EventEmitter, once } from 'node:events'
import { type Digest, digestBytes, type Json } from '../core/digest/digest.ts'
import { emptyHead, type StreamHead, writeEvent } from '../core/record/event.ts'
import { Fault } from '../errors.ts'
import type { Clock, Commit, Committed, Store, StoredEvent } from '../ports.ts'

interface Stream {
  head: StreamHead
  readonly events: StoredEvent[]
}

interface Tenant {
  readonly streams: Map<string, Stream>
  readonly objects: Map<Digest, Uint8Array>
  readonly answers: Map<string, Json>
}

export function memoryStore(clock: Clock): Store {
  const tenants = new Map<string, Tenant>()
  const written = new EventEmitter().setMaxListeners(0)

  const tenantOf = (name: string): Tenant => {
    const known = tenants.get(name) ?? { streams: new Map(), objects: new Map(), answers: new Map() }
    tenants.set(name, known)
    return known
  }
  const streamOf = (tenant: string, name: string): Stream =>
    tenantOf(tenant).streams.get(name) ?? { head: emptyHead(tenant, name), events: [] }

  /** Works everything out before it changes anything: there is no undoing here. */
  const commit = ({ tenant: name, objects = [], appends = [], idempotency }: Commit): Committed => {
    const tenant = tenantOf(name)
    const answered = idempotency && tenant.answers.get(idempotency.key)
    if (answered !== undefined) return { heads: [], replayed: answered }

    const named = new Map(objects.map(bytes => [digestBytes(bytes), Uint8Array.from(bytes)]))
    const changed = new Map<string, Stream>()
    const heads = appends.map(({ stream: streamName, expected, entries }) => {
      const { head, events } = changed.get(streamName) ?? streamOf(name, streamName)
      if (head.seq !== expected) throw new Fault('stream_moved', { stream: streamName, expected, found: head.seq })
      const next: Stream = { head, events: [...events] }
      for (const { refs = [], ...draft } of entries) {
        const missing = refs.find(ref => !named.has(ref) && !tenant.objects.has(ref))
        if (missing !== undefined) throw new Fault('object_missing', { digest: missing })
        const { event, bytes, head: after } = writeEvent(next.head, draft, clock())
        next.events.push({ event, bytes })
        next.head = after
      }
      changed.set(streamName, next)
      return next.head
    })

    for (const [digest, bytes] of named) tenant.objects.set(digest, bytes)
    for (const [streamName, stream] of changed) tenant.streams.set(streamName, stream)
    if (idempotency) tenant.answers.set(idempotency.key, idempotency.answer)
    written.emit('commit')
    return { heads, replayed: null }
  }

  return {
    commit: async request => commit(request),
    head: async (tenant, stream) => streamOf(tenant, stream).head,
    async *read(tenant, stream, after) {
      yield* streamOf(tenant, stream).events.slice(after + 1)
    },
    async *follow(tenant, stream, after, signal) {
      let last = after
      while (!signal.aborted) {
        const next = streamOf(tenant, stream).events.slice(last + 1)
        const woken = next.length > 0 ? null : once(written, 'commit', { signal }).catch(() => null)
        for (const stored of next) {
          if (signal.aborted) return
          yield stored
          last = stored.event.seq
        }
        await woken
      }
    },
    async object(tenant, digest) {
      const bytes = tenantOf(tenant).objects.get(digest)
      if (bytes === undefined) throw new Fault('object_missing', { digest })
      return bytes
    },
    streams: async tenant => [...tenantOf(tenant).streams.values()].map(({ head }) => head),
    close: async () => undefined,
  }
}
