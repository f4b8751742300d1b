// Opens a folder of a repo name by name from the root, without following a link, and holds it during some work.
import { constants, existsSync } from 'node:fs'
import { lstat, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../errors.ts'
import { codeOf } from '../processes/reasons.ts'

/** The folder's path for system calls; append a slash and a name for an entry. */
interface Held {
  readonly place: string
  close(): Promise<void>
}
type Hold = (place: string) => Promise<Held>

const DESCRIPTORS = '/proc/self/fd'

/** The descriptor stays with the folder wherever that is moved, and whatever comes into its place. */
const byDescriptor: Hold = async place => {
  const handle = await open(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  return { place: `${DESCRIPTORS}/${handle.fd}`, close: () => handle.close() }
}

/**
 * Only Linux gives names to open descriptors. Elsewhere a folder is checked, and then used by its path: a swap for a link
 * between the two is followed.
 */
const byPath: Hold = async place => {
  if (!(await lstat(place)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
  return { place, close: async () => {} }
}

const HOLD = process.platform === 'linux' && existsSync(DESCRIPTORS) ? byDescriptor : byPath

export interface RepoFolder {
  /** Real. */
  readonly root: string
  readonly parts: readonly string[]
  /** Whether folders that are missing are made. */
  readonly make?: boolean
}

/** `work` is given the place of the folder, to be used only until it is done. */
export async function inFolder<T>({ root, parts, make = false }: RepoFolder, work: (place: string) => Promise<T>): Promise<T> {
  let held = await HOLD(root)
  try {
    for (const [index, part] of parts.entries()) {
      const above = held
      const place = `${above.place}/${part}`
      held = await HOLD(place).catch(async error => {
        if (codeOf(error) === 'ENOENT' && make) return makeFolder(place)
        throw (await isLink(place)) ? new Fault('repo_link_refused', { path: parts.slice(0, index + 1).join('/') }) : error
      })
      await above.close()
    }
    // Moved meanwhile, or found under a name that this disk takes for the same.
    if ((await realpath(held.place)) !== join(root, ...parts)) throw new Fault('repo_path_moved', { path: parts.join('/') || '.' })
    return await work(held.place)
  } finally {
    await held.close()
  }
}

async function makeFolder(place: string): Promise<Held> {
  await mkdir(place).catch(error => (codeOf(error) === 'EEXIST' ? undefined : Promise.reject(error)))
  return HOLD(place)
}

const isLink = async (place: string): Promise<boolean> => (await lstat(place).catch(() => null))?.isSymbolicLink() === true
