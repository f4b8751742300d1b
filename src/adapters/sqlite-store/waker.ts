// Wakes readers that wait for new events: at once for writes of this process, within moments for writes of another.
import { streamFamily } from '../../core/record/event.ts'
import type { Commit, Store } from '../../ports.ts'
import type { Statements } from './statements.ts'

/** The interval at which to poll for writes of other processes, while a reader waits. */
const LOOK_EVERY_MS = 50

export interface Waker {
  /** Where things stand: to be asked before reading. */
  moment: Store['moment']
  /** The data version of the file: it changes when another connection has written. */
  version(): number
  /** Resolves when something has been written since that moment, when the signal aborts, and when the store is closed. */
  after(moment: string, signal: AbortSignal): Promise<void>
  /** @param commits those that this connection has just written */
  wake(commits: readonly Commit[]): void
  close(): void
  readonly closed: boolean
}

/** By this process, to whichever file: several stores may be open on one. */
let writes = 0

export function wakerOf(statements: Statements): Waker {
  const waiting = new Set<() => void>()
  let written = 0
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let isSeen = false
  let seenVersion = -1
  let seenAt = 0
  /** Commits of this connection, by the family of the streams that they wrote to. */
  const byFamily = new Map<string, number>()
  let erasures = 0

  const forget = () => {
    isSeen = false
  }
  const version = (): number => {
    if (isSeen && seenAt === writes) return seenVersion
    // Calls after this turn of the event loop read the version again. A caller that waited for another process's write cannot run within this turn.
    if (!isSeen) setImmediate(forget)
    isSeen = true
    seenAt = writes
    seenVersion = (statements.version.get() as { data_version: number }).data_version
    return seenVersion
  }
  const moment = (families?: readonly string[]): string => {
    if (families === undefined) return `${written} ${version()}`
    return `${erasures} ${families.map(family => byFamily.get(family) ?? 0).join(',')} ${version()}`
  }
  const wake = (commits: readonly Commit[]) => {
    for (const { appends = [], erase = [] } of commits) {
      if (erase.length > 0) erasures++
      for (const { stream } of appends) byFamily.set(streamFamily(stream), (byFamily.get(streamFamily(stream)) ?? 0) + 1)
    }
    written++
    writes++
    for (const resume of [...waiting]) resume()
  }
  /** An error here occurs again when the woken reader reads, and is reported there. */
  const hasMoved = (from: string): boolean => {
    try {
      return moment() !== from
    } catch {
      return true
    }
  }
  const lookFrom = (from: string) => () => {
    if (hasMoved(from)) wake([])
  }

  return {
    moment,
    version,
    wake,
    after: (from, signal) =>
      new Promise(resolve => {
        if (signal.aborted || closed || moment() !== from) return resolve()
        const resume = () => {
          waiting.delete(resume)
          signal.removeEventListener('abort', resume)
          if (waiting.size === 0) clearInterval(timer)
          resolve()
        }
        signal.addEventListener('abort', resume)
        // All waiters have seen the same moment: a waiter with another moment is resumed at once.
        if (waiting.size === 0) timer = setInterval(lookFrom(from), LOOK_EVERY_MS)
        waiting.add(resume)
      }),
    close() {
      closed = true
      wake([])
    },
    get closed() {
      return closed
    },
  }
}
