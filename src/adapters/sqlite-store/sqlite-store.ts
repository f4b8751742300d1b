// Folder: The store in SQLite.
// The record in one SQLite file. Concurrent callers share a transaction; several processes share the file.

import { digestBytes } from '../../core/digest/digest.ts'
import { CHECKPOINTS } from '../../core/record/checkpoint.ts'
import { emptyHead, parseEvent, type StreamHead } from '../../core/record/event.ts'
import type { Projection } from '../../core/record/projection.ts'
import { RECORD_PROJECTIONS } from '../../core/record/projections.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Store, StoredEvent } from '../../ports.ts'
import { openDatabase } from './database.ts'
import { asynchronously, doubting, guarded } from './faults.ts'
import { groupOf } from './group.ts'
import { headsOf, toHead } from './heads.ts'
import { incoming } from './incoming.ts'
import { inspect } from './inspect/inspect.ts'
import { refusingTriggers } from './inspect/strange-schema.ts'
import { type AnswerKey, FIRST_ANSWER, probe, pruneAnswers } from './maintain.ts'
import { objectsOf } from './objects.ts'
import { projecting } from './projection-tables.ts'
import { isReader } from './read-only.ts'
import { currentTables, declaredIn, makeTables, rebuild } from './rebuild.ts'
import { checkVersion, migrate } from './schema.ts'
import { type EventRow, type HeadRow, type Statements, statementsOf } from './statements.ts'
import { wakerOf } from './waker.ts'
import { READ_TIMEOUT, whenFree } from './when-free.ts'
import { answerOf } from './write-commit.ts'

/** How many rows are read in one go: a reader that stops early has not paid for the rest. */
const PAGE = 256

/** @param projections what an application adds to the record's own; without it, whatever the file has */
export function sqliteStore(path: string, clock: Clock, projections?: readonly Projection[]): Store {
  const { database, all } = openStore(path, projections)
  const statements = statementsOf(database)
  const objects = objectsOf(database, statements)
  const heads = headsOf(statements)
  const tables = projecting(database, all)
  const waker = wakerOf(statements)
  const isCurrent = currentTables(database, all)
  const refuseTriggers = refusingTriggers(database, path)
  const check = () => {
    refuseTriggers()
    if (!isCurrent()) throw new Fault('store_changed', { path })
  }
  const read = <T>(work: () => T): Promise<T> => whenFree(() => guarded(path, work))
  const group = groupOf(path, { statements, heads, objects, projections: tables }, clock, check, waker.wake)

  return {
    commit: group.add,
    moment: families => guarded(path, () => waker.moment(families)),
    answer: (tenant, key) => read(() => answerOf(statements, tenant, key)),
    head: (tenant, stream) => read(() => headOf(statements, tenant, stream)),
    read: (tenant, stream, after) => onePromiseEach(eventsAfter(path, statements, tenant, stream, after)),
    pages: (tenant, stream, after) => onePromiseEach(pagesAfter(path, statements, tenant, stream, after)),
    async *follow(tenant, stream, after, signal) {
      let last = after
      while (!signal.aborted && !waker.closed) {
        const moment = waker.moment()
        const seq = guarded(path, () => heads.seqAt(waker.version(), tenant, stream))
        // A reader that was woken for another stream has nothing to read.
        if (seq === null || seq > last)
          for (const stored of eventsAfter(path, statements, tenant, stream, last)) {
            if (signal.aborted) return
            yield stored
            last = stored.event.seq
          }
        await waker.after(moment, signal)
      }
    },
    object: (tenant, digest) => read(() => objects.read(tenant, digest)),
    async writeObject(tenant, chunks) {
      const given = await incoming(chunks)
      if (!('node' in given)) return objects.writeStream(tenant, given.pieces, clock)
      await group.add({ tenant, objects: [given.node] })
      return digestBytes(given.node)
    },
    async *readObject(tenant, digest) {
      yield* objects.stream(tenant, digest)
    },
    tenants: () => read(() => (statements.tenants.all() as unknown as { tenant: string }[]).map(({ tenant }) => tenant)),
    async *streams(tenant, after = '') {
      for (let last = after; ; ) {
        const rows = guarded(path, () => statements.streams.all(tenant, last, PAGE)) as unknown as HeadRow[]
        for (const row of rows) yield toHead(tenant, row)
        if (rows.length < PAGE) return
        last = rows.at(-1)!.stream
      }
    },
    unsealed: (tenant, most, after = '') =>
      read(() => (statements.unsealed.all(tenant, CHECKPOINTS, after, most) as unknown as HeadRow[]).map(row => toHead(tenant, row))),
    rows: (table, tenant, cells, order) => asynchronously(path, tables.rows(table, tenant, cells, order)),
    collect: objects.collect,
    async pruneAnswers(before) {
      let count = 0
      for (let after: AnswerKey | null = FIRST_ANSWER; after !== null; ) {
        const from: AnswerKey = after
        const { dropped, next } = await read(() => pruneAnswers(database, statements, from, before, clock()))
        count += dropped
        after = next
        // Others write between two slices.
        await new Promise(resume => setImmediate(resume))
      }
      return count
    },
    probe: () => read(() => probe(database, statements)),
    rebuild: () => read(() => rebuild(database, all)),
    projections: all,
    inspect: async () => inspect(path, all),
    async close() {
      await group.drained()
      waker.close()
      database.close()
    },
  }
}

const OTHER_TABLES = 'another release made its tables, and it cannot be written to here; copy it to a folder of yours'

function openStore(path: string, projections: readonly Projection[] | undefined) {
  const database = openDatabase(path)
  try {
    return doubting(path, () => {
      const reads = isReader(database)
      if (reads) checkVersion(database, path)
      else {
        refusingTriggers(database, path)()
        migrate(database, path)
      }
      const all = projections === undefined ? declaredIn(database, path) : [...RECORD_PROJECTIONS, ...projections]
      if (!reads) makeTables(database, all)
      else if (!currentTables(database, all)()) throw new Fault('store_failed', { path, reason: OTHER_TABLES })
      // From here on others are served by this thread.
      database.exec(READ_TIMEOUT)
      return { database, all }
    })
  } catch (error) {
    database.close()
    throw error
  }
}

function headOf(statements: Statements, tenant: string, stream: string): StreamHead {
  const row = statements.head.get(tenant, stream) as HeadRow | undefined
  return row === undefined ? emptyHead(tenant, stream) : toHead(tenant, row)
}

/** A reader of a record reads many events, and a generator makes three promises for each. */
const onePromiseEach = <T>(items: Iterable<T>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]() {
    const iterator = items[Symbol.iterator]()
    return { next: async () => iterator.next() }
  },
})

type Events = Iterable<StoredEvent>

function* eventsAfter(path: string, statements: Statements, tenant: string, stream: string, after: number): Events {
  for (const page of pagesAfter(path, statements, tenant, stream, after)) yield* page
}

function* pagesAfter(path: string, statements: Statements, tenant: string, stream: string, after: number): Iterable<Events> {
  for (let last = after; ; ) {
    const rows = guarded(path, () => statements.events.all(tenant, stream, last, PAGE)) as unknown as EventRow[]
    yield eventsIn(stream, rows)
    if (rows.length < PAGE) return
    last = rows.at(-1)!.seq
  }
}

function* eventsIn(stream: string, rows: readonly EventRow[]): Events {
  for (const { seq, bytes } of rows) {
    const event = parseEvent(bytes)
    if (event === null || event.seq !== seq) throw new Fault('event_corrupt', { stream, seq })
    yield { event, bytes }
  }
}
