// The projection tables of the store in memory.
import type { RecordedEvent } from '../../core/record/event.ts'
import {
  type Cell,
  compareCells,
  keyOfRow,
  type ProjectedRow,
  type Projection,
  projectorOf,
  type Row,
} from '../../core/record/projection.ts'
import { signedHeads } from '../../core/record/projections.ts'
import { Fault } from '../../errors.ts'
import type { ProjectionTables, RowOrder } from '../../ports.ts'

export interface MemoryTables {
  apply(event: RecordedEvent): void
  row(table: string, tenant: string, stream: string, key: readonly Cell[]): ProjectedRow | null
  /** Oldest first, or by a column. */
  rows(table: string, tenant: string, cells?: Row, order?: RowOrder): readonly ProjectedRow[]
  /** In order of tenant, stream and key. */
  allRows(table: string): readonly ProjectedRow[]
  clear(): void
}

export function memoryTables(projections: readonly Projection[]): MemoryTables {
  const project = projectorOf(projections)
  const tables = new Map(projections.map(projection => [projection.table, { projection, rows: new Map<string, ProjectedRow>() }]))
  const tableOf = (table: string) => {
    const found = tables.get(table)
    if (found === undefined) throw new Fault('table_unknown', { table })
    return found
  }

  return {
    apply(event) {
      const { tenant, stream, seq } = event
      for (const { table, kind, key, cells } of project(event)) {
        const { projection, rows } = tableOf(table)
        const id = JSON.stringify([tenant, stream, ...key])
        if (kind === 'drop') rows.delete(id)
        else {
          const named = Object.fromEntries(projection.key.map((column, index) => [column, key[index]!]))
          const empty = Object.fromEntries(Object.keys(projection.columns).map(column => [column, null]))
          rows.set(id, { tenant, stream, seq, cells: { ...empty, ...rows.get(id)?.cells, ...named, ...cells } })
        }
      }
    },
    row: (table, tenant, stream, key) => tableOf(table).rows.get(JSON.stringify([tenant, stream, ...key])) ?? null,
    rows(table, tenant, cells = {}, order) {
      const { projection, rows } = tableOf(table)
      const unknown = [...Object.keys(cells), ...(order ? [order.by] : [])].find(column => !Object.hasOwn(projection.columns, column))
      if (unknown !== undefined) throw new Fault('table_unknown', { table: `${table}.${unknown}` })
      const found = [...rows.values()]
        .filter(row => row.tenant === tenant)
        .filter(row => Object.entries(cells).every(([column, cell]) => row.cells[column] === cell))
      if (order === undefined) return found
      const cellOf = ({ cells: own }: ProjectedRow) => [own[order.by] ?? null]
      const ascending = found.sort((a, b) => compareCells(cellOf(a), cellOf(b)))
      const inOrder = order.descending === true ? ascending.reverse() : ascending
      const sign = order.descending === true && order.after !== undefined ? -1 : 1
      return inOrder.filter(row => sign * compareCells(cellOf(row), [order.after ?? '']) > 0)
    },
    allRows(table) {
      const { projection, rows } = tableOf(table)
      return [...rows.values()].sort((a, b) => compareCells(keyOfRow(projection, a), keyOfRow(projection, b)))
    },
    clear() {
      for (const { rows } of tables.values()) rows.clear()
    },
  }
}

/** For verifying a small store: every table that is asked for, and the signed heads. */
export function memoryScratch(projections: readonly Projection[]): ProjectionTables {
  const { apply, allRows, rows } = memoryTables([...projections, signedHeads])
  return { apply, rows: allRows, rowsBy: (table, tenant, by) => rows(table, tenant, {}, { by }), close: () => undefined }
}
