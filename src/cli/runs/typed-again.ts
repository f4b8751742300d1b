// What a command was given, as the next one is to be given it: so that a line that is printed can be typed as it stands.
import type { Input } from '../commands.ts'
import { quoted } from '../demo/shell-words.ts'

/** Which record is meant. Never the key of a host: it would stay on the screen. */
const PLACE = ['data', 'tenant', 'url'] as const
const WORK = ['script', 'recordings', 'policy', 'repo', 'config'] as const

const typed = (input: Input, names: readonly string[]): string =>
  names.flatMap(name => (typeof input[name] === 'string' ? [` --${name} ${quoted(input[name])}`] : [])).join('')

/** For commands that look, or only leave something for whoever is at the run. */
export const placeAgain = (input: Input): string => typed(input, PLACE)

/** For commands that go on with the run. */
export const workAgain = (input: Input): string => typed(input, [...WORK, ...PLACE])
