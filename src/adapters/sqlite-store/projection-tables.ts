// Projections as SQLite tables: created from their declaration, filled event by event.
import type { RecordedEvent } from '../../core/record/event.ts'
import {
  type Cell,
  type Change,
  type ProjectedRow,
  type Projection,
  projectorOf,
  type Row,
  type RowChange,
} from '../../core/record/projection.ts'
import { Fault } from '../../errors.ts'
import type { RowOrder } from '../../ports.ts'
import type { Database, Statement } from './database.ts'

/** Rows read in one go: few at first, since most who read want no more than that. */
const FIRST_PAGE = 64
const PAGE = 256
const OWNER = 'stream_id'

const sql = (name: string): string => `"${name.replaceAll('"', '""')}"`
const list = (names: readonly string[]): string => names.map(sql).join(', ')
const marks = (names: readonly string[]): string => names.map(() => '?').join(', ')
const tableOf = ({ table }: Projection): string => sql(`p_${table}`)
const columnOf = (column: string): string => `c_${column}`
const keyOf = ({ key }: Projection): readonly string[] => [OWNER, ...key.map(columnOf)]

export function createTables(database: Database, projections: readonly Projection[]): void {
  for (const projection of projections) {
    const columns = Object.entries(projection.columns).map(([name, type]) => `${sql(columnOf(name))} ${type.toUpperCase()}`)
    database.exec(
      `CREATE TABLE ${tableOf(projection)} (tenant TEXT NOT NULL, stream_id INTEGER NOT NULL, seq INTEGER NOT NULL, ${columns.join(', ')}, UNIQUE (${list(keyOf(projection))}))`,
    )
    for (const [n, index] of (projection.indexes ?? []).entries())
      database.exec(`CREATE INDEX ${sql(`p_${projection.table}_${n}`)} ON ${tableOf(projection)} (tenant, ${list(index.map(columnOf))})`)
  }
}

export function dropTables(database: Database): void {
  for (const name of projectionTableNames(database)) database.exec(`DROP TABLE ${sql(name)}`)
}

export function projectionTableNames(database: Database): readonly string[] {
  const found = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'p\\_%' ESCAPE '\\'").all() as unknown
  return (found as { name: string }[]).map(({ name }) => name)
}

export interface Projecting {
  apply(event: RecordedEvent, streamId: number): void
  /** Applies one event's change to one table. */
  write(change: RowChange, tenant: string, streamId: number, seq: number): void
  row(table: string, tenant: string, stream: string, key: readonly Cell[]): ProjectedRow | null
  /** Oldest first, or by a column. Others may write meanwhile. */
  rows(table: string, tenant: string, cells?: Row, order?: RowOrder): Iterable<ProjectedRow>
  /** In order of tenant, stream and key. No connection may write meanwhile. */
  allRows(table: string): Iterable<ProjectedRow>
}

/** In a database that has the table `streams`. */
export function projecting(database: Database, projections: readonly Projection[]): Projecting {
  const project = projectorOf(projections)
  const byTable = new Map(projections.map(projection => [projection.table, projection]))
  const writers = new Map<Change, Statement>()
  const readers = new Map<string, Statement>()
  /** For statements that are read to their end at once: one that is shared must not be left half-way. */
  const prepared = (text: string): Statement => {
    const known = readers.get(text) ?? database.prepare(text)
    readers.set(text, known)
    return known
  }
  const projectionOf = (table: string): Projection => {
    const projection = byTable.get(table)
    if (projection === undefined) throw new Fault('table_unknown', { table })
    return projection
  }
  const writerOf = (change: RowChange): Statement => {
    const known = writers.get(change.by) ?? database.prepare(writeText(projectionOf(change.table), change))
    writers.set(change.by, known)
    return known
  }
  const select = (projection: Projection, rest: string): Statement =>
    database.prepare(
      `SELECT streams.stream, p.rowid AS id, p.* FROM streams CROSS JOIN ${tableOf(projection)} AS p ON p.stream_id = streams.id ${rest}`,
    )

  const write = (change: RowChange, tenant: string, streamId: number, seq: number): void => {
    const writer = writerOf(change)
    if (change.kind === 'drop') writer.run(streamId, ...change.key)
    else writer.run(tenant, seq, streamId, ...change.key, ...Object.values(change.cells))
  }

  return {
    write,
    apply: (event, streamId) => {
      for (const change of project(event)) write(change, event.tenant, streamId, event.seq)
    },
    row(table, tenant, stream, key) {
      const projection = projectionOf(table)
      const wanted = ['streams.tenant = ?', 'streams.stream = ?', ...projection.key.map(column => `p.${sql(columnOf(column))} = ?`)]
      const found = select(projection, `WHERE ${wanted.join(' AND ')}`).get(tenant, stream, ...key)
      return found === undefined ? null : toRow(projection, found as Raw)
    },
    *rows(table, tenant, cells = {}, order) {
      const projection = projectionOf(table)
      const unknown = [...Object.keys(cells), ...(order ? [order.by] : [])].find(column => !Object.hasOwn(projection.columns, column))
      if (unknown !== undefined) throw new Fault('table_unknown', { table: `${table}.${unknown}` })
      const by = order === undefined ? null : `p.${sql(columnOf(order.by))}`
      const [direction, beyond] = order?.descending === true ? [' DESC', '<'] : ['', '>']
      const wanted = ['p.tenant = ?', ...Object.keys(cells).map(column => `p.${sql(columnOf(column))} = ?`)]
      const from = (after: string): Statement =>
        prepared(
          `SELECT streams.stream, p.rowid AS id, p.* FROM ${tableOf(projection)} AS p LEFT JOIN streams ON streams.id = p.stream_id WHERE ${[...wanted, after].join(' AND ')} ORDER BY ${by === null ? '' : `${by}${direction}, `}p.rowid${direction} LIMIT ?`,
        )
      const given = [tenant, ...Object.values(cells)]
      let page = by === null ? from('p.rowid > ?') : from(`${by} ${order?.after === undefined ? '>' : beyond} ?`)
      let last: readonly Cell[] = by === null ? [0] : [order?.after ?? '']
      for (let most = FIRST_PAGE; ; most = PAGE) {
        const found = page.all(...given, ...last, most) as unknown as Raw[]
        for (const raw of found) yield toRow(projection, raw)
        if (found.length < most) return
        const end = found.at(-1)!
        if (order === undefined) last = [end.id!]
        else {
          page = from(`(${by}, p.rowid) ${beyond} (?, ?)`)
          last = [end[columnOf(order.by)]!, end.id!]
        }
      }
    },
    *allRows(table) {
      const projection = projectionOf(table)
      const order = ['streams.tenant', 'streams.stream', ...projection.key.map(column => `p.${sql(columnOf(column))}`)]
      for (const raw of select(projection, `ORDER BY ${order.join(', ')}`).iterate()) yield toRow(projection, raw as Raw)
    },
  }
}

function writeText(projection: Projection, { kind, cells }: RowChange): string {
  const key = keyOf(projection)
  if (kind === 'drop') return `DELETE FROM ${tableOf(projection)} WHERE ${key.map(name => `${sql(name)} = ?`).join(' AND ')}`
  const others = Object.keys(cells).map(columnOf)
  const changes = ['seq', ...others].map(name => `${sql(name)} = excluded.${sql(name)}`).join(', ')
  const names = ['tenant', 'seq', ...key, ...others]
  return `INSERT INTO ${tableOf(projection)} (${list(names)}) VALUES (${marks(names)}) ON CONFLICT (${list(key)}) DO UPDATE SET ${changes}`
}

type Raw = Readonly<Record<string, Cell>>

function toRow({ columns }: Projection, raw: Raw): ProjectedRow {
  const cells = Object.fromEntries(Object.keys(columns).map(column => [column, raw[columnOf(column)] ?? null]))
  return { tenant: String(raw.tenant), stream: String(raw.stream), seq: Number(raw.seq), cells }
}
