// The time limit for one answer of a host. Streams have limits of their own.
import type { Input } from '../commands.ts'
import { numberOption } from '../terminal.ts'

const DEFAULT_SECONDS = 30

/** In milliseconds. */
export const hostTimeout = ({ hostTimeout: seconds }: Input): number =>
  Math.ceil(1_000 * numberOption(seconds, '--host-timeout', DEFAULT_SECONDS, { least: 0.001, most: 1e6 }))
