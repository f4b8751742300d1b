// Folder: Trees of files as nodes, their changes, paths, ignore files, access rules and versions. It loads no node and knows no disk.
// A tree of files as content: one node per folder, each named by its digest. Loads nothing: the caller of a walk supplies the nodes.
import { canonicalJson, type Digest, isDigest, type Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { isSegment } from './path.ts'

/** As text, the way people write them: readable in JSON, and no number that could be taken for a decimal one. */
export type FileMode = '0644' | '0755'

export interface TreeFile {
  readonly digest: Digest
  readonly size: number
  readonly mode: FileMode
}

/** A folder has mode 0755 and size 0, and its digest is its node's. */
export interface TreeEntry extends TreeFile {
  readonly name: string
  readonly kind: 'file' | 'dir'
  /** The annotations of a file; those of a folder are in its node. */
  readonly annotations?: Digest
}

/** Its entries are sorted strictly by the bytes of their names. Only the root may have none. */
export interface TreeNode {
  readonly entries: readonly TreeEntry[]
  readonly annotations?: Digest
  /** For a folder with very many entries: nodes whose entries, concatenated, are its own. */
  readonly parts?: readonly Digest[]
}

/** Requests nodes by digest and receives each, so that core need not know where they are stored. */
export type Asking<T> = Generator<Digest, T, TreeNode>

export const EMPTY: TreeNode = { entries: [] }

/** The stored form. It begins with `{"$node":`, which shows a store that the object references others. */
export const nodeText = ({ entries, annotations, parts }: TreeNode): string =>
  canonicalJson({
    $node: 'tree',
    ...(parts === undefined ? { entries } : { parts }),
    ...(annotations === undefined ? {} : { annotations }),
  } as unknown as Json)

/** A folder with all its entries, in however many nodes they are. */
export function* openFolder(digest: Digest): Asking<TreeNode> {
  const { parts, ...node } = yield digest
  if (parts === undefined) return node
  const entries: TreeEntry[] = []
  for (const part of parts) entries.push(...(yield part).entries)
  return { ...node, entries }
}

/** A store takes nodes of a megabyte; an entry with the longest name has some 700 bytes. */
const MOST_ENTRIES = 1000
const PART_ENTRIES = 256

/**
 * The entries of a folder as its nodes hold them. Where one part ends follows from the name at its end, so that a change makes one part anew,
 * and from nothing but the entries, so that equal folders have equal nodes.
 */
export function partsOf(entries: readonly TreeEntry[]): readonly (readonly TreeEntry[])[] {
  if (entries.length <= MOST_ENTRIES) return [entries]
  const parts: TreeEntry[][] = [[]]
  for (const entry of entries) {
    const part = parts.at(-1)!
    part.push(entry)
    if (part.length === MOST_ENTRIES || fnv(entry.name) % PART_ENTRIES === 0) parts.push([])
  }
  return parts.filter(part => part.length > 0)
}

/** FNV-1a, 32 bits: spreads names well and costs little. */
function fnv(name: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** Null for anything but a node. */
export function readNode(text: string): TreeNode | null {
  try {
    const value = JSON.parse(text) as Json
    return isNode(value) ? { entries: [], ...(value as unknown as Partial<TreeNode>) } : null
  } catch {
    return null
  }
}

function isNode(value: Json): boolean {
  if (!isObject(value) || value.$node !== 'tree' || !isAnnotations(value.annotations)) return false
  if (Array.isArray(value.parts)) return value.entries === undefined && value.parts.every(isName)
  if (!Array.isArray(value.entries)) return false
  const entries = value.entries as readonly Json[]
  return entries.every(
    (entry, index) => isObject(entry) && isEntry(entry) && (index === 0 || (entries[index - 1] as JsonObject).name! < entry.name!),
  )
}

const isEntry = ({ name, kind, digest, size, mode, annotations }: JsonObject): boolean =>
  typeof name === 'string' &&
  isSegment(name) &&
  (kind === 'file' || kind === 'dir') &&
  isName(digest) &&
  Number.isSafeInteger(size) &&
  (mode === '0644' || mode === '0755') &&
  isAnnotations(annotations)

const isName = (value: Json | undefined): boolean => typeof value === 'string' && isDigest(value)

const isAnnotations = (value: Json | undefined): boolean => value === undefined || isName(value)

/** By halves: a folder may hold very many. */
export function entryIn({ entries }: TreeNode, name: string): TreeEntry | null {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (entries[middle]!.name < name) low = middle + 1
    else high = middle
  }
  const entry = entries[low]
  return entry?.name === name ? entry : null
}

/** The entry at a path; null without one. */
export function* findEntry(root: Digest, path: string): Asking<TreeEntry | null> {
  let entry: TreeEntry | null = rootEntry(root)
  for (const name of path === '' ? [] : path.split('/')) {
    if (entry === null || entry.kind === 'file') return null
    entry = entryIn(yield* openFolder(entry.digest), name)
  }
  return entry
}

const rootEntry = (digest: Digest): TreeEntry => ({ name: '', ...dirFile(digest), kind: 'dir' })

export const dirFile = (digest: Digest): TreeFile => ({ digest, size: 0, mode: '0755' })
