// Folder: The store in memory.
// The store in memory, for tests and trials. Keeps every promise of the port but durability.
import { EventEmitter, once } from 'node:events'
import { type Digest, digestBytes, type Json } from '../../core/digest/digest.ts'
import { CHECKPOINTS, readCheckpoint } from '../../core/record/checkpoint.ts'
import { emptyHead, type StreamHead, writeEvents } from '../../core/record/event.ts'
import type { Projection } from '../../core/record/projection.ts'
import { RECORD_PROJECTIONS } from '../../core/record/projections.ts'
import { beginsAsNode, linksIn, NO_NODE, referencesIn } from '../../core/record/references.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Commit, Committed, Inspection, Store, StoredEvent } from '../../ports.ts'
import { memoryTables } from './memory-tables.ts'

interface Stream {
  readonly head: StreamHead
  readonly events: readonly StoredEvent[]
}

interface StoredObject {
  readonly bytes: Uint8Array | null
  readonly writtenAt: string
  /** An event that references it. */
  readonly referrer: { readonly stream: string; readonly seq: number } | null
}

interface Tenant {
  readonly streams: Map<string, Stream>
  readonly objects: Map<Digest, StoredObject>
  readonly answers: Map<string, Json>
  readonly sealed: Map<string, number>
}

const byName = <T>(entries: Iterable<readonly [string, T]>): readonly T[] =>
  [...entries].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(([, value]) => value)

const linksFrom = ({ bytes }: StoredObject): readonly Digest[] => (bytes === null ? null : linksIn(bytes)) ?? []

/** @param projections what applications add to the record's own */
export function memoryStore(clock: Clock, projections: readonly Projection[] = []): Store {
  const tenants = new Map<string, Tenant>()
  const all = [...RECORD_PROJECTIONS, ...projections]
  const tables = memoryTables(all)
  const written = new EventEmitter().setMaxListeners(0)
  let commits = 0

  const tenantOf = (name: string): Tenant =>
    tenants.get(name) ?? { streams: new Map(), objects: new Map(), answers: new Map(), sealed: new Map() }
  const streamOf = (tenant: string, name: string): Stream =>
    tenantOf(tenant).streams.get(name) ?? { head: emptyHead(tenant, name), events: [] }
  const bytesOf = (tenant: string, digest: Digest): Uint8Array => {
    const bytes = tenantOf(tenant).objects.get(digest)?.bytes ?? null
    if (bytes === null) throw new Fault('object_missing', { digest })
    return bytes
  }
  const isThere = (tenant: string, digest: Digest): boolean => (tenantOf(tenant).objects.get(digest)?.bytes ?? null) !== null
  const put = (tenant: Tenant, bytes: Uint8Array, at: string): Digest => {
    const digest = digestBytes(bytes)
    tenant.objects.set(digest, { bytes: Uint8Array.from(bytes), writtenAt: at, referrer: tenant.objects.get(digest)?.referrer ?? null })
    return digest
  }

  /** The references of new nodes among the objects; existing nodes were checked before. */
  const linksOf = (name: string, objects: readonly Uint8Array[]): readonly Digest[] =>
    objects.flatMap(bytes => {
      if (!beginsAsNode(bytes) || isThere(name, digestBytes(bytes))) return []
      const links = linksIn(bytes)
      if (links === null) throw new Fault('object_invalid', { problem: NO_NODE })
      return links
    })

  /** Works everything out before it changes anything: there is no undoing here. */
  const commit = ({ tenant: name, objects = [], appends = [], erase = [], idempotency }: Commit): Committed => {
    const tenant = tenantOf(name)
    const answered = idempotency && tenant.answers.get(idempotency.key)
    const at = clock()
    if (answered !== undefined) return { heads: [], replayed: answered, at }

    const given = new Set(objects.map(digestBytes))
    const changed = new Map<string, Stream>()
    const heads = appends.map(({ stream, expected, entries }) => {
      const { head, events } = changed.get(stream) ?? streamOf(name, stream)
      if (head.seq !== expected) throw new Fault('stream_moved', { stream, expected, found: head.seq })
      const added = writeEvents(head, entries, at)
      if (typeof added === 'string') throw new Fault('entry_invalid', { stream, problem: added })
      for (const { references } of added) for (const digest of references) if (!given.has(digest)) bytesOf(name, digest)
      const next = added.at(-1)?.head ?? head
      if (added.length > 0) changed.set(stream, { head: next, events: [...events, ...added] })
      return next
    })
    for (const digest of linksOf(name, objects)) if (!given.has(digest)) bytesOf(name, digest)
    for (const digest of erase) bytesOf(name, digest)

    tenants.set(name, tenant)
    for (const bytes of objects) put(tenant, bytes, at)
    for (const [stream, { head, events }] of changed) {
      for (const { event } of events.slice(streamOf(name, stream).events.length)) {
        tables.apply(event)
        for (const sealed of readCheckpoint(event)?.statement.heads ?? []) tenant.sealed.set(sealed.stream, sealed.seq)
        for (const digest of referencesIn(event.payload)) {
          const object = tenant.objects.get(digest)!
          tenant.objects.set(digest, { ...object, referrer: object.referrer ?? { stream, seq: event.seq } })
        }
      }
      tenant.streams.set(stream, { head, events })
    }
    for (const digest of erase) tenant.objects.set(digest, { ...tenant.objects.get(digest)!, bytes: null })
    if (idempotency) tenant.answers.set(idempotency.key, idempotency.answer)
    commits++
    written.emit('commit')
    return { heads, replayed: null, at }
  }

  const headsOf = (tenant: string): readonly StreamHead[] => byName(tenantOf(tenant).streams).map(({ head }) => head)

  return {
    commit: async request => commit(request),
    moment: () => String(commits),
    answer: async (tenant, key) => tenantOf(tenant).answers.get(key) ?? null,
    head: async (tenant, stream) => streamOf(tenant, stream).head,
    async *read(tenant, stream, after) {
      yield* streamOf(tenant, stream).events.slice(after + 1)
    },
    async *pages(tenant, stream, after) {
      yield streamOf(tenant, stream).events.slice(after + 1)
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
    object: async (tenant, digest) => bytesOf(tenant, digest),
    async writeObject(tenant, chunks) {
      const pieces: Uint8Array[] = []
      for await (const chunk of chunks) pieces.push(chunk)
      const bytes = Buffer.concat(pieces)
      commit({ tenant, objects: [bytes] })
      return digestBytes(bytes)
    },
    async *readObject(tenant, digest) {
      yield bytesOf(tenant, digest)
    },
    tenants: async () => byName([...tenants.keys()].map(name => [name, name])),
    async *streams(tenant, after = '') {
      const from = Buffer.from(after)
      for (const head of headsOf(tenant)) if (Buffer.compare(Buffer.from(head.stream), from) > 0) yield head
    },
    unsealed: async (tenant, most, after = '') =>
      headsOf(tenant)
        .filter(({ stream, seq }) => stream !== CHECKPOINTS && seq > (tenantOf(tenant).sealed.get(stream) ?? -1))
        .filter(({ stream }) => Buffer.compare(Buffer.from(stream), Buffer.from(after)) > 0)
        .slice(0, most),
    async *rows(table, tenant, cells, order) {
      yield* tables.rows(table, tenant, cells, order)
    },
    async collect(writtenBefore) {
      let dropped = 0
      for (const { objects } of tenants.values()) {
        const isFree = (linked: ReadonlySet<Digest>, [digest, { bytes, referrer, writtenAt }]: readonly [Digest, StoredObject]) =>
          bytes !== null && referrer === null && writtenAt < writtenBefore && !linked.has(digest)
        for (;;) {
          const linked = new Set([...objects.values()].flatMap(linksFrom))
          const free = [...objects].filter(entry => isFree(linked, entry))
          if (free.length === 0) break
          for (const [digest] of free) objects.delete(digest)
          dropped += free.length
        }
      }
      return dropped
    },
    async rebuild() {
      const events = [...tenants.values()].flatMap(({ streams }) => [...streams.values()].flatMap(stream => stream.events))
      tables.clear()
      for (const { event } of events) tables.apply(event)
      return events.length
    },
    projections: all,
    inspect: async () => inspection(),
    close: async () => undefined,
  }

  /** Nothing here can be changed from outside; it is here so that whatever verifies a store verifies this one too. */
  function inspection(): Inspection {
    return {
      tenants: async () => byName([...tenants.keys()].map(name => [name, name])),
      async *streams(tenant) {
        for (const head of headsOf(tenant)) yield { ...head, sealed: tenantOf(tenant).sealed.get(head.stream) ?? -1 }
      },
      async *events(tenant, stream) {
        yield streamOf(tenant, stream).events.map(({ event, bytes }) => ({
          seq: event.seq,
          bytes,
          references: referencesIn(event.payload),
        }))
      },
      async *objects() {
        for (const [tenant, { objects }] of tenants) {
          const gone = [...objects].filter(([, { bytes }]) => bytes === null)
          const nodes = [...objects].flatMap(([digest, { bytes }]) =>
            bytes !== null && beginsAsNode(bytes) ? [{ tenant, digest, bytes, references: linksIn(bytes) ?? [] }] : [],
          )
          yield { count: objects.size, loose: 0, wrong: gone.map(([digest]) => ({ tenant, digest, found: null })), missized: [], nodes }
        }
      },
      row: async (table, tenant, stream, key) => tables.row(table, tenant, stream, key),
      async *rows(table) {
        yield* tables.allRows(table)
      },
      referrer: async (tenant, digest) => ({ node: null, event: tenantOf(tenant).objects.get(digest as Digest)?.referrer ?? null }),
      isMoved: async () => false,
      strays: async () => 0,
      schema: async () => [],
      unproven: async () => ({ answers: 0, uploads: 0 }),
      close: async () => undefined,
    }
  }
}
