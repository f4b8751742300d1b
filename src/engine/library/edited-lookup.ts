// Looks up refs as if some unpublished templates were published in a library. Writes nothing.
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import { type LibraryTemplate, templateDigest } from '../../core/library/template.ts'
import type { Lookup, Pinned } from '../../core/resolve/resolve.ts'
import type { Wanted } from '../../core/run/frozen.ts'
import type { Store } from '../../ports.ts'
import { findAmong, type Labels, loadLabels, loadLookup, placeKey } from './lookup.ts'
import { activeAfter, type CompiledPacks } from './publish.ts'
import type { LibraryRow } from './rows.ts'

/** Where they would be published. */
export interface LibraryPlace {
  readonly store: Store
  readonly tenant: string
  readonly libraryId: string
}

/** As publishing would keep it. */
export const asPublished = (template: LibraryTemplate): LibraryTemplate => ({ ...template, meta: { ...template.meta, source: 'user' } })

export function editedRow(place: Omit<LibraryPlace, 'store'>, template: LibraryTemplate): LibraryRow {
  const { templateId, version, kind } = template
  return { ...pinnedRow(place, { libraryId: place.libraryId, templateId, version, digest: templateDigest(asPublished(template)) }), kind }
}

/** A row for a version that a ref led to. Only its name and its digest matter. */
export function pinnedRow({ tenant }: Omit<LibraryPlace, 'store'>, pinned: Pinned): LibraryRow {
  return {
    ...pinned,
    tenant,
    workspace: null,
    kind: 'system',
    origin: 'user',
    tags: [],
    modelClass: null,
    removed: false,
    retired: false,
  }
}

/** Where both have a version, the edited one is meant. */
export function withEdited(rows: readonly LibraryRow[], edited: readonly LibraryRow[]): readonly LibraryRow[] {
  const isEdited = ({ libraryId, templateId, version }: LibraryRow): boolean =>
    edited.some(one => one.libraryId === libraryId && one.templateId === templateId && one.version === version)
  return [...rows.filter(row => !isEdited(row)), ...edited]
}

export async function editedLookup(place: LibraryPlace, { templates, active }: CompiledPacks, wanted: Wanted): Promise<Lookup> {
  const known = await loadLookup(place.store, place.tenant, wanted)
  const labels = await labelsAfter(place, await loadLabels(place.store, place.tenant, wanted.refs), active)
  const rows = withEdited(
    known.rows,
    templates.map(template => editedRow(place, template)),
  )
  return { find: ref => findAmong(rows, ref, labels), findHost: known.findHost, defaultOf: known.defaultOf }
}

/** Where labels would point to after publishing. */
async function labelsAfter({ store, tenant, libraryId }: LibraryPlace, labels: Labels, active: CompiledPacks['active']): Promise<Labels> {
  const after = new Map(labels)
  for (const [templateId, { version }] of await activeAfter(store, { tenant, libraryId, actor: '' }, active)) {
    const key = placeKey({ libraryId, workspace: null, templateId })
    after.set(key, new Map([...(after.get(key) ?? []), [ACTIVE_LABEL, version]]))
  }
  return after
}
