// Lists the files of a tree in order of whole paths, from any position. Lazy: a caller that stops early does not load the rest.
import type { Digest } from '../digest/digest.ts'
import { isWithin, joinPath } from './path.ts'
import { type Asking, findEntry, openFolder, type TreeEntry } from './tree.ts'

export interface ListedEntry extends Omit<TreeEntry, 'name'> {
  /** From the root. */
  readonly path: string
}

export interface Listing {
  /** A folder; empty for the root. */
  readonly path: string
  readonly scope: 'dir' | 'subtree'
  /** Only entries after this path. */
  readonly after?: string
  readonly limit: number
}

export type Listed =
  | { readonly ok: true; readonly entries: readonly ListedEntry[] /** Whether there is more. */; readonly more: boolean }
  | { readonly ok: false; readonly code: 'path_missing' | 'path_is_file' }

export function* listTree(root: Digest, listing: Listing): Asking<Listed> {
  const { path, limit } = listing
  const folder = yield* findEntry(root, path)
  if (folder === null) return { ok: false, code: 'path_missing' }
  if (folder.kind === 'file') return { ok: false, code: 'path_is_file' }
  const entries: ListedEntry[] = []
  yield* collect(folder.digest, path, listing, entries)
  return { ok: true, entries: entries.slice(0, limit), more: entries.length > limit }
}

/** One more than is wanted tells that there is more. */
function* collect(digest: Digest, folder: string, listing: Listing, entries: ListedEntry[]): Asking<void> {
  const { scope, after = '', limit } = listing
  const node = yield* openFolder(digest)
  for (const { entry, path, inside } of stepsOf(node.entries, folder)) {
    if (entries.length > limit) return
    if (!inside) {
      const { name: _, ...rest } = entry
      if (path > after) entries.push({ path, ...rest })
    } else if (scope === 'subtree' && (after < `${path}/` || isWithin(after, path))) yield* collect(entry.digest, path, listing, entries)
  }
}

/** Every file by its path, in no order that matters: the fast way to know a whole tree. */
export function* filesOf(root: Digest): Asking<Map<string, TreeEntry>> {
  const byName = new Map<string, TreeEntry>()
  const folders: [Digest, string][] = [[root, '']]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const [digest, prefix] = folder
    for (const entry of (yield* openFolder(digest)).entries) {
      if (entry.kind === 'dir') folders.push([entry.digest, `${prefix}${entry.name}/`])
      else byName.set(prefix + entry.name, entry)
    }
  }
  return byName
}

interface Step {
  readonly entry: TreeEntry
  readonly path: string
  /** The content of a folder sorts after the folder: `a`, `a-b`, `a/c`. */
  readonly inside: boolean
}

function stepsOf(entries: readonly TreeEntry[], folder: string): readonly Step[] {
  const steps: (Step & { key: string })[] = []
  for (const entry of entries) {
    const path = joinPath(folder, entry.name)
    steps.push({ entry, path, inside: false, key: entry.name })
    if (entry.kind === 'dir') steps.push({ entry, path, inside: true, key: `${entry.name}/` })
  }
  return steps.sort((a, b) => (a.key < b.key ? -1 : 1))
}
