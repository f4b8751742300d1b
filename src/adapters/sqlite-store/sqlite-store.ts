// The record in one SQLite file. Callers at the same time share a transaction; several processes share the file.
import { EventEmitter, once } from 'node:events'
import { type Digest, digestBytes, isDigest } from '../../core/digest/digest.ts'
import { decodeEvent, emptyHead, type StreamHead } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Commit, Committed, Store, StoredEvent } from '../../ports.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './schema.ts'
import { type HeadRow, type Statements, statementsOf } from './statements.ts'
import { writeCommit } from './write-commit.ts'

/** How many events are read in one go: a reader that stops early has not paid for the rest. */
const PAGE = 256
/** How often followers look for what other processes wrote. */
const LOOK_EVERY_MS = 50

interface Pending {
  readonly commit: Commit
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

export function sqliteStore(path: string, clock: Clock): Store {
  const database = openDatabase(path)
  migrate(database, path)
  const statements = statementsOf(database)
  const written = new EventEmitter().setMaxListeners(0)
  let waiting: Pending[] = []

  /** Everything that waits, in one transaction: one sync to disk for all of them. */
  const flush = () => {
    const group = waiting
    waiting = []
    const settled = commitGroup(database, statements, clock, group)
    for (const settle of settled) settle()
    written.emit('commit')
  }

  return {
    commit: commit =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ commit, resolve, reject })
      }),
    head: async (tenant, stream) => headOf(statements, tenant, stream),
    async *read(tenant, stream, after) {
      yield* pages(statements, tenant, stream, after)
    },
    async *follow(tenant, stream, after, signal) {
      let last = after
      while (!signal.aborted) {
        const woken = once(written, 'commit', { signal: AbortSignal.any([signal, AbortSignal.timeout(LOOK_EVERY_MS)]) }).catch(() => null)
        for (const stored of pages(statements, tenant, stream, last)) {
          if (signal.aborted) return
          yield stored
          last = stored.event.seq
        }
        await woken
      }
    },
    async object(tenant, digest) {
      const row = statements.object.get(tenant, digest) as { bytes: Uint8Array } | undefined
      if (row === undefined) throw new Fault('object_missing', { digest })
      const bytes = Uint8Array.from(row.bytes)
      const found = digestBytes(bytes)
      if (found !== digest) throw new Fault('object_corrupt', { digest, found })
      return bytes
    },
    streams: async tenant => (statements.streams.all(tenant) as unknown as HeadRow[]).map(row => toHead(tenant, row)),
    close: async () => database.close(),
  }
}

/** A commit that is refused takes nothing with it but itself. */
function commitGroup(database: Database, statements: Statements, clock: Clock, group: readonly Pending[]): readonly (() => void)[] {
  try {
    database.exec('BEGIN IMMEDIATE')
    const settled = group.map(({ commit, resolve, reject }) => {
      database.exec('SAVEPOINT one')
      try {
        const committed = writeCommit(statements, commit, clock)
        database.exec('RELEASE one')
        return () => resolve(committed)
      } catch (error) {
        database.exec('ROLLBACK TO one; RELEASE one')
        if (!(error instanceof Fault)) throw error
        return () => reject(error)
      }
    })
    database.exec('COMMIT')
    return settled
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    return group.map(
      ({ reject }) =>
        () =>
          reject(error),
    )
  }
}

function toHead(tenant: string, { stream, seq, digest }: HeadRow): StreamHead {
  if (!isDigest(digest)) throw new Fault('object_corrupt', { digest, found: 'no digest' })
  return { tenant, stream, seq, digest: digest as Digest }
}

function headOf(statements: Statements, tenant: string, stream: string): StreamHead {
  const row = statements.head.get(tenant, stream) as HeadRow | undefined
  return row === undefined ? emptyHead(tenant, stream) : toHead(tenant, row)
}

function* pages(statements: Statements, tenant: string, stream: string, after: number): Iterable<StoredEvent> {
  let last = after
  for (;;) {
    const rows = statements.events.all(tenant, stream, last, PAGE) as unknown as { seq: number; bytes: Uint8Array }[]
    for (const { seq, bytes } of rows) {
      const event = decodeEvent(bytes)
      if (event === null) throw new Fault('event_corrupt', { stream, seq })
      yield { event, bytes: Uint8Array.from(bytes) }
      last = seq
    }
    if (rows.length < PAGE) return
  }
}
