// Takes snapshots of a repo: each is a tree in a private git store. Reads only files with changed metadata. Keeps no history.
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { setImmediate as others } from 'node:timers/promises'
import { Fault } from '../../errors.ts'
import { isOutOfFiles } from '../processes/start-process.ts'
import { EMPTY_TREE, type Importing, importInto } from './import-tree.ts'
import type { PrivateGit } from './private-git.ts'
import { type FoundFile, fileAt, filesIn, type RepoWalk, readFound } from './walk-repo.ts'

export interface LookLimits {
  readonly files: number
  /** For a larger file only size and times are kept: a change is detected, but not its content. */
  readonly fileBytes: number
  /** The limit for all reads in one look. */
  readonly bytes: number
  readonly ms: number
}

/** Metadata that changes when a file does. */
type Look = readonly [mode: number, size: number, mtimeMs: number, ctimeMs: number, ino: number]

interface Known {
  readonly tree: string
  /** Null for one that must be read again: it could have changed once more and look the same. */
  readonly files: ReadonlyMap<string, Look | null>
}

const NOTHING: Known = { tree: EMPTY_TREE, files: new Map() }
const VERSION = 1
/** Disks tell times apart that are further apart than this. */
const TICK_MS = 2_000
/** How long others wait at most while this looks. */
const SLICE_MS = 10

export interface Snapshots {
  /** The name of the tree. */
  take(): Promise<string>
  /** The store is not whole: the next one is taken into a new one. */
  distrust(): void
}

/**
 * @param file where it is kept what the files looked like; it may be lost
 * @param renew makes the store anew
 */
export function snapshots(git: PrivateGit, walk: RepoWalk, file: string, limits: LookLimits, renew: () => Promise<void>): Snapshots {
  let known = load(file)
  let isBroken = false

  const takeInto = async (importing: Importing): Promise<string> => {
    const started = Date.now()
    const budget = budgetOf(limits, started)
    const files = new Map<string, Look | null>()
    const folders = new Set<string>()
    const meet = async (found: FoundFile): Promise<void> => {
      const look = lookOf(found)
      const before = known.files.get(found.path)
      budget.file()
      files.set(found.path, Math.max(look[2], look[3]) < started - TICK_MS ? look : null)
      if (before == null || look.some((part, index) => part !== before[index])) {
        const bytes = contentOf(found, limits.fileBytes)
        budget.bytes(bytes.length)
        await importing.put(found.path, modeOf(found), bytes)
      }
    }
    let slice = started
    for (const found of filesIn(walk)) {
      await meet(found)
      noteFolders(found.path, folders)
      if (Date.now() - slice < SLICE_MS) continue
      await others()
      slice = Date.now()
    }
    for (const [path, look] of known.files) {
      if (files.has(path) || folders.has(path)) continue
      // Watched once, watched for ever: an ignore file that names it now hides nothing.
      try {
        for (const found of fileAt(walk, path)) await meet(found)
        if (!files.has(path)) await importing.remove(path)
      } catch (error) {
        if (error instanceof Fault) throw error
        files.set(path, look)
      }
    }
    const tree = await importing.end()
    known = { tree: tree ?? known.tree, files }
    if (tree !== null) await save(file, known)
    return known.tree
  }

  const take = async (): Promise<string> => {
    const importing = importInto(git, known.tree)
    try {
      return await takeInto(importing)
    } catch (error) {
      importing.stop()
      throw error
    }
  }

  /** The cache or the store may be damaged: then everything is read again, in the end into a new store. */
  const ways = [
    async () => {},
    async () => {
      known = NOTHING
    },
    async () => {
      known = NOTHING
      await renew()
    },
  ]
  return {
    async take() {
      let failure: unknown = null
      for (const prepare of isBroken ? ways.slice(-1) : ways)
        try {
          await prepare()
          const tree = await take()
          isBroken = false
          return tree
        } catch (error) {
          // A store that could not be reached is not broken.
          if (error instanceof Fault || isOutOfFiles(error)) throw error
          failure = error
        }
      throw failure
    },
    distrust() {
      isBroken = true
    },
  }
}

function noteFolders(path: string, folders: Set<string>): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end)
    if (folders.has(folder)) return
    folders.add(folder)
  }
}

const lookOf = ({ stats: { mode, size, mtimeMs, ctimeMs, ino } }: FoundFile): Look => [mode, size, mtimeMs, ctimeMs, ino]

const modeOf = ({ stats }: FoundFile): string => (stats.isSymbolicLink() ? '120000' : (stats.mode & 0o100) === 0 ? '100644' : '100755')

/** Git takes what begins with a zero for no text: such a file is named in a diff, and not spelled out. */
const contentOf = (found: FoundFile, most: number): Buffer =>
  readFound(found, most) ?? Buffer.from(`\0${found.stats.size} bytes, ${found.stats.mtimeMs}`)

function budgetOf({ files, bytes, ms }: LookLimits, started: number) {
  let [filesSeen, bytesRead] = [0, 0]
  const stopAt = (reached: boolean, reason: string): void => {
    if (reached) throw new Fault('repo_unwatched', { reason })
  }
  return {
    file() {
      filesSeen += 1
      stopAt(filesSeen > files, `it has more than ${files} files`)
      stopAt(Date.now() - started > ms, `looking at it takes longer than ${ms} ms`)
    },
    bytes(more: number) {
      bytesRead += more
      stopAt(bytesRead > bytes, `more than ${bytes} bytes of it are new`)
    },
  }
}

function load(file: string): Known {
  try {
    const { v, tree, files } = JSON.parse(readFileSync(file, 'utf8'))
    return v === VERSION && typeof tree === 'string' ? { tree, files: new Map(files) } : NOTHING
  } catch {
    return NOTHING
  }
}

async function save(file: string, { tree, files }: Known): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, JSON.stringify({ v: VERSION, tree, files: [...files] }))
  await rename(temporary, file)
}
