// Detects runs that another process has claimed, or that are replays: this process records nothing more about them.
import { Fault } from '../../../errors.ts'

/** To have been refused by another run is another matter. */
export const isLost = (error: unknown, runId: string | undefined): boolean =>
  error instanceof Fault &&
  (error.code === 'run_not_owned' || error.code === 'run_is_replay') &&
  (error as Fault<'run_not_owned'>).details.runId === runId
