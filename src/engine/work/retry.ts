// Retries work with longer and longer waits. Troubles of the disk are waited out; any other failure is retried a few times.

import type { TurnParts } from '../turns/performing.ts'
import { isStoreTrouble } from './store-trouble.ts'

const MOST_TRIES = 6
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 15_000

/** The wait before the next try, in milliseconds. @param tried how often it was tried so far */
export const retryWait = (tried: number): number => Math.min(FIRST_WAIT_MS * 2 ** (tried - 1), LONGEST_WAIT_MS)

/**
 * @param failed gets the error of every failed try
 * @param signal ends the retries; the next process takes the work up
 */
export async function retry(
  { wait }: Pick<TurnParts, 'wait'>,
  work: () => Promise<unknown>,
  failed: (error: Error) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let tried = 1; !signal.aborted; tried += 1) {
    try {
      await work()
      return
    } catch (error) {
      failed(error as Error)
      if (tried >= MOST_TRIES && !isStoreTrouble(error)) return
      await wait(retryWait(tried), signal)
    }
  }
}
