// Repeats the options of a command for the next one, so that a printed command can be copied and run.
import type { Input } from '../commands.ts'
import { quoted } from '../demo/shell-words.ts'

/** Options that select the record. Never the key of a host: it would stay on the screen. */
const PLACE = ['data', 'tenant', 'url'] as const
const WORK = ['script', 'recordings', 'policy', 'repo', 'config'] as const

const typed = (input: Input, names: readonly string[]): string =>
  names.flatMap(name => (typeof input[name] === 'string' ? [` --${name} ${quoted(input[name])}`] : [])).join('')

/** For commands that read, or only send something to a process that works on the run. */
export const placeAgain = (input: Input): string => typed(input, PLACE)

/** For commands that continue the run. */
export const workAgain = (input: Input): string => typed(input, [...WORK, ...PLACE])
