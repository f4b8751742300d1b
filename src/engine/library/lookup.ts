// Loads the targets of refs beforehand, so that resolving itself needs only memory.
import semver from 'semver'
import { ACTIVE_LABEL, LIBRARY_FAMILIES, labelRows, libraryPlace, libraryStream, templateRows } from '../../core/library/events.ts'
import { type MeantBy, meantVersion } from '../../core/library/meant.ts'
import type { PromptRef } from '../../core/resolve/prompt-ref.ts'
import type { Found, Lookup, Pinned } from '../../core/resolve/resolve.ts'
import type { Wanted } from '../../core/run/frozen.ts'
import type { Store } from '../../ports.ts'
import { remembered } from '../reading/remembered.ts'
import { HOST_TENANT, type LibraryRow, toLibraryRow, versionsOf } from './rows.ts'

/** By library, workspace and template, and the host's apart: where each label points to, and null for a label that was removed. */
export type Labels = ReadonlyMap<string, ReadonlyMap<string, string | null>>

const NO_LABELS: ReadonlyMap<string, string | null> = new Map()

/** Finds the version that a ref means among these. */
export function findAmong(rows: readonly LibraryRow[], ref: PromptRef, labels: Labels): Found & { readonly row?: LibraryRow } {
  const present = rows.filter(row => row.templateId === ref.templateId && !row.removed)
  const inLibrary = ref.libraryId === null ? present : present.filter(({ libraryId }) => libraryId === ref.libraryId)
  const libraries = new Map<string, LibraryRow[]>()
  for (const row of inLibrary) libraries.set(row.libraryId, [...(libraries.get(row.libraryId) ?? []), row])
  const meant = [...libraries.values()].flatMap(versions => meantVersion(ref, versions, labelsAt(labels, versions[0]!)) ?? [])
  if (meant.length > 1) return { status: 'ambiguous', libraries: meant.map(({ row }) => row.libraryId).sort() }
  const [found] = meant
  return found === undefined
    ? missing(inLibrary, ref, labels)
    : { status: 'found', template: toPinned(found.row), meant: found.meant, kind: found.row.kind, row: found.row }
}

/** A tenant uses the host's templates in the version that the host made active, unless it labelled another. Other labels of the host are its own. */
function labelsAt(labels: Labels, row: LibraryRow): ReadonlyMap<string, string | null> {
  const own = labels.get(placeKey(row)) ?? NO_LABELS
  if (row.tenant !== HOST_TENANT) return own
  const hosts = [...(labels.get(hostKey(row)) ?? NO_LABELS)].filter(([label]) => label === ACTIVE_LABEL)
  return new Map([...hosts, ...[...own].filter(([, version]) => version !== null)])
}

/** At most so many are named: a message is for reading. */
const MOST_NAMED = 10

function missing(rows: readonly LibraryRow[], { label, version }: PromptRef, labels: Labels): Found {
  if (version !== null || rows.length === 0) return { status: 'missing' }
  const versions = [...new Set(rows.map(row => row.version))].toSorted(semver.compareBuild).slice(-MOST_NAMED)
  // Labels of a workspace that is not in view have keys here too: only those of these rows are named.
  const own = [...new Set(rows.map(placeKey))].flatMap(key => [...(labels.get(key) ?? [])])
  const names = new Set(own.flatMap(([name, to]) => (to === null || name === label ? [] : [name])))
  return { status: 'missing', versions, labels: [...names].toSorted().slice(0, MOST_NAMED) }
}

const toPinned = ({ libraryId, templateId, version, digest }: LibraryRow): Pinned => ({ libraryId, templateId, version, digest })

export const placeKey = ({ libraryId, workspace, templateId }: TemplatePlace): string => JSON.stringify([libraryId, workspace, templateId])
const hostKey = (place: TemplatePlace): string => `host ${placeKey(place)}`

export interface LoadedLookup extends Lookup {
  readonly rows: readonly LibraryRow[]
  readonly hostRows: readonly LibraryRow[]
  findHost(ref: PromptRef): Found
}

/** Loads what these refs and libraries may lead to, so that resolving needs nothing but memory. */
export async function loadLookup(
  store: Store,
  tenant: string,
  { refs, libraries, hostRefs }: Wanted,
  workspace: string | null = null,
): Promise<LoadedLookup> {
  const rows: LibraryRow[] = []
  const hostRows: LibraryRow[] = []
  for (const templateId of new Set(hostRefs.map(ref => ref.templateId)))
    hostRows.push(...(await versionsOf(store, HOST_TENANT, templateId)))
  const hostLabels = await loadLabels(store, HOST_TENANT, hostRefs)
  const labels = await loadLabels(store, tenant, refs)
  for (const templateId of new Set(refs.map(ref => ref.templateId))) rows.push(...(await versionsOf(store, tenant, templateId, workspace)))
  const defaults = new Map<string, readonly Offered[] | null>()
  for (const libraryId of libraries) defaults.set(libraryId, await defaultsOf(store, tenant, libraryId, workspace))

  return {
    rows,
    hostRows,
    find: ref => findAmong(rows, ref, labels),
    findHost(ref) {
      const found = findAmong(hostRows, ref, hostLabels)
      return found.status === 'found' ? { ...found, template: { ...found.template, owner: 'host' } } : found
    },
    defaultOf(libraryId, kind) {
      const known = defaults.get(libraryId) ?? null
      if (known === null) return null
      const row = known.findLast(one => one.row.kind === kind)
      return row === undefined ? { status: 'missing' } : { status: 'found', template: toPinned(row.row), meant: row.meant }
    },
  }
}

/** Where the labels of the templates point to that these refs do not name by version. */
export async function loadLabels(store: Store, tenant: string, refs: readonly PromptRef[]): Promise<Labels> {
  const labels = new Map<string, ReadonlyMap<string, string | null>>()
  for (const templateId of new Set(refs.filter(({ version }) => version === null).map(ref => ref.templateId))) {
    for (const [place, own] of await labelsOfTemplate(store, tenant, templateId)) labels.set(placeKey(place), own)
    for (const [place, own] of await labelsOfTemplate(store, HOST_TENANT, templateId)) labels.set(hostKey(place), own)
  }
  return labels
}

type TemplatePlace = Pick<LibraryRow, 'libraryId' | 'workspace' | 'templateId'>

const labelsOfTemplate = (
  store: Store,
  tenant: string,
  templateId: string,
): Promise<readonly (readonly [TemplatePlace, ReadonlyMap<string, string | null>])[]> =>
  remembered(store, LIBRARY_FAMILIES, JSON.stringify(['labels', tenant, templateId]), async () => {
    const places = new Map<string, readonly [TemplatePlace, Map<string, string | null>]>()
    for await (const { stream, cells } of store.rows(labelRows.table, tenant, { templateId })) {
      const known = places.get(stream) ?? ([{ ...libraryPlace(stream), templateId }, new Map<string, string | null>()] as const)
      known[1].set(String(cells.label), cells.version === null ? null : String(cells.version))
      places.set(stream, known)
    }
    return [...places.values()]
  })

interface Offered {
  readonly row: LibraryRow
  readonly meant: MeantBy
}

/** The templates a library offers by kind, oldest first: the versions that are used, where those are tagged so. Null when there is no such library. */
async function defaultsOf(store: Store, tenant: string, libraryId: string, workspace: string | null): Promise<readonly Offered[] | null> {
  const tagged: LibraryRow[] = []
  let exists = false
  for (const owner of new Set([HOST_TENANT, tenant])) {
    exists ||= (await store.head(owner, libraryStream(libraryId))).seq >= 0
    for (const kind of ['system', 'user', 'few-shot', 'schema-hint'])
      for await (const row of store.rows(templateRows.table, owner, { defaultOf: kind })) {
        const one = toLibraryRow(row)
        if (one.libraryId === libraryId && !one.removed && (one.workspace === null || one.workspace === workspace)) tagged.push(one)
      }
  }
  const offered: Offered[] = []
  for (const one of tagged) {
    const ref: PromptRef = { libraryId, templateId: one.templateId, version: null, label: null, variableOverrides: null }
    const versions = await versionsOf(store, tenant, one.templateId, workspace)
    const found = findAmong(versions, ref, await loadLabels(store, tenant, [ref]))
    if (found.status === 'found' && found.row?.digest === one.digest && found.row.tenant === one.tenant)
      offered.push({ row: one, meant: found.meant })
  }
  return exists ? offered : null
}
