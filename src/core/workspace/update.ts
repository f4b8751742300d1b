// Applies changes to a tree: only the folders on the path of a change are rewritten. Only the root folder may be empty.
import { type Digest, digestText } from '../digest/digest.ts'
import { joinPath } from './path.ts'
import {
  type Asking,
  dirFile,
  EMPTY,
  entryIn,
  type FileMode,
  nodeText,
  openFolder,
  partsOf,
  type TreeEntry,
  type TreeFile,
  type TreeNode,
} from './tree.ts'

export interface TreeChange {
  readonly path: string
  /** The new file; null deletes it; absent leaves it unchanged. Without a mode the file keeps its own. */
  readonly file?: (Omit<TreeFile, 'mode'> & { readonly mode?: FileMode }) | null
  /** The object with the annotations; null deletes them; absent leaves them unchanged. */
  readonly annotations?: Digest | null
}

export type TreeRefusal = 'path_twice' | 'path_missing' | 'path_is_folder' | 'path_in_file'

/** With the text that is stored, by digest. */
export type MadeNodes = ReadonlyMap<Digest, { readonly node: TreeNode; readonly text: string }>

export type Updated =
  | { readonly ok: true; readonly root: Digest; readonly nodes: MadeNodes }
  | { readonly ok: false; readonly code: TreeRefusal; readonly path: string }

interface Making {
  readonly nodes: Map<Digest, { readonly node: TreeNode; readonly text: string }>
  readonly refused: { readonly code: TreeRefusal; readonly path: string }[]
}

/** Applies all changes at once, in any order; deletions make room for additions. Null for a tree that does not exist yet. */
export function* updateTree(root: Digest | null, changes: readonly TreeChange[]): Asking<Updated> {
  const making: Making = { nodes: new Map(), refused: [] }
  const node = yield* updateNode(root === null ? EMPTY : yield* openFolder(root), '', groupChanges(changes, making), making)
  const [first] = making.refused
  if (first !== undefined) return { ok: false, ...first }
  return { ok: true, root: keepFolder(node, making), nodes: making.nodes }
}

/** The digest of a folder, in as many nodes as it takes. */
function keepFolder(folder: TreeNode, making: Making): Digest {
  const parts = partsOf(folder.entries)
  if (parts.length === 1) return keep(folder, making)
  return keep({ ...folder, entries: [], parts: parts.map(entries => keep({ entries }, making)) }, making)
}

function keep(node: TreeNode, { nodes }: Making): Digest {
  const text = nodeText(node)
  const digest = digestText(text)
  nodes.set(digest, { node, text })
  return digest
}

/** The changes to one name: to itself, and to the paths below it. */
interface Group {
  own: TreeChange | null
  readonly below: Map<string, Group>
}

const emptyGroup = (): Group => ({ own: null, below: new Map() })

function groupChanges(changes: readonly TreeChange[], { refused }: Making): Group {
  const top = emptyGroup()
  for (const change of changes) {
    let group = top
    for (const name of change.path === '' ? [] : change.path.split('/')) {
      const next = group.below.get(name) ?? emptyGroup()
      group.below.set(name, next)
      group = next
    }
    if (group.own !== null) refused.push({ code: 'path_twice', path: change.path })
    group.own = change
  }
  return top
}

function* updateNode(node: TreeNode, path: string, { own, below }: Group, making: Making): Asking<TreeNode> {
  if (own?.file !== undefined) making.refused.push({ code: 'path_is_folder', path })
  const changed = new Map<string, TreeEntry | null>()
  for (const [name, group] of below)
    changed.set(name, yield* updateEntry(entryIn(node, name), { name, path: joinPath(path, name) }, group, making))
  const unchanged = node.entries.filter(({ name }) => !changed.has(name))
  const entries = [...unchanged, ...[...changed.values()].filter(entry => entry !== null)].sort((a, b) => (a.name < b.name ? -1 : 1))
  const annotations = own?.annotations === undefined ? node.annotations : (own.annotations ?? undefined)
  return { entries, ...(annotations === undefined ? {} : { annotations }) }
}

interface Place {
  readonly name: string
  readonly path: string
}

function* updateEntry(before: TreeEntry | null, place: Place, group: Group, making: Making): Asking<TreeEntry | null> {
  const { own, below } = group
  if (below.size === 0 && before?.kind !== 'dir') return updateFile(before, place, own, making)
  // A deleted file, and a folder whose files are all deleted, free their name.
  const makesRoom = before?.kind === 'file' && own?.file === null
  if (before?.kind === 'file' && !makesRoom) {
    making.refused.push({ code: 'path_in_file', path: place.path })
    return before
  }
  const inside = own?.file === undefined ? own : null
  const node = yield* updateNode(
    before === null || makesRoom ? EMPTY : yield* openFolder(before.digest),
    place.path,
    { own: inside, below },
    making,
  )
  if (node.entries.length > 0) {
    if (own?.file !== undefined && !makesRoom) making.refused.push({ code: 'path_is_folder', path: place.path })
    return { name: place.name, kind: 'dir', ...dirFile(keepFolder(node, making)) }
  }
  return own?.file ? updateFile(null, place, own, making) : null
}

function updateFile(before: TreeEntry | null, { name, path }: Place, own: TreeChange | null, { refused }: Making): TreeEntry | null {
  const file = own?.file === undefined ? before : own.file
  if (before === null && file === null) refused.push({ code: 'path_missing', path })
  if (file === null) return null
  const annotations = own?.annotations === undefined ? before?.annotations : (own.annotations ?? undefined)
  const { digest, size, mode = before?.mode ?? '0644' } = file
  return { name, kind: 'file', digest, size, mode, ...(annotations === undefined ? {} : { annotations }) }
}
