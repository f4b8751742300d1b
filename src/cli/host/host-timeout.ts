// How long a command waits for an answer of a host. Streams and follow-ups have limits of their own.
import type { Input } from '../commands.ts'
import { numberOption } from '../terminal.ts'

const DEFAULT_SECONDS = 30

/** In milliseconds. */
export const hostTimeout = ({ hostTimeout: seconds }: Input): number =>
  Math.ceil(1_000 * numberOption(seconds, '--host-timeout', DEFAULT_SECONDS, { least: 0.001, most: 1e6 }))
