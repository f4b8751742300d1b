// The templates a tenant can see, in a stable order.
import { newestOf } from '../../core/library/decide.ts'
import { templateRows, templateTagRows } from '../../core/library/events.ts'
import type { TemplateOrigin } from '../../core/library/template.ts'
import type { PromptKind } from '../../core/pack/compile.ts'
import type { ProjectedRow, Row } from '../../core/record/projection.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT, type LibraryRow, toLibraryRow, unshadowed, versionsOf } from './rows.ts'

export interface ListFilter {
  readonly kind?: PromptKind
  /** All of them. */
  readonly tags?: readonly string[]
  readonly modelClass?: string
  readonly origin?: TemplateOrigin
}

/** Where a list was left: two libraries may have one id. */
export interface ListPlace {
  readonly templateId: string
  readonly libraryId: string
}

/** The newest version of every template, by id and library; from after `place` on. */
export async function* listTemplates(
  store: Store,
  tenant: string,
  filter: ListFilter,
  place: ListPlace | null,
  workspace: string | null = null,
): AsyncIterable<LibraryRow> {
  for await (const versions of byTemplate(store, { tenant, workspace }, filter, place === null ? '' : justBefore(place.templateId))) {
    const libraries = new Set(versions.map(({ libraryId }) => libraryId))
    for (const libraryId of [...libraries].sort()) {
      const newest = newestOf(versions.filter(row => row.libraryId === libraryId && !row.removed))
      if (newest !== null && !isSeen(newest, place) && passes(newest, filter)) yield newest
    }
  }
}

const isSeen = ({ templateId, libraryId }: LibraryRow, place: ListPlace | null): boolean =>
  templateId === place?.templateId && libraryId <= place.libraryId

/** After every smaller id, before this one: ids are ASCII, and none has a tilde. */
const justBefore = (id: string): string => `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}~`

interface Narrowed {
  readonly table: string
  readonly cells: Row
}

/** Where to look, so that rows which cannot pass are not read; null when all may. The rarest is usually a tag. */
function narrowed({ kind, tags = [], modelClass, origin }: ListFilter): Narrowed | null {
  const [tag] = tags
  // A table has no NUL (core/record/projection.ts); `passes` filters out false matches.
  if (tag !== undefined) return { table: templateTagRows.table, cells: { tag: tag.replaceAll('\0', '\u2400') } }
  const cells = Object.entries({ kind, modelClass, origin }).filter(([, cell]) => cell !== undefined)
  return cells.length === 0 ? null : { table: templateRows.table, cells: Object.fromEntries(cells) as Row }
}

interface View {
  readonly tenant: string
  readonly workspace: string | null
}

/** Merges the host's and the tenant's, both in order of id. */
async function* byTemplate(
  store: Store,
  { tenant, workspace }: View,
  filter: ListFilter,
  after: string,
): AsyncIterable<readonly LibraryRow[]> {
  const narrow = narrowed(filter)
  const { table, cells } = narrow ?? { table: templateRows.table, cells: {} }
  const sources = [...new Set([HOST_TENANT, tenant])].map(owner =>
    store.rows(table, owner, cells, { by: 'templateId', after })[Symbol.asyncIterator](),
  )
  const heads = await Promise.all(sources.map(source => source.next()))
  for (;;) {
    const ids = heads.flatMap(({ done, value }) => (done ? [] : [String(value.cells.templateId)]))
    if (ids.length === 0) return
    const id = [...ids].sort()[0]!
    const rows: ProjectedRow[] = []
    for (const [index, source] of sources.entries())
      for (let head = heads[index]!; !head.done && head.value.cells.templateId === id; head = heads[index]!) {
        rows.push(head.value)
        heads[index] = await source.next()
      }
    // A narrowed query sees only some versions; the newest needs all of them.
    yield narrow === null ? unshadowed(rows.map(toLibraryRow), workspace) : await versionsOf(store, tenant, id, workspace)
  }
}

const passes = ({ kind, tags, modelClass, origin }: LibraryRow, filter: ListFilter): boolean =>
  (filter.kind === undefined || filter.kind === kind) &&
  (filter.modelClass === undefined || filter.modelClass === modelClass) &&
  (filter.origin === undefined || filter.origin === origin) &&
  (filter.tags ?? []).every(tag => tags.includes(tag))
