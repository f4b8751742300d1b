// Retries a decision on the current state when another writer commits first. Retries nothing else.
import { Fault } from '../../errors.ts'

/** @param attempt reads where the stream is, decides and commits */
export async function optimisticRetry<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
  }
}
