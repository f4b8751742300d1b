// The templates a tenant can see, in a stable order.
import { newestOf } from '../../core/library/decide.ts'
import { templateRows } from '../../core/library/events.ts'
import type { TemplateOrigin } from '../../core/library/template.ts'
import type { PromptKind } from '../../core/pack/compile.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT, type LibraryRow, toLibraryRow, unshadowed } from './rows.ts'

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
export async function* listTemplates(store: Store, tenant: string, filter: ListFilter, place: ListPlace | null): AsyncIterable<LibraryRow> {
  for await (const versions of byTemplate(store, tenant, place === null ? '' : justBefore(place.templateId))) {
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

/** Merges the host's and the tenant's, both in order of id. */
async function* byTemplate(store: Store, tenant: string, after: string): AsyncIterable<readonly LibraryRow[]> {
  const sources = [...new Set([HOST_TENANT, tenant])].map(owner =>
    store.rows(templateRows.table, owner, {}, { by: 'templateId', after })[Symbol.asyncIterator](),
  )
  const heads = await Promise.all(sources.map(source => source.next()))
  for (;;) {
    const ids = heads.flatMap(({ done, value }) => (done ? [] : [String(value.cells.templateId)]))
    if (ids.length === 0) return
    const id = [...ids].sort()[0]!
    const versions: LibraryRow[] = []
    for (const [index, source] of sources.entries())
      for (let head = heads[index]!; !head.done && head.value.cells.templateId === id; head = heads[index]!) {
        versions.push(toLibraryRow(head.value))
        heads[index] = await source.next()
      }
    yield unshadowed(versions)
  }
}

const passes = ({ kind, tags, modelClass, origin }: LibraryRow, filter: ListFilter): boolean =>
  (filter.kind === undefined || filter.kind === kind) &&
  (filter.modelClass === undefined || filter.modelClass === modelClass) &&
  (filter.origin === undefined || filter.origin === origin) &&
  (filter.tags ?? []).every(tag => tags.includes(tag))
