// A forger who can write the database file of a record, and has no keys: rewrites events with everything that follows from them.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../adapters/sqlite-store/database.ts'
import { digestBytes } from '../../core/digest/digest.ts'
import { decodeEvent, emptyHead, type RecordedEvent, type StreamHead, writeEvent } from '../../core/record/event.ts'

export const fileOf = (folder: string): string => join(folder, 'onbook.db')

const copies: string[] = []
/** Copies a record folder, keys and all. */
export function copyFolder(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'onbook-forged-'))
  copies.push(copy)
  cpSync(folder, copy, { recursive: true })
  return copy
}
export const removeCopies = (): void => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true })
}

export function change<T>(folder: string, work: (database: Database) => T): T {
  const database = openDatabase(fileOf(folder))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

export interface EventPlace {
  readonly tenant: string
  readonly stream: string
  readonly seq: number
  readonly type: string
}

export const eventsIn = (folder: string): readonly EventPlace[] =>
  change(folder, database =>
    (
      database
        .prepare(
          'SELECT tenant, stream, events.seq AS seq, bytes FROM events JOIN streams ON streams.id = stream_id ORDER BY tenant, stream, events.seq',
        )
        .all() as unknown as (Omit<EventPlace, 'type'> & { bytes: Uint8Array })[]
    ).map(({ tenant, stream, seq, bytes }) => ({ tenant, stream, seq, type: decodeEvent(bytes)!.type })),
  )

/** One event for each pair of kind of stream and type. */
export function oneOfEachKind(all: readonly EventPlace[]): readonly EventPlace[] {
  const found = new Map<string, EventPlace>()
  for (const place of all) {
    const kind = `${place.stream.split('/')[0]} ${place.type}`
    if (!found.has(kind)) found.set(kind, place)
  }
  return [...found.values()]
}

/** Another actor, and the payload with one text changed: digests stay, so that every reference still holds. */
export const forgedEvent = (event: RecordedEvent): RecordedEvent => ({ ...event, actor: 'mallory' })

/** Rewrites the stream from an event on: the chain, the head; and has the whole stream signed again by the next checkpoint. */
export function rewriteStream(database: Database, { tenant, stream, seq }: Omit<EventPlace, 'type'>, edit = forgedEvent): void {
  const { id } = database.prepare('SELECT id FROM streams WHERE tenant = ? AND stream = ?').get(tenant, stream) as { id: number }
  const rows = database.prepare('SELECT seq, bytes FROM events WHERE stream_id = ? ORDER BY seq').all(id) as unknown as {
    seq: number
    bytes: Uint8Array
  }[]
  const put = database.prepare('UPDATE events SET bytes = ? WHERE stream_id = ? AND seq = ?')
  let head: StreamHead = emptyHead(tenant, stream)
  for (const row of rows) {
    const event = decodeEvent(row.bytes)!
    if (row.seq < seq) head = { ...head, seq: row.seq, digest: digestBytes(row.bytes) }
    else {
      const written = writeEvent(head, row.seq === seq ? edit(event) : event, event.at)
      put.run(written.bytes, id, row.seq)
      head = written.head
    }
  }
  database.prepare('UPDATE streams SET digest = ?, sealed = -1 WHERE id = ?').run(head.digest, id)
}

/** Takes the end of a stream away, with everything that hangs on it. */
export function cutStream(database: Database, { tenant, stream, seq }: Omit<EventPlace, 'type'>): void {
  const { id } = database.prepare('SELECT id FROM streams WHERE tenant = ? AND stream = ?').get(tenant, stream) as { id: number }
  for (const table of ['events', 'refs']) database.prepare(`DELETE FROM ${table} WHERE stream_id = ? AND seq >= ?`).run(id, seq)
  if (seq === 0) database.prepare('DELETE FROM streams WHERE id = ?').run(id)
  else {
    const { bytes } = database.prepare('SELECT bytes FROM events WHERE stream_id = ? AND seq = ?').get(id, seq - 1) as { bytes: Uint8Array }
    database.prepare('UPDATE streams SET seq = ?, digest = ?, sealed = -1 WHERE id = ?').run(seq - 1, digestBytes(bytes), id)
  }
}

/** Hides every trace of what was signed outside the checkpoints themselves. */
export function forgetSeals(database: Database): void {
  database.exec('UPDATE streams SET sealed = -1; DELETE FROM p_seals')
}
