// When somebody was quicker, what was decided no longer holds: it is decided again, on what is there now. Nothing else is tried twice.
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
