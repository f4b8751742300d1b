// Creates the id of a new run: the one place where a host uses the clock and random bytes for it.
import { randomBytes } from 'node:crypto'
import { runIdOf } from '../../../core/run/run-id.ts'

export const freshRunId = (): string => runIdOf(Date.now(), randomBytes(20))
