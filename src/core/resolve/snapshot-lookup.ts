// Looks up refs for an agent whose snapshot has packs: those packs decide when a ref names neither a version nor a label.
import { meantVersion } from '../library/meant.ts'
import { type PackSet, type SnapshotPacks, snapshotLibrary } from '../library/pack-set.ts'
import type { PromptRef } from './prompt-ref.ts'
import type { Found, Lookup } from './resolve.ts'

const NO_LABELS: ReadonlyMap<string, string | null> = new Map()

/** @param library the answers of the library, which the run froze */
export function snapshotLookup(library: Lookup, snapshot: SnapshotPacks | null): Lookup {
  if (snapshot === null) return library
  return { ...library, find: ref => findWith(library, snapshot, ref) }
}

function findWith(library: Lookup, { source, packs }: SnapshotPacks, ref: PromptRef): Found {
  // A ref that names a library is answered by that library.
  const rows = ref.libraryId === null ? versionsIn(packs, ref.templateId) : []
  if (rows.length === 0 || ref.label !== null) return library.find(ref)
  const published = ref.version === null ? null : library.find(ref)
  if (published !== null && published.status !== 'missing') return published
  const match = meantVersion(ref, [], NO_LABELS, { versions: rows, active: packs.active[ref.templateId] ?? null })
  if (match === null) return { status: 'missing' }
  const { templateId, version, digest, kind } = match.row
  const template = { libraryId: snapshotLibrary(source), templateId, version, digest }
  return { status: 'found', template, meant: match.meant, kind, snapshot: source }
}

const versionsIn = ({ templates }: PackSet, templateId: string) =>
  templates.filter(one => one.templateId === templateId).map(one => ({ ...one, retired: false }))
