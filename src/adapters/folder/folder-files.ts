// Folder: A folder on disk as files and trees.
// A folder on disk as Files. Follows no link out of the folder. Writes to a temporary file and renames it, so that a crash leaves a whole
// file or none.
import type { Dirent } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { Fault } from '../../errors.ts'
import type { Files } from '../../ports.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'
import { exclusively } from './lock-file.ts'
import { readUtf8, realInside } from './read-inside.ts'
import { linkNew, writeBeside, writeWhole } from './write-whole.ts'

const SKIPPED = new Set(['node_modules'])
/** A folder or a pipe with such a name is listed, so that its reader can report that it is not a file. */
const NAMED_LIKE_FILE = /\.(?:ya?ml|json)$/

export function folderFiles(root: string): Files {
  const base = resolve(root)

  const inside = (path: string): Promise<string> => realInside(base, path)

  /** Where to write; makes the folders above it. */
  const placeFor = async (path: string): Promise<string> => {
    const full = resolve(base, path)
    if (!full.startsWith(base + sep)) throw new Fault('path_outside', { path })
    await mkdir(dirname(full), { recursive: true })
    await inside(dirname(path))
    return full
  }

  /** The sorted entries of a folder, and its real path. Null when it is not readable; for the base folder that is a fault. */
  const enter = async (folder: string): Promise<{ real: string; entries: Dirent[] } | null> => {
    try {
      const real = await inside(folder)
      const entries = await readdir(real, { withFileTypes: true })
      return {
        real,
        entries: entries.filter(({ name }) => !name.startsWith('.') && !SKIPPED.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1)),
      }
    } catch (error) {
      if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') throw error
      if (folder === '') throw new Fault('file_unreadable', { path: root, reason: reasonOf(error) }, { cause: error })
      return null
    }
  }

  const isFolderInside = async (path: string): Promise<boolean | null> => {
    try {
      return (await stat(await inside(path))).isDirectory()
    } catch {
      return null // it leads out, or nowhere
    }
  }

  return {
    async readText(path, maxBytes) {
      try {
        return await readUtf8(await inside(path), maxBytes)
      } catch (error) {
        return { ok: false, missing: codeOf(error) === 'ENOENT', message: reasonOf(error) }
      }
    },

    /**
     * Each folder once: by its own name where it has one below `path`, else by the first link to it. So links cannot cycle.
     * An unreadable folder is listed itself, with a slash at its end; `readText` says why.
     */
    async list(path) {
      const found: string[] = []
      const links: string[] = []
      const visited = new Set<string>()
      const visit = async (folder: string): Promise<void> => {
        const entered = await enter(folder)
        if (entered === null) found.push(`${folder}/`)
        if (entered === null || visited.has(entered.real)) return
        visited.add(entered.real)
        for (const entry of entered.entries) {
          const child = folder === '' ? entry.name : `${folder}/${entry.name}`
          if (entry.isSymbolicLink()) links.push(child)
          else if (entry.isDirectory() && !NAMED_LIKE_FILE.test(child)) await visit(child)
          else if (entry.isFile() || NAMED_LIKE_FILE.test(child)) found.push(child)
        }
      }
      await visit(relative(base, resolve(base, path)).split(sep).join('/'))
      for (const child of links) {
        const isFolder = await isFolderInside(child) // visiting it may find more links: they are followed in turn
        if (isFolder === true && !NAMED_LIKE_FILE.test(child)) await visit(child)
        else if (isFolder === false || NAMED_LIKE_FILE.test(child)) found.push(child)
      }
      return found.sort()
    },

    async kind(path) {
      const found = await stat(resolve(base, path)).catch(() => null)
      return found === null ? 'none' : found.isDirectory() ? 'folder' : 'file'
    },

    async writeText(path, text) {
      try {
        await writeWhole(await placeFor(path), text)
      } catch (error) {
        throw error instanceof Fault ? error : new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
      }
    },

    async createText(path, text) {
      try {
        const full = await placeFor(path)
        const temporary = await writeBeside(full, text)
        try {
          return await linkNew(temporary, full)
        } finally {
          await rm(temporary, { force: true })
        }
      } catch (error) {
        throw error instanceof Fault ? error : new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
      }
    },

    exclusively: (name, work) => exclusively(resolve(base, `.${name}.lock`), name, work),
  }
}
