// Calls back when a deadline passes, however far away it is. Drops deadlines that have no waiter any more.
import type { TurnParts } from '../turns/performing.ts'

export interface Deadlines {
  /** @param at in milliseconds since 1970 */
  set(key: string, at: number, over: () => void): void
  forget(key: string): void
  close(): void
}

/** No timer waits for longer. */
const LONGEST_MS = 2_147_483_647

export function deadlinesOf({ now, wait }: Pick<TurnParts, 'now' | 'wait'>): Deadlines {
  const open = new Map<string, AbortController>()
  const forget = (key: string): void => {
    open.get(key)?.abort()
    open.delete(key)
  }
  return {
    forget,
    set(key, at, over) {
      forget(key)
      const controller = new AbortController()
      open.set(key, controller)
      const look = async (): Promise<void> => {
        while (!controller.signal.aborted && at > now()) await wait(Math.min(at - now(), LONGEST_MS), controller.signal)
        if (controller.signal.aborted) return
        open.delete(key)
        over()
      }
      void look()
    },
    close() {
      for (const key of [...open.keys()]) forget(key)
    },
  }
}
