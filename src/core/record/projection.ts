// Tables that follow from events, declared as data: which event types, which rows, which columns. They can be dropped and
// rebuilt at any time.
import { canonicalJson, type Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import type { RecordedEvent } from './event.ts'

export type Cell = string | number | null
export type Row = Readonly<Record<string, Cell>>

/** Where a cell comes from: a place in the event (`at`, `payload.agent.id`, `item.name` within `each`), or always the same. */
export type Source = string | { readonly always: Cell }

export interface Change {
  /** Only where the event has a value at this place. */
  readonly if?: string
  /** One change for every item of this list; without it, one for the event. */
  readonly each?: string
  /** Adds a row, or changes the columns named in one that has the same key. */
  readonly put?: Readonly<Record<string, Source>>
  /** Takes the row with this key away. */
  readonly drop?: Readonly<Record<string, Source>>
}

/**
 * A row belongs to the stream whose event made it: tenant and stream are the first columns of every key.
 * So the order in which streams are read again does not matter, and a rebuild gives identical rows.
 */
export interface Projection {
  readonly table: string
  /** Only events of streams whose names have this prefix; default: all. */
  readonly under?: string
  readonly columns: Readonly<Record<string, 'text' | 'integer'>>
  readonly key: readonly string[]
  readonly indexes?: readonly (readonly string[])[]
  /** By event type. */
  readonly from: Readonly<Record<string, readonly Change[]>>
}

/** The effect of one event on one table. */
export interface RowChange {
  readonly table: string
  /** The declaration it follows from. */
  readonly by: Change
  readonly kind: 'put' | 'drop'
  /** In the order of the projection's key. */
  readonly key: readonly Cell[]
  /** Columns outside the key; empty for a drop. */
  readonly cells: Row
}

export interface ProjectedRow {
  readonly tenant: string
  readonly stream: string
  /** The sequence of the event that wrote it last. */
  readonly seq: number
  readonly cells: Row
}

/** Parses a declaration that was stored as JSON; null when it is malformed. */
export function readProjections(text: string): readonly Projection[] | null {
  try {
    const value = JSON.parse(text) as Json
    return Array.isArray(value) && value.every(isProjection) ? (value as unknown as readonly Projection[]) : null
  } catch {
    return null
  }
}

function isProjection(value: Json): boolean {
  if (!isObject(value)) return false
  const { table, under = '', columns, key, indexes = [], from } = value
  if (typeof table !== 'string' || typeof under !== 'string' || !isObject(columns) || !isObject(from) || !Array.isArray(indexes))
    return false
  const isColumn = (name: Json): boolean => typeof name === 'string' && Object.hasOwn(columns, name)
  const areColumns = (names: Json | undefined): boolean => Array.isArray(names) && names.length > 0 && names.every(isColumn)
  const types = Object.values(columns).every(type => type === 'text' || type === 'integer')
  const changes = Object.values(from).every(list => Array.isArray(list) && list.every(change => isChange(change, isColumn)))
  return types && areColumns(key) && indexes.every(areColumns) && changes
}

function isChange(value: Json, isColumn: (name: Json) => boolean): boolean {
  const isPlace = (place: Json | undefined): boolean => place === undefined || typeof place === 'string'
  if (!isObject(value) || !isPlace(value.if) || !isPlace(value.each)) return false
  const sources = value.put ?? value.drop
  const isSource = (source: Json): boolean => typeof source === 'string' || (isObject(source) && Object.hasOwn(source, 'always'))
  return isObject(sources) && Object.entries(sources).every(([column, source]) => isColumn(column) && isSource(source))
}

export type Projector = (event: RecordedEvent) => readonly RowChange[]

/** Compiles the declarations once; each event then needs only lookups. */
export function projectorOf(projections: readonly Projection[]): Projector {
  const byType = new Map<string, Maker[]>()
  for (const projection of projections)
    for (const [type, changes] of Object.entries(projection.from))
      byType.set(type, [...(byType.get(type) ?? []), ...changes.map(change => makerOf(projection, change))])
  return event => {
    const makers = byType.get(event.type)
    return makers === undefined ? NOTHING : makers.flatMap(make => make(event))
  }
}

const NOTHING: readonly RowChange[] = []

type Maker = (event: RecordedEvent) => RowChange | readonly RowChange[]
type Look = (event: RecordedEvent, item: Json | undefined) => Json | undefined

function makerOf(projection: Projection, by: Change): Maker {
  const { table, columns, key, under = '' } = projection
  const sources = by.put ?? by.drop ?? {}
  const kind = by.put === undefined ? 'drop' : 'put'
  const keyCells = key.map(column => cellOf(sources[column], columns[column]!))
  const others = kind === 'drop' ? [] : Object.keys(sources).filter(column => !key.includes(column))
  const cells = others.map(column => [column, cellOf(sources[column], columns[column]!)] as const)
  const make = (event: RecordedEvent, item: Json | undefined): RowChange => {
    const made: Record<string, Cell> = {}
    for (const [column, look] of cells) made[column] = look(event, item)
    // A key has no empty places: in SQL an unknown differs from itself.
    return { table, by, kind, key: keyCells.map(look => look(event, item) ?? ''), cells: made }
  }
  const condition = by.if === undefined ? null : lookAt(by.if)
  const isOurs = (event: RecordedEvent): boolean =>
    event.stream.startsWith(under) && (condition === null || (condition(event, undefined) ?? null) !== null)
  if (by.each === undefined) return event => (isOurs(event) ? make(event, undefined) : NOTHING)
  const items = lookAt(by.each)
  return event => {
    if (!isOurs(event)) return NOTHING
    const list = items(event, undefined)
    return Array.isArray(list) ? list.map(item => make(event, item)) : NOTHING
  }
}

function cellOf(source: Source | undefined, type: 'text' | 'integer'): (event: RecordedEvent, item: Json | undefined) => Cell {
  if (source === undefined) return () => null
  if (typeof source !== 'string') return () => source.always
  const look = lookAt(source)
  return (event, item) => toCell(look(event, item), type)
}

function toCell(value: Json | undefined, type: 'text' | 'integer'): Cell {
  if (value === undefined || value === null) return null
  // Some databases end a text where it holds a NUL.
  if (type === 'text') return (typeof value === 'string' ? value : canonicalJson(value)).replaceAll('\0', '\u2400')
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

function lookAt(path: string): Look {
  const [root = '', ...names] = path.split('.')
  return (event, item) => {
    let value: Json | undefined = root === 'item' ? item : event[root as keyof RecordedEvent]
    for (const name of names) {
      if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return undefined
      value = (value as { readonly [name: string]: Json })[name]
    }
    return value
  }
}

/** The order in which stores keep rows: numbers before texts, texts by code point. */
export function compareCells(a: readonly Cell[], b: readonly Cell[]): number {
  for (const [index, left] of a.entries()) {
    const order = compareCell(left, b[index] ?? null)
    if (order !== 0) return order
  }
  return 0
}

function compareCell(a: Cell, b: Cell): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return rank(a) - rank(b)
}

const rank = (cell: Cell): number => (cell === null ? 0 : typeof cell === 'number' ? 1 : 2)

/** By code point, as UTF-8 sorts; JavaScript's own order is another where surrogates are involved. */
function compareText(a: string, b: string): number {
  if (a === b) return 0
  for (let index = 0; ; ) {
    const [left, right] = [a.codePointAt(index) ?? -1, b.codePointAt(index) ?? -1]
    if (left !== right) return left - right
    if (left === -1) return 0
    index += left > 0xffff ? 2 : 1
  }
}

/** Tenant, stream and key: the identity of a row in its table. */
export const keyOfRow = ({ key }: Projection, { tenant, stream, cells }: ProjectedRow): readonly Cell[] => [
  tenant,
  stream,
  ...key.map(column => cells[column] ?? ''),
]
