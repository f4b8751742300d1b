// What refs lead to, loaded beforehand: resolving itself needs nothing but memory.
import semver from 'semver'
import { latestOf, newestOf } from '../../core/library/decide.ts'
import { labelRows, libraryPlace, libraryStream, templateRows } from '../../core/library/events.ts'
import type { PromptRef } from '../../core/resolve/prompt-ref.ts'
import type { Found, Lookup, Pinned } from '../../core/resolve/resolve.ts'
import type { Wanted } from '../../core/run/frozen.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT, type LibraryRow, toLibraryRow, versionsOf } from './rows.ts'

/** What a ref finds among these versions. */
export function findAmong(
  rows: readonly LibraryRow[],
  ref: PromptRef,
  labels: ReadonlyMap<string, string>,
): Found & { readonly row?: LibraryRow } {
  const present = rows.filter(row => row.templateId === ref.templateId && !row.removed)
  const inLibrary = ref.libraryId === null ? present : present.filter(({ libraryId }) => libraryId === ref.libraryId)
  const meant = inLibrary.filter(row => isMeant(row, ref, labels))
  const libraries = [...new Set(meant.map(({ libraryId }) => libraryId))]
  if (libraries.length > 1) return { status: 'ambiguous', libraries: libraries.sort() }
  const row = latestOf(meant)
  return row === null ? missing(inLibrary, ref, labels) : { status: 'found', template: toPinned(row), kind: row.kind, row }
}

/** At most so many are named: a message is for reading. */
const MOST_NAMED = 10

function missing(rows: readonly LibraryRow[], { templateId, label }: PromptRef, labels: ReadonlyMap<string, string>): Found {
  if (label === null || rows.length === 0) return { status: 'missing' }
  const versions = [...new Set(rows.map(({ version }) => version))].toSorted(semver.compareBuild).slice(-MOST_NAMED)
  // Labels of a workspace that is not in view have keys here too: only those of these rows are named.
  const places = new Set(rows.map(({ libraryId, workspace }) => JSON.stringify([libraryId, workspace])))
  const own = [...labels.keys()]
    .map(key => JSON.parse(key) as readonly [string, string | null, string, string])
    .filter(([libraryId, workspace, id]) => id === templateId && places.has(JSON.stringify([libraryId, workspace])))
  return { status: 'missing', versions, labels: [...new Set(own.map(([, , , name]) => name))].toSorted().slice(0, MOST_NAMED) }
}

const toPinned = ({ libraryId, templateId, version, digest }: LibraryRow): Pinned => ({ libraryId, templateId, version, digest })

function isMeant({ libraryId, workspace, templateId, version }: LibraryRow, ref: PromptRef, labels: ReadonlyMap<string, string>): boolean {
  if (ref.label !== null) return labels.get(labelKey({ libraryId, workspace }, templateId, ref.label)) === version
  return ref.version === null || ref.version === version
}

const labelKey = ({ libraryId, workspace }: Pick<LibraryRow, 'libraryId' | 'workspace'>, templateId: string, label: string): string =>
  JSON.stringify([libraryId, workspace, templateId, label])

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
  const defaults = new Map<string, readonly LibraryRow[] | null>()
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
      const row = known.findLast(one => one.kind === kind)
      return row === undefined ? { status: 'missing' } : { status: 'found', template: toPinned(row) }
    },
  }
}

/** Where the labels of the templates that these refs name by label point to. */
export async function loadLabels(store: Store, tenant: string, refs: readonly PromptRef[]): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>()
  for (const { templateId, label } of refs) {
    if (label === null) continue
    for await (const { stream, cells } of store.rows(labelRows.table, tenant, { templateId }))
      if (cells.version !== null) labels.set(labelKey(libraryPlace(stream), templateId, String(cells.label)), String(cells.version))
  }
  return labels
}

/** The templates a library offers by kind, oldest first: their newest versions, if those still say so. Null when there is no such library. */
async function defaultsOf(
  store: Store,
  tenant: string,
  libraryId: string,
  workspace: string | null,
): Promise<readonly LibraryRow[] | null> {
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
  const offered: LibraryRow[] = []
  for (const one of tagged) {
    const versions = await versionsOf(store, tenant, one.templateId, workspace)
    const newest = newestOf(
      versions.filter(row => row.libraryId === libraryId && row.tenant === one.tenant && row.workspace === one.workspace && !row.removed),
    )
    if (newest?.version === one.version) offered.push(one)
  }
  return exists ? offered : null
}
