// A record may say what no record of ours says. What is thrown over such a value is no accident of the house: it is told with a code.
import { Fault } from '../../errors.ts'

/** What values bring about that are not what they should be. Anything else is another matter. */
export const isMalformed = (error: unknown): error is Error =>
  !(error instanceof Fault) && (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)

/** For whoever throws on. */
export const malformedRun = (runId: string, error: unknown): unknown =>
  isMalformed(error) ? new Fault('run_malformed', { runId, reason: error.message }, { cause: error }) : error

/** What a question about a recorded run comes to; `run_malformed` when it says what no run says. */
export async function answerFor<T>(runId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw malformedRun(runId, error)
  }
}
