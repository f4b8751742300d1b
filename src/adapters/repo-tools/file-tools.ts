// The tools read_file, list_files, write_file and delete_file. Reading follows links that stay inside the repo; changing follows none.
import type { Dirent, Stats } from 'node:fs'
import { lstat, opendir, realpath, unlink } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Json } from '../../core/digest/digest.ts'
import { REPO_DESCRIPTORS } from '../../core/tools/repo-descriptors.ts'
import { Fault } from '../../errors.ts'
import type { Binding, BoundCall } from '../../ports.ts'
import { writeWhole } from '../folder/write-whole.ts'
import { codeOf } from '../processes/reasons.ts'
import { allowedAt } from './protected-paths.ts'
import { readText, SEVERAL_NAMES, unreadable } from './read-text.ts'
import { placeOf, type Repo, rootOf, telling, textIn } from './repo.ts'
import { inFolder } from './repo-folder.ts'
import { steadyPartsOf } from './repo-path.ts'

export const readFileTool = (repo: Repo): Binding => ({
  descriptor: REPO_DESCRIPTORS.read_file,
  repeatable: true,
  reads: true,
  run(call, signal) {
    const path = textIn(call, 'path') ?? ''
    return telling('file_unreadable', path, async () => {
      signal.throwIfAborted()
      const { root, parts } = await placeOf(repo, path, 'read')
      const name = parts.at(-1)
      if (name === undefined) throw unreadable(path, 'it is a folder')
      return inFolder({ root, parts: parts.slice(0, -1) }, folder => readText(`${folder}/${name}`, path, repo))
    })
  },
})

export const listFilesTool = (repo: Repo): Binding => ({
  descriptor: REPO_DESCRIPTORS.list_files,
  repeatable: true,
  reads: true,
  run(call, signal) {
    const path = textIn(call, 'path') ?? '.'
    const most = repo.limits.entries
    return telling('file_unreadable', path, async () => {
      signal.throwIfAborted()
      const { root, parts } = await placeOf(repo, path, 'read')
      return inFolder({ root, parts }, async (folder): Promise<Json> => {
        const entries: { name: string; type: string }[] = []
        for await (const entry of await opendir(folder)) {
          if (entries.length === most) throw unreadable(path, `it has more than ${most} entries; look at a part of them with a command`)
          entries.push({ name: entry.name, type: typeOf(entry) })
        }
        return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
      })
    })
  },
})

export const writeFileTool = (repo: Repo): Binding => ({
  descriptor: REPO_DESCRIPTORS.write_file,
  refuses: refusedChange(repo),
  run(call, signal) {
    const path = textIn(call, 'path') ?? ''
    const content = textIn(call, 'content') ?? ''
    const bytes = Buffer.byteLength(content)
    return telling('file_unwritable', path, async () => {
      signal.throwIfAborted()
      const most = repo.limits.writeBytes
      if (bytes > most) throw unwritable(path, `the content has ${bytes} bytes; at most ${most} are written`)
      const { root, above, name } = await changeable(repo, path)
      await inFolder({ root, parts: above, make: true }, async folder => {
        const place = `${folder}/${name}`
        await refuseUnlessPlain(place, path)
        // Renamed into place: whatever has come there since is replaced, never followed.
        await writeWhole(place, content)
      })
      return { path, bytes }
    })
  },
})

export const deleteFileTool = (repo: Repo): Binding => ({
  descriptor: REPO_DESCRIPTORS.delete_file,
  refuses: refusedChange(repo),
  run(call, signal) {
    const path = textIn(call, 'path') ?? ''
    return telling('file_unwritable', path, async () => {
      signal.throwIfAborted()
      const { root, above, name } = await changeable(repo, path)
      const deleted = await inFolder({ root, parts: above }, async folder => {
        const found = await look(`${folder}/${name}`)
        if (found?.isDirectory() === true) throw unwritable(path, 'it is a folder, and only files are deleted')
        // Removes only the link itself, or only this name of a file with several names.
        if (found !== null) await unlink(`${folder}/${name}`)
        return found !== null
      }).catch(error => (codeOf(error) === 'ENOENT' ? false : Promise.reject(error)))
      return { path, deleted }
    })
  },
})

const unwritable = (path: string, reason: string): Fault => new Fault('file_unwritable', { path, reason })

/** The path is the file's real place, because no link is followed: a verdict on the path is a verdict on the file. */
async function changeable(repo: Repo, path: string): Promise<{ root: string; above: readonly string[]; name: string }> {
  const parts = steadyPartsOf(path)
  const name = parts.at(-1)
  if (name === undefined) throw unwritable(path, 'it is a folder')
  const root = await rootOf(repo)
  const { mayChange, why } = await allowedAt(root, repo.protection, parts)
  if (!mayChange) throw new Fault('repo_path_protected', { path, use: 'change', ...(why === undefined ? {} : { why }) })
  return { root, above: parts.slice(0, -1), name }
}

/** Asked by the gate, so that the verdict says it. The call itself looks again. */
const refusedChange =
  (repo: Repo) =>
  async (call: Pick<BoundCall, 'arguments'>): Promise<string | null> => {
    try {
      await changeable(repo, textIn(call, 'path') ?? '')
      return null
    } catch (error) {
      return error instanceof Fault && error.code === 'repo_path_protected' ? error.message : null
    }
  }

const look = (place: string): Promise<Stats | null> =>
  lstat(place).catch(error => (codeOf(error) === 'ENOENT' ? null : Promise.reject(error)))

async function refuseUnlessPlain(place: string, path: string): Promise<void> {
  const found = await look(place)
  if (found === null) return
  if (found.isSymbolicLink()) throw new Fault('repo_link_refused', { path })
  if (!found.isFile()) throw unwritable(path, found.isDirectory() ? 'it is a folder' : 'it is not a plain file')
  if (found.nlink > 1) throw unwritable(path, SEVERAL_NAMES)
  if (basename(await realpath(place)) !== basename(place)) throw new Fault('repo_path_moved', { path })
}

function typeOf(entry: Dirent): 'dir' | 'file' | 'link' | 'other' {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'dir'
  return entry.isFile() ? 'file' : 'other'
}
