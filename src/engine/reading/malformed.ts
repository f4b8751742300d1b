// Turns the errors that malformed records cause into faults with a code: they are not defects of this program.
import { Fault } from '../../errors.ts'

/** Whether a value of the wrong form may have caused the error. */
export const isMalformed = (error: unknown): error is Error =>
  !(error instanceof Fault) && (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)

/** The error to throw: a fault for a malformed run, else the same error. */
export const malformedRun = (runId: string, error: unknown): unknown =>
  isMalformed(error) ? new Fault('run_malformed', { runId, reason: error.message }, { cause: error }) : error

/** Runs a query on a recorded run; throws `run_malformed` when the record is malformed. */
export async function answerFor<T>(runId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw malformedRun(runId, error)
  }
}
