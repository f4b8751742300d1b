// Folder: Reports for people, CI and editors.
// Prints a list for people: the first rows, and how to see the others. With --json it is complete, unless --limit is given.
import type { Input } from '../commands.ts'
import { numberOption } from '../terminal.ts'

const ROWS = 50
export const COUNT = { least: 1, most: Number.MAX_SAFE_INTEGER }

/** The number of rows to print. */
export const limitOf = ({ limit, json }: Input): number =>
  limit === undefined && json ? Infinity : numberOption(limit, '--limit', ROWS, COUNT)

/** The rows to print. A note on stderr gives the number of hidden rows, so that a pipe gets rows alone. */
export function firstRows<T>(all: readonly T[], input: Input): readonly T[] {
  tellRest(all.length, input)
  return all.slice(0, limitOf(input))
}

/** The newest rows of a list sorted by age, oldest first, in the same order. */
export function newestRows<T>(all: readonly T[], input: Input): readonly T[] {
  tellRest(all.length, input, ', all older,')
  return all.slice(Math.max(0, all.length - limitOf(input)))
}

function tellRest(count: number, input: Input, which = ''): void {
  const left = count - limitOf(input)
  if (left > 0 && !input.json) process.stderr.write(`${left} more${which} are not shown. Show all: --limit ${count}, or --json\n`)
}
