// Compares two trees by file. Equal folders are skipped.
import type { Digest } from '../digest/digest.ts'
import { joinPath } from './path.ts'
import { type Asking, dirFile, EMPTY, openFolder, type TreeEntry, type TreeNode } from './tree.ts'

export interface DiffSide extends Pick<TreeEntry, 'digest' | 'size' | 'mode'> {
  readonly annotations?: Digest
}

export interface TreeDifference {
  /** The path of a file, or of a folder whose annotations differ; empty for the root. */
  readonly path: string
  /** `changed`: other bytes. `mode` and `annotations`: the same bytes. */
  readonly kind: 'added' | 'removed' | 'changed' | 'mode' | 'annotations'
  readonly from?: DiffSide
  readonly to?: DiffSide
}

/** Sorted by path. Null for a tree that does not exist. */
export function* diffTrees(from: Digest | null, to: Digest | null): Asking<readonly TreeDifference[]> {
  const differences: TreeDifference[] = []
  yield* compareFolders(from, to, '', differences)
  return differences.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

function* compareFolders(from: Digest | null, to: Digest | null, path: string, differences: TreeDifference[]): Asking<void> {
  if (from === to) return
  const [before, after]: [TreeNode, TreeNode] = [
    from === null ? EMPTY : yield* openFolder(from),
    to === null ? EMPTY : yield* openFolder(to),
  ]
  if (from !== null && to !== null && before.annotations !== after.annotations)
    differences.push({ path, kind: 'annotations', from: sideOf(folder(from, before)), to: sideOf(folder(to, after)) })
  const olds = new Map(before.entries.map(entry => [entry.name, entry]))
  const news = new Map(after.entries.map(entry => [entry.name, entry]))
  for (const name of new Set([...olds.keys(), ...news.keys()]))
    yield* compareEntries(olds.get(name) ?? null, news.get(name) ?? null, joinPath(path, name), differences)
}

const folder = (digest: Digest, { annotations }: TreeNode) => ({
  ...dirFile(digest),
  ...(annotations === undefined ? {} : { annotations }),
})

function* compareEntries(from: TreeEntry | null, to: TreeEntry | null, path: string, differences: TreeDifference[]): Asking<void> {
  const [oldFile, newFile] = [from?.kind === 'file' ? from : null, to?.kind === 'file' ? to : null]
  const difference = compareFiles(oldFile, newFile, path)
  if (difference !== null) differences.push(difference)
  yield* compareFolders(from?.kind === 'dir' ? from.digest : null, to?.kind === 'dir' ? to.digest : null, path, differences)
}

function compareFiles(from: TreeEntry | null, to: TreeEntry | null, path: string): TreeDifference | null {
  if (from === null || to === null) {
    if (to !== null) return { path, kind: 'added', to: sideOf(to) }
    return from === null ? null : { path, kind: 'removed', from: sideOf(from) }
  }
  const sides = { from: sideOf(from), to: sideOf(to) }
  if (from.digest !== to.digest) return { path, kind: 'changed', ...sides }
  if (from.mode !== to.mode) return { path, kind: 'mode', ...sides }
  return from.annotations === to.annotations ? null : { path, kind: 'annotations', ...sides }
}

const sideOf = ({ digest, size, mode, annotations }: DiffSide): DiffSide => ({
  digest,
  size,
  mode,
  ...(annotations === undefined ? {} : { annotations }),
})

export interface TreeCounts {
  readonly files: number
  readonly bytes: number
}

/** How many files and bytes there are after these differences. */
export function countAfter(before: TreeCounts, differences: readonly TreeDifference[]): TreeCounts {
  let { files, bytes } = before
  for (const { kind, from, to } of differences) {
    files += kind === 'added' ? 1 : kind === 'removed' ? -1 : 0
    bytes += (to?.size ?? 0) - (from?.size ?? 0)
  }
  return { files, bytes }
}
