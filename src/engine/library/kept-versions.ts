// Caches the versions of a template. New versions are read from the events of its libraries, instead of all versions again.
import { LIBRARY_FAMILIES, libraryStream, templateRows, WORKSPACE_LIBRARIES } from '../../core/library/events.ts'
import { projectorOf } from '../../core/record/projection.ts'
import type { Store } from '../../ports.ts'
import { remembered } from '../reading/remembered.ts'
import { type LibraryRow, toLibraryRow } from './rows.ts'

interface Kept {
  readonly rows: Map<string, LibraryRow>
  /** How far each library was read. */
  readonly heads: Map<string, number>
  /** Rows of it that the cache has counted. */
  readonly counted?: number
}

type Heads = ReadonlyMap<string, number>

/** Libraries of the tenant, and of its workspaces. */
const LIBRARIES = [libraryStream(''), WORKSPACE_LIBRARIES]
/** Beyond so many new events, of whichever template, reading its rows takes less. */
const MOST_NEW = 200
/** The limit for all templates together: some ten megabytes. */
const MOST_ROWS = 50_000

interface Cache {
  readonly templates: Map<string, Kept>
  rows: number
}

const caches = new WeakMap<Store, Cache>()
const project = projectorOf([templateRows])

/** Every version of an id that its owner ever published, in all libraries, removed ones too; oldest first. */
export async function publishedVersions(store: Store, owner: string, templateId: string): Promise<readonly LibraryRow[]> {
  const cache = caches.get(store) ?? { templates: new Map(), rows: 0 }
  caches.set(store, cache)
  const key = JSON.stringify([owner, templateId])
  // Read first: rows that are written meanwhile appear again among the events.
  const heads = await librariesOf(store, owner)
  const cached = cache.templates.get(key)
  const isKept = cached !== undefined && (await extend(store, owner, templateId, cached, heads))
  const kept = isKept ? cached : await read(store, owner, templateId, heads)
  keep(cache, key, kept)
  return [...kept.rows.values()]
}

const librariesOf = (store: Store, owner: string): Promise<Heads> =>
  remembered(store, LIBRARY_FAMILIES, JSON.stringify(['libraries', owner]), async () => {
    const heads = new Map<string, number>()
    for (const prefix of LIBRARIES)
      for await (const { stream, seq } of store.streams(owner, prefix)) {
        if (!stream.startsWith(prefix)) break
        heads.set(stream, seq)
      }
    return heads
  })

async function read(store: Store, owner: string, templateId: string, heads: Heads): Promise<Kept> {
  const rows = new Map<string, LibraryRow>()
  for await (const row of store.rows(templateRows.table, owner, { templateId })) add(rows, toLibraryRow(row))
  return { rows, heads: new Map(heads) }
}

const add = (rows: Map<string, LibraryRow>, row: LibraryRow): void =>
  void rows.set(JSON.stringify([row.libraryId, row.workspace, row.version]), row)

/** False when it has to be read again. */
async function extend(store: Store, owner: string, templateId: string, { rows, heads }: Kept, now: Heads): Promise<boolean> {
  const behind = [...now].filter(([stream, seq]) => seq > (heads.get(stream) ?? -1))
  if (behind.reduce((sum, [stream, seq]) => sum + seq - (heads.get(stream) ?? -1), 0) > MOST_NEW) return false
  for (const [stream, seq] of behind) {
    for await (const { event } of store.read(owner, stream, heads.get(stream) ?? -1))
      for (const { key, cells } of project(event)) {
        const [id, version] = key
        if (id !== templateId || version === undefined) continue
        // A removal event carries only the changed fields of a row.
        if (event.type !== 'template.published') return false
        add(rows, toLibraryRow({ tenant: owner, stream, seq: event.seq, cells: { ...cells, templateId: id, version } }))
      }
    heads.set(stream, Math.max(seq, heads.get(stream) ?? -1))
  }
  return true
}

/** Evicts the least recently used templates first. */
function keep(cache: Cache, key: string, kept: Kept): void {
  drop(cache, key)
  cache.templates.set(key, { ...kept, counted: kept.rows.size })
  cache.rows += kept.rows.size
  for (const oldest of cache.templates.keys()) {
    if (cache.rows <= MOST_ROWS) return
    drop(cache, oldest)
  }
}

function drop(cache: Cache, key: string): void {
  cache.rows -= cache.templates.get(key)?.counted ?? 0
  cache.templates.delete(key)
}
