// Work that has to be done, though the disk may refuse for a while: tried again, each time after a longer wait, and then left to whoever comes next.
import type { SessionParts } from './sessions/performing.ts'

const MOST_TRIES = 6
const FIRST_WAIT_MS = 250
const never = new AbortController().signal

/** @param failed told of every try that fails */
export async function keepTrying(
  { wait }: Pick<SessionParts, 'wait'>,
  work: () => Promise<unknown>,
  failed: (error: Error) => void,
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await work()
      return
    } catch (error) {
      failed(error as Error)
      if (tried === MOST_TRIES) return
      await wait(FIRST_WAIT_MS * 2 ** (tried - 1), never)
    }
  }
}
