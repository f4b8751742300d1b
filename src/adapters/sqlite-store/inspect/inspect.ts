// Reads the whole store for a verification, on its own connection, unjudged. Reads each stream up to its head at the start. No transaction
// lasts
// longer than a page or a table, so that the log of a busy host does not grow during a verification.
import { type Digest, digestBytes } from '../../../core/digest/digest.ts'
import type { Projection } from '../../../core/record/projection.ts'
import { beginsAsNode } from '../../../core/record/references.ts'
import { Fault } from '../../../errors.ts'
import type { Inspection, ObjectPage, RawEvent, RawObject } from '../../../ports.ts'
import { type Database, openDatabase } from '../database.ts'
import { asynchronously, doubting } from '../faults.ts'
import { CHUNK } from '../incoming.ts'
import { readChunks } from '../objects.ts'
import { projecting, projectionTableNames } from '../projection-tables.ts'
import { declaredIn } from '../rebuild.ts'
import { checkVersion } from '../schema.ts'
import { type HeadRow, statementsOf } from '../statements.ts'
import { fixLimits } from './inspect-limits.ts'
import { inspectLinks, nameOf } from './inspect-links.ts'
import { strangeSchema } from './strange-schema.ts'

const PAGE = 512
const OBJECT_PAGE = 64

type SealedRow = HeadRow & { readonly sealed: number }
type ObjectRow = [id: number, tenant: string, hex: string, size: number | null, bytes: unknown, linked: number, isReferenced: number]

/** A file as it lies there: nothing is brought up to date, nothing is made again. @param tenant only this one; default: all */
export function inspectFile(
  path: string,
  tenant: string | null = null,
): { readonly inspection: Inspection; readonly projections: readonly Projection[] } {
  const projections = declarationIn(path)
  return { inspection: inspect(path, projections, tenant), projections }
}

function declarationIn(path: string): readonly Projection[] {
  const database = openDatabase(path)
  try {
    return doubting(path, () => {
      checkVersion(database, path)
      return declaredIn(database, path)
    })
  } finally {
    database.close()
  }
}

export function inspect(path: string, projections: readonly Projection[], tenant: string | null = null): Inspection {
  const database = openDatabase(path)
  try {
    return doubting(path, () => inspectionOf(path, database, projections, tenant))
  } catch (error) {
    database.close()
    throw error
  }
}

function inspectionOf(path: string, database: Database, projections: readonly Projection[], only: string | null): Inspection {
  const limits = fixLimits(database)
  const statements = statementsOf(database)
  const tables = projecting(database, projections)
  const references = database.prepare(
    'SELECT refs.seq, lower(hex(objects.digest)) FROM refs LEFT JOIN objects ON objects.id = refs.object_id AND objects.tenant = ? WHERE refs.stream_id = ? AND refs.seq >= ? AND refs.seq <= ? ORDER BY refs.seq',
  )
  references.setReturnArrays(true)
  // Numbers that no record can hold are read as none.
  const eventPage = database.prepare(
    `SELECT CASE WHEN seq < 0 THEN -1 WHEN seq <= ${Number.MAX_SAFE_INTEGER} THEN seq END AS seq, bytes FROM events WHERE stream_id = ?1 AND seq > ?2 AND (seq <= ?4 OR seq > (SELECT MAX(streams.seq, ?4) FROM streams WHERE streams.id = ?1)) ORDER BY events.seq LIMIT ?3`,
  )
  const streamAt = database.prepare(
    `SELECT id, MAX(-1, MIN(seq, ${Number.MAX_SAFE_INTEGER})) AS seq FROM temp.fixed WHERE tenant = ? AND stream = ?`,
  )
  const selectStreams = `SELECT id, stream, MAX(-1, MIN(seq, ${Number.MAX_SAFE_INTEGER})) AS seq, digest, MAX(-2, MIN(sealed, ${Number.MAX_SAFE_INTEGER})) AS sealed FROM temp.fixed WHERE tenant = ?`
  const firstStreams = database.prepare(`${selectStreams} ORDER BY stream LIMIT ?`)
  const moreStreams = database.prepare(`${selectStreams} AND stream > ? ORDER BY stream LIMIT ?`)
  const objectPage = database.prepare(
    "SELECT id, tenant, CASE typeof(digest) WHEN 'blob' THEN lower(hex(digest)) ELSE '' END, size, bytes, EXISTS (SELECT 1 FROM links WHERE parent_id = objects.id), EXISTS (SELECT 1 FROM refs WHERE object_id = objects.id) OR EXISTS (SELECT 1 FROM links WHERE object_id = objects.id) FROM objects WHERE id > ?1 AND id <= ?2 AND (?4 IS NULL OR tenant = ?4) ORDER BY id LIMIT ?3",
  )
  objectPage.setReturnArrays(true)
  const links = inspectLinks(database)
  const declared = new Set(projections.map(({ table }) => `p_${table}`))
  // Any other is named as one that the record does not have.
  const isDeclared = (name: string): boolean => declared.has(name)
  const stray = [
    'SELECT COUNT(*) AS n FROM events WHERE stream_id NOT IN (SELECT id FROM streams)',
    'SELECT COUNT(*) AS n FROM refs WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.stream_id = refs.stream_id AND events.seq = refs.seq)',
    'SELECT COUNT(*) AS n FROM links WHERE parent_id NOT IN (SELECT id FROM objects)',
    `SELECT COUNT(*) AS n FROM chunks WHERE -object_id NOT IN (SELECT id FROM uploads) AND NOT EXISTS (SELECT 1 FROM objects WHERE objects.id = object_id AND objects.bytes IS NULL AND n >= 0 AND n * ${CHUNK} < objects.size)`,
    ...projectionTableNames(database)
      .filter(isDeclared)
      .map(name => `SELECT COUNT(*) AS n FROM "${name}" WHERE stream_id NOT IN (SELECT id FROM streams) OR typeof(seq) <> 'integer'`),
  ].map(text => database.prepare(text))

  function* eventPages(tenant: string, stream: string): Iterable<readonly RawEvent[]> {
    const { id, seq: end } = (streamAt.get(tenant, stream) ?? {}) as { id?: number; seq?: number }
    if (id === undefined || end === undefined) return
    for (let last = Number.NEGATIVE_INFINITY; ; ) {
      const rows = eventPage.all(id, last, PAGE, end) as unknown as { seq: number | null; bytes: unknown }[]
      if (rows.length === 0) return
      const spoken = new Map<number, string[]>()
      const [from, to] = [rows[0]!.seq, rows.findLast(({ seq }) => seq !== null)?.seq ?? null]
      for (const [seq, hex] of references.all(tenant, id, from, to) as unknown as [seq: number, hex: string][])
        spoken.set(seq, [...(spoken.get(seq) ?? []), nameOf(hex)])
      yield rows.map(({ seq, bytes }) => ({ seq: seq ?? Number.NaN, bytes: bytesOf(bytes), references: spoken.get(seq ?? -1) ?? NONE }))
      const next = rows.at(-1)!.seq
      if (rows.length < PAGE || next === null) return
      if (next <= last) throw goesInCircles()
      last = next
    }
  }

  function* streamPages(tenant: string): Iterable<SealedRow> {
    let rows = firstStreams.all(tenant, PAGE) as unknown as SealedRow[]
    for (let last: string | null = null; ; ) {
      yield* rows
      if (rows.length < PAGE) return
      const next: string = rows.at(-1)!.stream
      if (last !== null && Buffer.compare(Buffer.from(next), Buffer.from(last)) <= 0) throw goesInCircles()
      last = next
      rows = moreStreams.all(tenant, last, PAGE) as unknown as SealedRow[]
    }
  }

  function* objectPages(): Iterable<ObjectPage> {
    for (let last = Number.NEGATIVE_INFINITY; ; ) {
      const rows = objectPage.all(last, limits.lastObject, OBJECT_PAGE, only) as unknown as ObjectRow[]
      if (rows.length === 0) return
      const wrong: RawObject[] = []
      const missized: { readonly tenant: string; readonly digest: string }[] = []
      for (const [id, tenant, hex, size, bytes, linked] of rows) {
        const digest = nameOf(hex)
        const { found, node, length } = size === null ? GONE : bytes === null ? readChunks(path, statements, id) : readWhole(bytesOf(bytes))
        if (found === digest && length !== size) missized.push({ tenant, digest })
        if (found !== digest) wrong.push({ tenant, digest, found })
        // One at a time: they may be large.
        if (node !== null || linked === 1)
          yield {
            count: 0,
            loose: 0,
            wrong: wrong.splice(0),
            missized: NONE,
            nodes: [{ tenant, digest, bytes: node ?? NOTHING, references: links.references(tenant, id) }],
          }
        last = id
      }
      yield { count: rows.length, loose: rows.filter(row => row[6] === 0).length, wrong, missized, nodes: NONE }
    }
  }

  const goesInCircles = () => new Fault('store_corrupt', { path, reason: 'rows are out of order' })

  const countStrays = (): number => {
    const found = stray.reduce((sum, counting) => sum + (counting.get() as { n: number }).n, 0)
    if (found > 0) return found
    // Index and table must agree. Beside a host that writes, one table at a time.
    const checks = limits.isQuiet() ? ['PRAGMA integrity_check(1)'] : tableNames(database).map(name => `PRAGMA integrity_check("${name}")`)
    for (const check of checks) {
      const { integrity_check: said } = database.prepare(check).get() as { integrity_check: string }
      if (said !== 'ok') throw new Fault('store_corrupt', { path, reason: said })
    }
    return 0
  }

  const countOf = (table: string): number => (database.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get() as { n: number }).n
  const paged = <T>(items: Iterable<T>): AsyncIterable<T> => asynchronously(path, items)

  return {
    // A damaged index may name one twice.
    tenants: async () =>
      doubting(path, () => [...new Set((statements.tenantsOfRows.all() as unknown as { tenant: string }[]).map(({ tenant }) => tenant))]),
    streams: tenant =>
      paged(mapped(streamPages(tenant), ({ stream, seq, digest, sealed }) => ({ tenant, stream, seq, digest: digest as Digest, sealed }))),
    events: (tenant, stream) => paged(eventPages(tenant, stream)),
    objects: () => paged(objectPages()),
    row: async (table, tenant, stream, key) => doubting(path, () => tables.row(table, tenant, stream, key)),
    rows: table => paged(tables.allRows(table)),
    referrer: async (tenant, digest) => doubting(path, () => links.referrer(tenant, digest)),
    isMoved: async (tenant, stream) => doubting(path, () => limits.isMoved(tenant, stream)),
    strays: async () => doubting(path, countStrays),
    schema: async () => doubting(path, () => strangeSchema(database, projections)),
    unproven: async () => doubting(path, () => ({ answers: countOf('answers'), uploads: countOf('uploads') })),
    close: async () => database.close(),
  }
}

const tableNames = (database: Database): readonly string[] =>
  (database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as unknown as { name: string }[]).map(({ name }) =>
    name.replaceAll('"', '""'),
  )

const NONE: readonly never[] = []
const NOTHING = new Uint8Array()
const GONE = { found: null, node: null, length: null }

const readWhole = (bytes: Uint8Array) => ({
  found: digestBytes(bytes),
  node: beginsAsNode(bytes) ? bytes : null,
  length: bytes.length,
})

/** Nothing, when tampering has made text of it: who reads the record would find no bytes there either. */
const bytesOf = (value: unknown): Uint8Array => (value instanceof Uint8Array ? value : new Uint8Array())

function* mapped<A, B>(items: Iterable<A>, map: (item: A) => B): Iterable<B> {
  for (const item of items) yield map(item)
}
