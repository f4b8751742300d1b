// Caches the heads of streams between transactions, until another connection writes to the file.
import { type Digest, isDigest } from '../../core/digest/digest.ts'
import type { StreamHead } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { HeadRow, Statements } from './statements.ts'

interface KnownHead {
  readonly id: number
  readonly head: StreamHead
}

export interface Heads {
  /** Null for a stream that does not exist. */
  get(tenant: string, stream: string): KnownHead | null
  set(id: number, head: StreamHead): void
  /**
   * The last sequence of a stream, for a caller without the lock. Null when another connection has written: then only a read is correct.
   */
  seqAt(version: number, tenant: string, stream: string): number | null
  /** To be called under the write lock, before anything is asked. True when another connection has written since. */
  refresh(): boolean
  /** Drops the cache after a rollback. */
  forget(): void
}

const MOST = 10_000

export function headsOf(statements: Statements): Heads {
  const known = new Map<string, KnownHead>()
  const keyOf = (tenant: string, stream: string): string => `${tenant}\0${stream}`
  let version = -1

  const set = (id: number, head: StreamHead): KnownHead => {
    if (known.size >= MOST) known.clear()
    const entry = { id, head }
    known.set(keyOf(head.tenant, head.stream), entry)
    return entry
  }

  const get = (tenant: string, stream: string): KnownHead | null => {
    const remembered = known.get(keyOf(tenant, stream))
    if (remembered !== undefined) return remembered
    const row = statements.head.get(tenant, stream) as HeadRow | undefined
    return row === undefined ? null : set(row.id, toHead(tenant, row))
  }

  return {
    get,
    set,
    seqAt: (now, tenant, stream) => (now === version ? (get(tenant, stream)?.head.seq ?? -1) : null),
    refresh() {
      const { data_version: now } = statements.version.get() as { data_version: number }
      const isOther = now !== version
      if (isOther) known.clear()
      version = now
      return isOther
    },
    forget: () => known.clear(),
  }
}

export function toHead(tenant: string, { stream, seq, digest }: HeadRow): StreamHead {
  if (!isDigest(digest)) throw new Fault('event_corrupt', { stream, seq })
  return { tenant, stream, seq, digest: digest as Digest }
}
