// A folder on disk as Files. Follows no link out of the folder, writes beside and renames, so a crash leaves a whole file or none.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Fault } from '../errors.ts'
import type { Files, ReadText } from '../ports.ts'

const SKIPPED = new Set(['node_modules'])
const LOCK_PATIENCE_MS = 5_000

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
          if (entry.isDirectory()) await visit(child)
          else if (entry.isFile() || entry.isSymbolicLink()) found.push(child)
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

    async exclusively(name, work) {
      const path = resolve(base, `.${name}.lock`)
      const handle = await takeLock(path, name)
      try {
        return await work()
      } finally {
        await handle.close()
        await rm(path, { force: true })
      }
    },
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

/** The lock names its process; one whose process is gone is nobody's. */
async function takeLock(path: string, name: string): Promise<FileHandle> {
  const deadline = Date.now() + LOCK_PATIENCE_MS
  for (;;) {
    try {
      const handle = await open(path, 'wx')
      await handle.writeFile(String(process.pid))
      return handle
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw new Fault('file_unwritable', { path: name, reason: reasonOf(error) }, { cause: error })
    }
    if (!(await isHeld(path))) await rm(path, { force: true })
    else if (Date.now() > deadline) throw new Fault('busy', { what: name })
    else await new Promise(resume => setTimeout(resume, 50))
  }
}

async function isHeld(path: string): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => null)
  if (handle === null) return false
  const text = await handle.readFile('utf8').finally(() => handle.close())
  if (text === '') return true // being written this moment
  try {
    process.kill(Number(text), 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code
const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its links go round in a circle',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
}

function reasonOf(error: unknown): string {
  if (error instanceof Fault) return 'it leads out of the workspace'
  return REASONS[codeOf(error) ?? ''] ?? (error as Error).message
}
