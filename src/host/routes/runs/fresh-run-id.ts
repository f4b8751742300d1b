// A name for a new run. The one place where a host needs a clock and chance for it.
import { randomBytes } from 'node:crypto'
import { runIdOf } from '../../../core/run/run-id.ts'

export const freshRunId = (): string => runIdOf(Date.now(), randomBytes(20))
