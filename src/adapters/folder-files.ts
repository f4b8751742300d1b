// A folder on disk as Files. Follows no link out of the folder, writes beside and renames, so a crash leaves a whole file or none.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Fault } from '../errors.ts'
import type { Files, ReadText } from '../ports.ts'
import { exclusively } from './lock-file.ts'
import { codeOf, reasonOf } from './reasons.ts'

const SKIPPED = new Set(['node_modules'])
/** A folder with such a name is listed, so that whoever reads it can say that it is a folder. */
const NAMED_LIKE_FILE = /\.(?:ya?ml|json)$/

export function folderFiles(root: string): Files {
  const base = resolve(root)

  /** The real path, when it lies inside the folder; links may point around inside but never out. */
  const inside = async (path: string): Promise<string> => {
    const full = resolve(base, path)
    const [realBase, real] = await Promise.all([realpath(base), realpath(full)])
    if (real !== realBase && !real.startsWith(realBase + sep)) throw new Fault('path_outside', { path })
    return real
  }

  const writeTemporary = async (path: string, text: string): Promise<{ full: string; temporary: string }> => {
    const full = resolve(base, path)
    if (!full.startsWith(base + sep)) throw new Fault('path_outside', { path })
    await mkdir(dirname(full), { recursive: true })
    await inside(dirname(path))
    const temporary = join(dirname(full), `.${randomUUID()}.tmp`)
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    return { full, temporary }
  }

  return {
    async readText(path, maxBytes) {
      try {
        return await readUtf8(await inside(path), maxBytes)
      } catch (error) {
        return { ok: false, missing: codeOf(error) === 'ENOENT', message: reasonOf(error) }
      }
    },

    async list(path) {
      const found: string[] = []
      const visit = async (folder: string): Promise<void> => {
        for (const entry of await readdir(resolve(base, folder), { withFileTypes: true })) {
          if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
          const child = folder === '' ? entry.name : `${folder}/${entry.name}`
          if (entry.isDirectory() && !NAMED_LIKE_FILE.test(entry.name)) await visit(child)
          else if (entry.isFile() || entry.isSymbolicLink() || entry.isDirectory()) found.push(child)
        }
      }
      await visit(relative(base, resolve(base, path)).split(sep).join('/'))
      return found.sort()
    },

    async kind(path) {
      const found = await stat(resolve(base, path)).catch(() => null)
      return found === null ? 'none' : found.isDirectory() ? 'folder' : 'file'
    },

    async writeText(path, text) {
      try {
        const { full, temporary } = await writeTemporary(path, text)
        await rename(temporary, full)
      } catch (error) {
        throw error instanceof Fault ? error : new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
      }
    },

    async createText(path, text) {
      try {
        const { full, temporary } = await writeTemporary(path, text)
        try {
          await link(temporary, full) // fails where rename would replace
          return true
        } finally {
          await rm(temporary, { force: true })
        }
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false
        throw error instanceof Fault ? error : new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
      }
    },

    exclusively: (name, work) => exclusively(resolve(base, `.${name}.lock`), name, work),
  }
}

async function readUtf8(path: string, maxBytes: number): Promise<ReadText> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) return { ok: false, missing: false, message: found.isDirectory() ? 'it is a folder' : 'it is not a plain file' }
    if (found.size > maxBytes)
      return { ok: false, missing: false, message: `it has ${megabytes(found.size)}; at most ${megabytes(maxBytes)} are read` }
    const bytes = await handle.readFile()
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes) }
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { ok: false, missing: false, message: 'it is not valid UTF-8' }
    throw error
  } finally {
    await handle.close()
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`
