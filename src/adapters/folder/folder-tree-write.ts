// Writes the files of a workspace to a folder on disk. Writes nothing outside of it, follows no link in it, executes nothing.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { decodeName, isReservedName } from '../../core/workspace/path.ts'
import { Fault } from '../../errors.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'

export interface WrittenFile {
  /** As a workspace writes it. */
  readonly path: string
  readonly mode: '0644' | '0755'
  bytes(): AsyncIterable<Uint8Array>
}

/** @param replace write over files that are there; those that are not in the workspace stay */
export async function writeFolder(folder: string, files: AsyncIterable<WrittenFile>, replace: boolean): Promise<number> {
  const root = await emptyFolder(folder, replace)
  const known = new Set([root])
  let written = 0
  for await (const file of files) {
    const names = namesOf(file.path)
    const parent = await folderFor(root, names.slice(0, -1), known)
    await writeOne(join(parent, names.at(-1)!), file, replace)
    written++
  }
  return written
}

async function emptyFolder(folder: string, replace: boolean): Promise<string> {
  try {
    await mkdir(folder, { recursive: true })
    if (!replace && (await readdir(folder)).length > 0) throw new Fault('folder_not_empty', { path: folder })
    return await realpath(folder)
  } catch (error) {
    if (error instanceof Fault) throw error
    throw codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR'
      ? new Fault('folder_not_empty', { path: folder }, { cause: error })
      : new Fault('file_unwritable', { path: folder, reason: reasonOf(error) }, { cause: error })
  }
}

function namesOf(path: string): readonly string[] {
  const names = path.split('/').map(decodeName)
  if (!names.every(name => name !== null)) throw new Fault('workspace_path_invalid', { path })
  // A version that an older release stored, or that another record brought, may hold one.
  if (names.some(isReservedName)) throw new Fault('workspace_path_reserved', { path })
  return names
}

/** Made step by step: a link on the way could lead anywhere. */
async function folderFor(root: string, names: readonly string[], known: Set<string>): Promise<string> {
  let folder = root
  for (const name of names) {
    folder = join(folder, name)
    if (known.has(folder)) continue
    await mkdir(folder).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw new Fault('file_unwritable', { path: folder, reason: reasonOf(error) }, { cause: error })
    })
    const found = await lstat(folder)
    if (found.isSymbolicLink()) throw new Fault('path_outside', { path: folder })
    if (!found.isDirectory()) throw new Fault('file_unwritable', { path: folder, reason: 'it is not a folder' })
    known.add(folder)
  }
  return folder
}

/** Beside, then moved into place: a link that has the name is replaced, never written through. */
async function writeOne(path: string, { mode, bytes }: WrittenFile, replace: boolean): Promise<void> {
  const temporary = join(path, '..', `.${randomUUID()}.tmp`)
  try {
    await pipeline(Readable.from(bytes()), createWriteStream(temporary, { flags: 'wx', mode: Number.parseInt(mode, 8) }))
    // Names that differ only in case are one file on some disks.
    if (!replace && (await lstat(path).catch(() => null)) !== null)
      throw new Fault('file_unwritable', { path, reason: 'another file of the version has this name here' })
    await rename(temporary, path)
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
  } finally {
    await rm(temporary, { force: true })
  }
}
