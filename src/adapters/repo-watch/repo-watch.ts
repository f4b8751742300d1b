// Folder: Changes of a repo while agents work on it. It writes nothing to the repo and names no author.
// Finds the changes in a repo during some work, by any author: compares the whole repo before and after. Never writes to the repo.
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { Fault } from '../../errors.ts'
import type { RepoChange, RepoWatch } from '../../ports.ts'
import { reasonOf } from '../processes/reasons.ts'
import { bytePath } from './byte-path.ts'
import { openLooks, type Start } from './open-looks.ts'
import { makeStore, openStore, privateGit, tidyStore } from './private-git.ts'
import { type ChangeLimits, readChange } from './read-change.ts'
import { type LookLimits, snapshots } from './snapshots.ts'

export type WatchLimits = LookLimits & ChangeLimits

export const WATCH_LIMITS: WatchLimits = {
  files: 200_000,
  fileBytes: 8 * 1024 * 1024,
  bytes: 2 * 1024 ** 3,
  ms: 60_000,
  diffBytes: 1024 * 1024,
  listed: 200,
}

/** After so many changes git is asked to tidy its store. The first one counts: there may be many processes, and none may see many. */
const TIDY_EVERY = 100

export interface WatchOptions {
  readonly limits?: Partial<WatchLimits>
  /** Folders that are not looked at, wherever they lie. */
  readonly without?: readonly string[]
}

/**
 * Null when there is no git on this machine.
 * @param folder where all that it keeps lies, contents of the repo among it; may be inside the repo
 */
export async function repoWatch(repo: string, folder: string, { limits = {}, without = [] }: WatchOptions = {}): Promise<RepoWatch | null> {
  const { ms, ...rest } = { ...WATCH_LIMITS, ...limits }
  const root = realpathSync(repo)
  const own = resolve(folder, createHash('sha256').update(root).digest('hex').slice(0, 16))
  const store = join(own, 'store')
  const git = privateGit(store, ms)
  if (!(await openStore(git, store))) return null
  const walk = {
    root,
    without: new Set([folder, ...without].map(path => bytePath(relative(root, realpathSync(path)).split(sep).join('/')))),
  }
  const { take, distrust } = snapshots(git, walk, join(own, 'files.json'), { ms, ...rest }, () => makeStore(git, store))
  const [looking, noting] = [keyedMutex(), keyedMutex()]
  const open = openLooks(join(own, 'open'), noting)
  let changes = 0

  /** Callers share a look that has not begun yet. */
  let next: Promise<string> | null = null
  const look = (): Promise<string> => {
    next ??= looking(() => {
      next = null
      return take()
    })
    return next
  }

  const changeSince = async (key: string, start: Start): Promise<RepoChange | null> => {
    const looked = 'problem' in start ? Promise.reject(new Error(start.problem)) : look()
    const end = (): Promise<boolean> => open.end(key)
    // Work that began during this look may be part of it.
    const shared = await looked.then(end, end)
    const tree = await looked
    if ('problem' in start || tree === start.tree) return null
    const change = await readChange(git, start.tree, tree, rest).catch(error => {
      distrust()
      throw error
    })
    // It may be done another time.
    if (changes % TIDY_EVERY === 0) await looking(() => tidyStore(git)).catch(() => {})
    changes += 1
    return { ...change, shared }
  }

  return {
    async before(key) {
      // Changes from before a crash, or from a failed attempt, are not reported yet.
      if (await open.isOpen(key)) return
      const start = await look().then(
        tree => ({ tree }),
        error => ({ problem: whyNot(error) }),
      )
      await open.begin(key, start)
    },
    async after(key) {
      try {
        const start = await open.find(key)
        return start === null ? null : await changeSince(key, start)
      } catch (error) {
        throw new Fault('repo_unwatched', { reason: whyNot(error) }, { cause: error })
      }
    },
    forget: open.forget,
  }
}

/** One thing after the other. */
function keyedMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
}

const whyNot = (error: unknown): string => (error instanceof Fault ? (error as Fault<'repo_unwatched'>).details.reason : reasonOf(error))
