// Walks the files of a repo, with any names and during concurrent changes. Follows no link, leaves out ignored files, changes nothing.
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { type IgnoreLayer, isIgnored, readIgnore } from '../../core/workspace/ignore.ts'
import { codeOf } from '../processes/reasons.ts'
import { bytePath, bytesOf } from './byte-path.ts'

export interface FoundFile {
  /** From the root, as bytes. */
  readonly path: string
  /** Where it can be read before the walk goes on. */
  readonly place: string
  readonly stats: Stats
}

export interface RepoWalk {
  readonly root: string
  /** Paths from the root, as bytes. */
  readonly without: ReadonlySet<string>
}

/** Never content, whatever an ignore file says. Git takes no file below a name like its own, in whatever case. */
const NEVER = /^(?:\.git|\.onbook|node_modules)$/i
const MOST_IGNORE_BYTES = 1024 * 1024
const DESCRIPTORS = '/proc/self/fd'
const BY_DESCRIPTOR = process.platform === 'linux' && existsSync(DESCRIPTORS)
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** A descriptor stays with its folder, whatever comes into its place. Only Linux gives names to them: elsewhere a folder that is swapped for a link is followed. */
function* inFolder<T>(place: string, work: (place: string) => Iterable<T>): Iterable<T> {
  if (!BY_DESCRIPTOR) {
    if (lstatSync(bytesOf(place)).isDirectory()) yield* work(place)
    return
  }
  const handle = openSync(bytesOf(place), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    yield* work(`${DESCRIPTORS}/${handle}`)
  } finally {
    closeSync(handle)
  }
}

export function* filesIn({ root, without }: RepoWalk): Iterable<FoundFile> {
  function* visit(place: string, path: string, above: readonly IgnoreLayer[]): Iterable<FoundFile> {
    const entries = readdirSync(bytesOf(place), { withFileTypes: true, encoding: 'latin1' }) as unknown as readonly Dirent[]
    const own = entries.some(entry => entry.name === '.gitignore' && entry.isFile()) ? [layerAt(`${place}/.gitignore`, path)] : []
    const layers = [...above, ...own]
    for (const entry of entries) {
      const { name } = entry
      const child = path === '' ? name : `${path}/${name}`
      if (NEVER.test(name) || without.has(child) || isIgnored(layers, child, entry.isDirectory())) continue
      const at = `${place}/${name}`
      if (entry.isDirectory()) yield* unless([...GONE, ...CLOSED], () => inFolder(at, held => visit(held, child, layers)))
      else if (entry.isFile() || entry.isSymbolicLink()) yield* foundAt(child, at)
    }
  }
  const place = bytePath(root)
  yield* inFolder(place, held => visit(held, '', [layerAt(`${held}/.git/info/exclude`, '')]))
}

/** One file that the walk no longer reaches; yields nothing when it is gone. Throws when that is unknown. */
export function* fileAt({ root }: RepoWalk, path: string): Iterable<FoundFile> {
  const names = path.split('/')
  const down = (place: string, depth: number): Iterable<FoundFile> => {
    const next = `${place}/${names[depth]!}`
    return depth === names.length - 1 ? foundAt(path, next) : inFolder(next, held => down(held, depth + 1))
  }
  yield* unless(GONE, () => inFolder(bytePath(root), held => down(held, 0)))
}

const GONE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP']
const CLOSED: readonly string[] = ['EACCES', 'EPERM']

function* unless<T>(codes: readonly string[], look: () => Iterable<T>): Iterable<T> {
  try {
    yield* look()
  } catch (error) {
    if (!codes.includes(codeOf(error) ?? '')) throw error
  }
}

function* foundAt(path: string, place: string): Iterable<FoundFile> {
  const stats = lstatSync(bytesOf(place), { throwIfNoEntry: false })
  if (stats !== undefined && (stats.isFile() || stats.isSymbolicLink())) yield { path, place, stats }
}

function layerAt(place: string, folder: string): IgnoreLayer {
  const bytes = unlessUnreadable(() => readPlain(place, MOST_IGNORE_BYTES))
  return { folder, rules: bytes === null ? [] : readIgnore(bytes.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '')) }
}

/** Null when it is larger than that, or may not be read. */
export const readFound = ({ place, stats }: FoundFile, most: number): Buffer | null =>
  unlessUnreadable(() =>
    stats.isSymbolicLink() ? readlinkSync(bytesOf(place), { encoding: 'buffer' }) : stats.size > most ? null : readPlain(place, most),
  )

function unlessUnreadable<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function readPlain(place: string, most: number): Buffer | null {
  const handle = openSync(bytesOf(place), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = fstatSync(handle)
    if (!stats.isFile()) return null
    const buffer = Buffer.alloc(Math.min(stats.size, most) + 1)
    let length = 0
    while (length < buffer.length) {
      const got = readSync(handle, buffer, length, buffer.length - length, null)
      if (got === 0) return buffer.subarray(0, length)
      length += got
    }
    return null
  } finally {
    closeSync(handle)
  }
}
