// A small record with everything in it, and the means to do harm to copies of it behind the store's back.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileKeyring } from '../../adapters/keys/file-keyring.ts'
import { signatureChecker } from '../../adapters/keys/public-keys.ts'
import { type Database, openDatabase } from '../../adapters/sqlite-store/database.ts'
import { inspect } from '../../adapters/sqlite-store/inspect/inspect.ts'
import { scratchTables } from '../../adapters/sqlite-store/inspect/scratch-tables.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { verifyFile } from '../../book/verify-file.ts'
import { type Digest, digestBytes, type Json } from '../../core/digest/digest.ts'
import {
  CHECKPOINTS,
  checkpointDraft,
  nextStatement,
  readCheckpoint,
  type Statement,
  statementBytes,
} from '../../core/record/checkpoint.ts'
import { decodeEvent, type EventDraft, emptyHead, type RecordedEvent, type StreamHead, writeEvent } from '../../core/record/event.ts'
import { RECORD_PROJECTIONS } from '../../core/record/projections.ts'
import { eraseObject } from '../../engine/record/erase.ts'
import { sealStreams } from '../../engine/record/seal.ts'
import { readAnchors, writeAnchor } from '../../engine/verify/anchors.ts'
import { type Break, type Verified, verifyRecord } from '../../engine/verify/verify.ts'
import type { CheckSignature, Keyring, Store } from '../../ports.ts'
import { CONTRACT_PROJECTIONS } from '../contract/place.ts'

export const ACME = 'acme'
export const ODD = 'Ünï %_\\ \'";-- 日本 😀'
export const RUN = 'run/42'
export const STRANGE = 'ström \'";-- %_ 日本/😀'
export const LATE = 'zz/late'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const LEAVES = {
  small: encoder.encode('a small object'),
  other: encoder.encode('one small object'),
  page: encoder.encode('a page in a folder'),
  gone: encoder.encode('what must be forgotten'),
}
const nodeOf = (entries: readonly Uint8Array[], more: Json = null): Uint8Array =>
  encoder.encode(JSON.stringify({ $node: 'tree', entries: entries.map(digestBytes), more }))
const folderNode = nodeOf([LEAVES.page, LEAVES.gone], { seenHash: digestBytes(LEAVES.other) })

export const OBJECTS = {
  ...LEAVES,
  folder: folderNode,
  tree: nodeOf([folderNode, LEAVES.small]),
  /** Too large to lie in one piece. */
  list: nodeOf([LEAVES.page], 'x'.repeat(300_000)),
  empty: new Uint8Array(),
  shared: encoder.encode('both tenants have it'),
  loose: encoder.encode('written, and nothing speaks of it'),
  collected: encoder.encode('written, forgotten and swept up'),
  big: Uint8Array.from({ length: 600_000 }, (_, n) => (n * 31 + (n >> 8)) % 251),
}
export type ObjectName = keyof typeof OBJECTS
export const digestOf = (name: ObjectName): Digest => digestBytes(OBJECTS[name])

export interface TamperRecord {
  readonly path: string
  /** The file as it was before the anchor was written. */
  readonly earlier: string
  readonly anchor: string
  readonly keyring: Keyring
  readonly check: CheckSignature
  /** Knows the first key only. */
  readonly checkFirst: CheckSignature
}

function tickingClock(): () => string {
  let now = Date.parse('2026-01-01T00:00:00.000Z')
  return () => {
    now += 1000
    return new Date(now).toISOString()
  }
}

/** Everything is in one folder, so that it can go when the tests have ended. */
const root = mkdtempSync(join(tmpdir(), 'onbook-tamper-'))
export const removeRecords = (): void => rmSync(root, { recursive: true, force: true })
const folder = () => mkdtempSync(join(root, 'copy-'))
export const happened = (n: number, body: Json = `text ${n}`, actor = 'ada'): EventDraft => ({
  type: 'thing.happened',
  actor,
  payload: { n, body },
})
const undone = (n: number): EventDraft => ({ type: 'thing.undone', actor: 'bob', payload: { n } })
const listed = (...all: Json[]): EventDraft => ({ type: 'thing.listed', actor: 'ada', cause: 'req-1', payload: { all } })

async function add(store: Store, tenant: string, stream: string, entries: readonly EventDraft[], objects: readonly ObjectName[] = []) {
  const { seq } = await store.head(tenant, stream)
  await store.commit({ tenant, objects: objects.map(name => OBJECTS[name]), appends: [{ stream, expected: seq, entries }] })
}

/** `run/42` has events 0 to 8; checkpoints cover it up to 2, 4, 5 and 6. The anchor holds checkpoint 2. */
export async function makeRecord(): Promise<TamperRecord> {
  const place = folder()
  const path = join(place, 'onbook.db')
  const clock = tickingClock()
  const keyring = fileKeyring(join(place, 'keys'), clock)
  const open = () => sqliteStore(path, clock, CONTRACT_PROJECTIONS)
  const before = open()

  const write = add.bind(null, before)
  await write(ACME, RUN, [happened(0, digestOf('small')), happened(1), listed({ who: 'eve', n: 7 }, { who: 'é😀', n: null })], ['small'])
  await write(ACME, STRANGE, [happened(1, { deep: [digestOf('other'), 'ö'] }), happened(2, { bodyHash: digestOf('small') })], ['other'])
  await write(
    ACME,
    'run/43',
    [happened(0, digestOf('shared')), happened(1, digestOf('empty')), happened(2, [digestOf('tree'), digestOf('list')])],
    [...(['shared', 'empty', 'tree', 'folder', 'list', 'page', 'gone', 'small'] as const)],
  )
  await write(ODD, RUN, [happened(0, digestOf('shared')), happened(1)], ['shared'])
  await sealStreams(before, keyring, ACME)
  const big = await before.writeObject(ACME, [OBJECTS.big])
  await write(ACME, RUN, [happened(3, [big, digestOf('gone'), digestOf('small')]), undone(1)])
  await eraseObject(before, { tenant: ACME, digest: digestOf('gone'), actor: 'eve', why: 'asked to, in writing' })
  await before.commit({ tenant: ACME, objects: [OBJECTS.collected] })
  await before.collect('2030-01-01T00:00:00.000Z')
  const firstKey = await keyring.publicKeys()
  await keyring.rotate('sign')
  await sealStreams(before, keyring, ACME)
  await sealStreams(before, keyring, ODD)
  await before.close()
  emptyLog(path)
  const earlier = copyOf(path)

  const store = open()
  await add(store, ACME, RUN, [happened(5, digestOf('small'))])
  const { text: anchor } = await writeAnchor(store, keyring)
  await add(store, ACME, RUN, [happened(6)])
  await sealStreams(store, keyring, ACME)
  await add(store, ACME, RUN, [happened(7), happened(8, digestOf('other'))])
  await add(store, ACME, LATE, [happened(0), happened(1), happened(2)])
  await store.commit({ tenant: ACME, objects: [OBJECTS.loose] })
  await store.close()
  emptyLog(path)
  const checkers = { check: signatureChecker(await keyring.publicKeys()), checkFirst: signatureChecker(firstKey) }
  return { path, earlier, anchor, keyring, ...checkers }
}

/** Moves all data into the file itself, so that nothing is beside it. */
function emptyLog(path: string): void {
  const database = openDatabase(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

export function copyOf(path: string): string {
  const copy = join(folder(), 'onbook.db')
  copyFileSync(path, copy)
  return copy
}

export async function damagedCopy(path: string, damage: (database: Database) => unknown): Promise<string> {
  const copy = copyOf(path)
  const database = openDatabase(copy)
  try {
    await damage(database)
  } finally {
    database.close()
  }
  return copy
}

export interface Verifying {
  /** Compare with the anchor. */
  readonly anchored?: boolean
  readonly check?: CheckSignature | null
}

export function verifyCopy(
  record: TamperRecord,
  path: string,
  { anchored = false, check = record.check }: Verifying = {},
): Promise<Verified> {
  return verifyFile(path, { check, anchors: anchored ? readAnchors('anchor', record.anchor, record.check) : [] })
}

/** The same, with nothing that opening a store does before: the file is only read, with projections that do not come from it. */
export async function verifyUnopened({ check }: TamperRecord, path: string): Promise<Verified> {
  const projections = [...RECORD_PROJECTIONS, ...CONTRACT_PROJECTIONS]
  const inspection = inspect(path, projections)
  const scratch = scratchTables(projections)
  try {
    return await verifyRecord(inspection, { projections, scratch, check })
  } finally {
    scratch.close()
    await inspection.close()
  }
}

/** The forger's last step: makes every table fit the events. */
export async function rebuilt(path: string): Promise<string> {
  const store = sqliteStore(path, tickingClock(), CONTRACT_PROJECTIONS)
  await store.rebuild()
  await store.close()
  return path
}

// --- Reading and changing what lies there.

const one = (database: Database, sql: string, ...values: (string | number)[]) =>
  database.prepare(sql).get(...values) as Record<string, unknown> | undefined

export const streamId = (database: Database, stream: string, tenant = ACME): number =>
  one(database, 'SELECT id FROM streams WHERE tenant = ? AND stream = ?', tenant, stream)?.id as number

export const objectId = (database: Database, name: ObjectName, tenant = ACME): number =>
  one(database, 'SELECT id FROM objects WHERE tenant = ? AND lower(hex(digest)) = ?', tenant, digestOf(name).slice('sha256:'.length))
    ?.id as number

export const eventBytes = (database: Database, stream: string, seq: number, tenant = ACME): Uint8Array =>
  one(database, 'SELECT bytes FROM events WHERE stream_id = ? AND seq = ?', streamId(database, stream, tenant), seq)?.bytes as Uint8Array

export const eventAt = (database: Database, stream: string, seq: number, tenant = ACME): RecordedEvent =>
  decodeEvent(eventBytes(database, stream, seq, tenant))!

export function putBytes(database: Database, stream: string, seq: number, bytes: Uint8Array, tenant = ACME): void {
  database
    .prepare('INSERT OR REPLACE INTO events (stream_id, seq, bytes) VALUES (?, ?, ?)')
    .run(streamId(database, stream, tenant), seq, bytes)
}

export const putEvent = (database: Database, stream: string, seq: number, event: object, tenant = ACME): void =>
  putBytes(database, stream, seq, encoder.encode(JSON.stringify(event)), tenant)

/** Changes one byte: that of the character `offset` places into `text`, which occurs once in the event. */
export function flip(database: Database, stream: string, seq: number, text: string, offset: number, to: string, tenant = ACME): void {
  const bytes = eventBytes(database, stream, seq, tenant)
  const written = decoder.decode(bytes)
  const at = encoder.encode(written.slice(0, written.indexOf(text) + offset)).length
  if (!written.includes(text) || bytes[at] === to.charCodeAt(0)) throw new Error(`nothing to flip in ${written}`)
  const changed = Uint8Array.from(bytes)
  changed[at] = to.charCodeAt(0)
  putBytes(database, stream, seq, changed, tenant)
}

export function headOf(database: Database, stream: string, seq: number, tenant = ACME): StreamHead {
  return seq < 0 ? emptyHead(tenant, stream) : { tenant, stream, seq, digest: digestBytes(eventBytes(database, stream, seq, tenant)) }
}

/** Sets the row of the stream to its event at `seq`. */
export function moveHead(database: Database, stream: string, seq: number, tenant = ACME): void {
  const { digest } = headOf(database, stream, seq, tenant)
  database.prepare('UPDATE streams SET seq = ?, digest = ? WHERE id = ?').run(seq, digest, streamId(database, stream, tenant))
}

export function lastOf(database: Database, stream: string, tenant = ACME): number {
  return one(database, 'SELECT MAX(seq) AS seq FROM events WHERE stream_id = ?', streamId(database, stream, tenant))?.seq as number
}

/** Writes the events from `from` on again, chained anew, with the head moved: what a careful forger does. */
export function rewrite(database: Database, stream: string, from: number, edit: (event: RecordedEvent) => EventDraft, tenant = ACME): void {
  const last = lastOf(database, stream, tenant)
  for (let seq = from; seq <= last; seq++) {
    const event = eventAt(database, stream, seq, tenant)
    const { bytes } = writeEvent(headOf(database, stream, seq - 1, tenant), edit(event), event.at)
    putBytes(database, stream, seq, bytes, tenant)
  }
  moveHead(database, stream, last, tenant)
}

/** Signs every checkpoint from `from` on again, with the true key, for heads as they are now. */
export async function resign(database: Database, keyring: Keyring, from: number): Promise<void> {
  const last = lastOf(database, CHECKPOINTS)
  for (let seq = from; seq <= last; seq++) {
    const old = readCheckpoint(eventAt(database, CHECKPOINTS, seq))!.statement
    const heads = old.heads.map(head => headOf(database, head.stream, head.seq))
    await putCheckpoint(database, keyring, seq, nextStatement(headOf(database, CHECKPOINTS, seq - 1), heads))
  }
  moveHead(database, CHECKPOINTS, last)
}

async function putCheckpoint(database: Database, keyring: Keyring, seq: number, statement: Statement): Promise<void> {
  const draft = checkpointDraft(statement, await keyring.sign(statementBytes(statement)), 'onbook')
  putBytes(database, CHECKPOINTS, seq, writeEvent(headOf(database, CHECKPOINTS, seq - 1), draft, '2026-01-01T00:00:00.000Z').bytes)
}

/** Drops what comes after `seq`, with everything that hangs on it. */
export function truncate(database: Database, stream: string, seq: number, tenant = ACME): void {
  const id = streamId(database, stream, tenant)
  for (const table of ['events', 'refs']) database.prepare(`DELETE FROM ${table} WHERE stream_id = ? AND seq > ?`).run(id, seq)
  if (seq < 0) database.prepare('DELETE FROM streams WHERE id = ?').run(id)
  else moveHead(database, stream, seq, tenant)
}

// --- Breaks as one line each, with the names of objects and events instead of their digests.

export function describeBreaks(record: TamperRecord, breaks: readonly Break[]): readonly string[] {
  const names = namesIn(record)
  return breaks.map(({ tenant, stream, sequence, table, digest, node, code }) =>
    [tenant, stream, sequence, table, code, digest, node && `in ${node}`]
      .filter(part => part !== undefined && part !== null && part !== '')
      .join(' ')
      .replaceAll(/sha256:[0-9a-f]*/g, found => names.get(found) ?? '?'),
  )
}

function namesIn({ path }: TamperRecord): ReadonlyMap<string, string> {
  const database = openDatabase(path)
  const names = new Map<string, string>(Object.keys(OBJECTS).map(name => [digestOf(name as ObjectName), `*${name}`]))
  const rows = database.prepare('SELECT stream, events.seq, bytes FROM events JOIN streams ON streams.id = stream_id').all()
  for (const { stream, seq, bytes } of rows as { stream: string; seq: number; bytes: Uint8Array }[])
    names.set(digestBytes(bytes), `=${stream}@${seq}`)
  database.close()
  return names
}

/** Everything the record says, read without our code. Left out is by what nothing is decided: sizes, ages, and what to sign next. */
export function dump(path: string): string {
  const database = openDatabase(path)
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'p_*' ORDER BY name").all()
    const queries = [
      'SELECT * FROM events NOT INDEXED',
      'SELECT id, tenant, stream, seq, digest FROM streams NOT INDEXED',
      'SELECT id, tenant, digest, size IS NULL, bytes FROM objects NOT INDEXED',
      'SELECT object_id, n, bytes FROM chunks NOT INDEXED',
      'SELECT * FROM refs NOT INDEXED',
      'SELECT * FROM links NOT INDEXED',
      ...(tables as { name: string }[]).map(({ name }) => `SELECT * FROM ${name} NOT INDEXED`),
    ]
    const shown = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)
    const linesOf = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map(row => JSON.stringify(Object.values(row).map(shown)))
    return queries.flatMap(sql => [sql, ...linesOf(sql).sort()]).join('\n')
  } finally {
    database.close()
  }
}
