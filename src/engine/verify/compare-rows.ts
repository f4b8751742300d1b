// Compares two tables in the same order, and reports the rows that only one of them has.
import { type Cell, compareCells, type ProjectedRow, type Projection } from '../../core/record/projection.ts'

export interface RowDifference {
  readonly row: ProjectedRow
  readonly code: 'row_missing' | 'row_unknown' | 'row_differs'
}

export async function* compareRows(
  projection: Projection,
  expected: Iterable<ProjectedRow>,
  found: AsyncIterable<ProjectedRow>,
): AsyncIterable<RowDifference> {
  const wanted = expected[Symbol.iterator]()
  let next = wanted.next()
  for await (const row of found) {
    let order = next.done ? 1 : compareCells(keyOf(projection, next.value), keyOf(projection, row))
    while (order < 0) {
      yield { row: next.value as ProjectedRow, code: 'row_missing' }
      next = wanted.next()
      order = next.done ? 1 : compareCells(keyOf(projection, next.value), keyOf(projection, row))
    }
    if (order > 0) yield { row, code: 'row_unknown' }
    else {
      if (!isSame(projection, next.value as ProjectedRow, row)) yield { row, code: 'row_differs' }
      next = wanted.next()
    }
  }
  for (; !next.done; next = wanted.next()) yield { row: next.value, code: 'row_missing' }
}

const isSame = ({ columns }: Projection, a: ProjectedRow, b: ProjectedRow): boolean =>
  a.seq === b.seq && Object.keys(columns).every(column => a.cells[column] === b.cells[column])

/** A planted row may have empty places in its key: they come first. */
const keyOf = ({ key }: Projection, { tenant, stream, cells }: ProjectedRow): readonly Cell[] => [
  tenant,
  stream,
  ...key.map(column => cells[column] ?? null),
]
