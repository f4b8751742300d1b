// A library at rest, with templates in it that are not published: what a ref would lead to if they were. Writes nothing.
import { type LibraryTemplate, templateDigest } from '../../core/library/template.ts'
import type { Lookup } from '../../core/resolve/resolve.ts'
import type { Wanted } from '../../core/run/frozen.ts'
import type { Store } from '../../ports.ts'
import { findAmong, loadLabels, loadLookup } from './lookup.ts'
import type { LibraryRow } from './rows.ts'

/** Where they would be published. */
export interface LibraryPlace {
  readonly store: Store
  readonly tenant: string
  readonly libraryId: string
}

/** As publishing would keep it. */
export const asPublished = (template: LibraryTemplate): LibraryTemplate => ({ ...template, meta: { ...template.meta, source: 'user' } })

export function editedRow({ tenant, libraryId }: Omit<LibraryPlace, 'store'>, template: LibraryTemplate): LibraryRow {
  const { templateId, version, kind } = template
  const digest = templateDigest(asPublished(template))
  return {
    tenant,
    workspace: null,
    libraryId,
    templateId,
    version,
    digest,
    kind,
    origin: 'user',
    tags: [],
    modelClass: null,
    removed: false,
  }
}

/** Where both have a version, the edited one is meant. */
export function withEdited(rows: readonly LibraryRow[], edited: readonly LibraryRow[]): readonly LibraryRow[] {
  const isEdited = ({ libraryId, templateId, version }: LibraryRow): boolean =>
    edited.some(one => one.libraryId === libraryId && one.templateId === templateId && one.version === version)
  return [...rows.filter(row => !isEdited(row)), ...edited]
}

export async function editedLookup(place: LibraryPlace, templates: readonly LibraryTemplate[], wanted: Wanted): Promise<Lookup> {
  const known = await loadLookup(place.store, place.tenant, wanted)
  const labels = await loadLabels(place.store, place.tenant, wanted.refs)
  const rows = withEdited(
    known.rows,
    templates.map(template => editedRow(place, template)),
  )
  return { find: ref => findAmong(rows, ref, labels), findHost: known.findHost, defaultOf: known.defaultOf }
}
