// Reads a folder on disk as the files of a workspace. Follows no link out of it, leaves out ignored files, executes nothing.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Digest } from '../../core/digest/digest.ts'
import { IGNORE_FILES, type IgnoreLayer, isIgnored, readIgnore } from '../../core/workspace/ignore.ts'
import { encodeName, isReservedName, joinPath } from '../../core/workspace/path.ts'
import { Fault } from '../../errors.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'
import type { Look, StatCache } from './folder-tree-cache.ts'

/** Never content, whatever an ignore file says. */
const NEVER = 'node_modules'
const CHUNK = 256 * 1024

export interface FolderFile {
  /** As a workspace writes it. */
  readonly path: string
  readonly mode: '0644' | '0755'
  readonly size: number
  /** The digest it had when it looked exactly as it does now. */
  readonly known: Digest | null
  /** From the folder, as the disk has it. */
  readonly diskPath: string
  readonly look: Look
}

export interface FolderTree {
  readonly files: readonly FolderFile[]
  /** Throws `file_changed` when it is no longer the very file that was found. */
  read(file: FolderFile): Iterable<Uint8Array>
  named(file: FolderFile, digest: Digest): void
}

export interface FolderOptions {
  /** Folders that are not content either: the record itself may lie inside. */
  readonly without?: readonly string[]
}

/** Every file that counts. All of it is looked at before anything is said: a folder is published whole or not at all. */
export function folderTree(folder: string, cache: StatCache, { without = [] }: FolderOptions = {}): FolderTree {
  const root = realFolder(folder)
  const left = new Set(without.flatMap(path => realOf(path) ?? []))
  const found: FolderFile[] = []

  const visit = (path: string, encoded: string, above: readonly IgnoreLayer[]): void => {
    const real = join(root, path)
    if (left.has(real)) return
    const entries = reading(path, () => readdirSync(real, { withFileTypes: true }))
    const layers = [...above, ...(entries.some(({ name }) => IGNORE_FILES.includes(name)) ? [layerOf(root, path)] : [])]
    for (const entry of entries) {
      const child = joinPath(path, entry.name)
      if (isLeftOut(layers, child, entry.name, entry.isDirectory())) continue
      const segment = joinPath(encoded, encodeName(entry.name))
      if (entry.isSymbolicLink()) found.push(fileAt(linked(child, layers), segment))
      else if (entry.isDirectory()) visit(child, segment, layers)
      else if (entry.isFile()) found.push(fileAt(child, segment))
      else throw new Fault('file_unreadable', { path: child, reason: 'it is not a plain file' })
    }
  }

  /** Where a link leads: to a file inside that would itself be published. So no link brings in what was left out. */
  const linked = (path: string, layers: readonly IgnoreLayer[]): string => {
    const real = reading(path, () => realpathSync(join(root, path)))
    if (!real.startsWith(root + sep)) throw new Fault('path_outside', { path })
    const target = relative(root, real).split(sep).join('/')
    if (!statSync(real).isFile()) throw new Fault('link_refused', { path, reason: 'it leads to a folder' })
    const known: IgnoreLayer[] = layers.filter(({ folder: where }) => where === '')
    let part = ''
    for (const name of target.split('/')) {
      part = joinPath(part, name)
      if (left.has(join(root, part)) || isLeftOut(known, part, name, part !== target))
        throw new Fault('link_refused', { path, reason: 'it leads to something that is left out' })
      if (part !== target) known.push(layerOf(root, part))
    }
    return target
  }

  const fileAt = (path: string, encoded: string): FolderFile => {
    const { mode, dev, ino, size, mtimeMs, ctimeMs } = reading(path, () => lstatSync(`${root}${sep}${path}`))
    const look = { dev, ino, size, mtimeMs, ctimeMs }
    return { path: encoded, mode: (mode & 0o100) === 0 ? '0644' : '0755', size, known: cache.find(encoded, look), diskPath: path, look }
  }

  visit('', '', [])
  return {
    files: found,
    read: ({ diskPath, look }) => readChecked(diskPath, join(root, diskPath), look),
    named: ({ path, look }, digest) => cache.note(path, look, digest),
  }
}

const isLeftOut = (layers: readonly IgnoreLayer[], path: string, name: string, isFolder: boolean): boolean =>
  name === NEVER || isReservedName(name) || isIgnored(layers, path, isFolder)

function realFolder(folder: string): string {
  const real = realOf(folder)
  if (real === null) throw new Fault('path_missing', { path: folder })
  if (!statSync(real).isDirectory()) throw new Fault('usage_invalid', { problem: `${folder} is not a folder` })
  return real
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function reading<T>(path: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    // A name that is not UTF-8 cannot be asked for again.
    const reason = codeOf(error) === 'ENOENT' && path.includes('\ufffd') ? 'its name is not UTF-8' : reasonOf(error)
    throw new Fault('file_unreadable', { path, reason }, { cause: error })
  }
}

function layerOf(root: string, folder: string): IgnoreLayer {
  const rules = IGNORE_FILES.flatMap(name => {
    const path = join(root, folder, name)
    try {
      // A link could name what is outside; and what it says would not be published with the rest.
      return lstatSync(path).isFile() ? readIgnore(readFileSync(path, 'utf8')) : []
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
      throw new Fault('file_unreadable', { path: joinPath(folder, name), reason: reasonOf(error) }, { cause: error })
    }
  })
  return { folder, rules }
}

const isSame = (a: Look, b: Look): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs

/** The very file that was found, unchanged from the first byte to the last. */
function* readChecked(path: string, full: string, found: Look): Iterable<Uint8Array> {
  const handle = reading(path, () => openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
  try {
    if (!isSame(fstatSync(handle), found)) throw new Fault('file_changed', { path })
    for (;;) {
      const chunk = new Uint8Array(Math.min(CHUNK, found.size + 1))
      const length = reading(path, () => readSync(handle, chunk))
      if (length === 0) break
      yield chunk.subarray(0, length)
    }
    if (!isSame(fstatSync(handle), found)) throw new Fault('file_changed', { path })
  } finally {
    closeSync(handle)
  }
}
