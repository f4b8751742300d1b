// Groups concurrent commits into one transaction, and so one sync to disk.
import { Fault } from '../../errors.ts'
import type { Clock, Commit, Committed } from '../../ports.ts'
import { BUSY_MS } from './database.ts'
import { faultOf, isBusy } from './faults.ts'
import { backOff } from './when-free.ts'
import { type Writing, writeCommit } from './write-commit.ts'

interface Pending {
  readonly commit: Commit
  /** Until when it waits for another process that writes. */
  readonly deadline: number
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

export interface Group {
  add(commit: Commit): Promise<Committed>
  /** When nothing waits any more. */
  drained(): Promise<void>
}

/** @param check throws when the file is no longer what was opened */
export function groupOf(
  path: string,
  writing: Writing,
  clock: Clock,
  check: () => void,
  written: (commits: readonly Commit[]) => void,
): Group {
  let waiting: Pending[] = []
  let unemptied = false
  let pause = 0
  const whenDrained: (() => void)[] = []

  const flush = () => {
    const group = waiting
    waiting = []
    const settled = writeGroup(path, writing, clock, check, group)
    if (settled === null) return tryLater(group)
    pause = 0
    unemptied ||= group.some(({ commit }) => commit.erase !== undefined)
    if (unemptied) unemptied = !emptyLog(writing)
    for (const settle of settled) settle()
    written(group.map(({ commit }) => commit))
    drain()
  }

  /** Another process writes. This thread has other work meanwhile: it serves readers. */
  const tryLater = (group: readonly Pending[]): void => {
    const now = performance.now()
    waiting = group.filter(({ deadline }) => deadline > now)
    for (const { deadline, reject } of group) if (deadline <= now) reject(new Fault('store_busy', { path }))
    pause = backOff(pause)
    if (waiting.length > 0) setTimeout(flush, pause)
    drain()
  }

  const drain = (): void => {
    if (waiting.length === 0) for (const resolve of whenDrained.splice(0)) resolve()
  }

  return {
    drained: () =>
      new Promise(resolve => {
        whenDrained.push(resolve)
        drain()
      }),
    add: commit =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ commit, deadline: performance.now() + BUSY_MS, resolve, reject })
      }),
  }
}

type Settled = readonly (() => void)[]

/**
 * A commit that is refused takes nothing with it but itself; what the disk refuses, it refuses for all.
 * @returns null when another process writes, and nothing was done
 */
function writeGroup(path: string, writing: Writing, clock: Clock, check: () => void, group: readonly Pending[]): Settled | null {
  const { statements, heads, objects } = writing
  let open = false
  try {
    if (!beginAtOnce(writing)) return null
    open = true
    check()
    if (heads.refresh()) objects.forget()
    const at = clock()
    const settled = group.map(({ commit, resolve, reject }) => {
      try {
        const committed = writeCommit(writing, commit, at)
        return () => resolve(committed)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        return () => reject(error)
      }
    })
    statements.end.run()
    return settled
  } catch (error) {
    heads.forget()
    objects.forget()
    if (open) undo(writing)
    const fault = faultOf(path, error)
    return group.map(
      ({ reject }) =>
        () =>
          reject(fault),
    )
  }
}

/** False when another process writes. */
function beginAtOnce({ statements }: Writing): boolean {
  statements.waitNever.all()
  try {
    statements.begin.run()
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  } finally {
    statements.waitToRead.all()
  }
}

/** Erased data stays erased if this fails. False when a reader is active or the disk refuses: the next commit tries again. */
function emptyLog({ statements }: Writing): boolean {
  try {
    statements.waitBriefly.all()
    const [said] = statements.empty.all() as unknown as { busy: number }[]
    return said?.busy === 0
  } catch {
    return false
  } finally {
    statements.waitToRead.all()
  }
}

/** SQLite may have undone it already: a full disk, a failed read. */
function undo({ statements }: Writing): void {
  try {
    statements.undo.run()
  } catch {
    // Nothing was open any more: that is what was wanted.
  }
}
