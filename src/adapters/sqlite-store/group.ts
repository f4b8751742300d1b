// Commits that come at the same time share one transaction, and so one sync to disk.
import { Fault } from '../../errors.ts'
import type { Clock, Commit, Committed } from '../../ports.ts'
import { faultOf } from './faults.ts'
import { type Writing, writeCommit } from './write-commit.ts'

interface Pending {
  readonly commit: Commit
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

export interface Group {
  add(commit: Commit): Promise<Committed>
  /** Writes what waits. */
  flush(): void
}

/** @param check throws when the file is no longer what was opened */
export function groupOf(path: string, writing: Writing, clock: Clock, check: () => void, written: () => void): Group {
  let waiting: Pending[] = []
  let unemptied = false

  const flush = () => {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    const settled = writeGroup(path, writing, clock, check, group)
    unemptied ||= group.some(({ commit }) => commit.erase !== undefined)
    if (unemptied) unemptied = !emptyLog(writing)
    for (const settle of settled) settle()
    written()
  }

  return {
    flush,
    add: commit =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ commit, resolve, reject })
      }),
  }
}

/** A commit that is refused takes nothing with it but itself; what the disk refuses, it refuses for all. */
function writeGroup(path: string, writing: Writing, clock: Clock, check: () => void, group: readonly Pending[]): readonly (() => void)[] {
  const { statements, heads } = writing
  let open = false
  try {
    statements.begin.run()
    open = true
    check()
    heads.refresh()
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
    if (open) undo(writing)
    const fault = faultOf(path, error)
    return group.map(
      ({ reject }) =>
        () =>
          reject(fault),
    )
  }
}

/** What was erased is erased, whatever comes of this. False when somebody reads, or the disk would not have it: the next commit tries again. */
function emptyLog({ statements }: Writing): boolean {
  try {
    statements.waitBriefly.all()
    const [said] = statements.empty.all() as unknown as { busy: number }[]
    return said?.busy === 0
  } catch {
    return false
  } finally {
    statements.waitLong.all()
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
