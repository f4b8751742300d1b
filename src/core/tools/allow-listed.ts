// Checks whether a shell line is a plain command on an allow list. In doubt it is not: a line that a shell does more with
// than split is refused.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'

/** None of these means anything to a shell inside a word. */
const WORD = /^[A-Za-z0-9_./@:+,%=^-]+$/
/** Matches any words that are neither options nor lead out of the folder: those must be written out. */
const ANY = '*'
const HARMLESS = /^(?![-/])(?!(?:.*[/=:])?\.\.(?:\/|$))/

/** @param list such as `git status` and `git log --oneline *`; a star is the last word. */
export function allowListed(line: string, list: readonly string[]): boolean {
  const words = wordsOf(line)
  return (
    words.length > 0 && words.every(word => WORD.test(word)) && !words[0]!.includes('=') && list.some(entry => fits(words, wordsOf(entry)))
  )
}

/**
 * The arguments of a command that planning may run. In the root only: a planner may write files to docs that some commands
 * obey, such as a package.json.
 */
export const isPlanningCommand = (args: Json, list: readonly string[]): boolean =>
  isObject(args) && typeof args.cmd === 'string' && (args.cwd === undefined || args.cwd === '.') && allowListed(args.cmd, list)

/** Split at blanks alone: any other white space is part of a word, and no word may have it. */
const wordsOf = (line: string): readonly string[] => line.split(' ').filter(word => word !== '')

function fits(words: readonly string[], entry: readonly string[]): boolean {
  const open = entry.length > 1 && entry.at(-1) === ANY
  const fixed = open ? entry.slice(0, -1) : entry
  const rest = words.slice(fixed.length)
  return fixed.every((word, index) => word === words[index]) && (open ? rest.every(word => HARMLESS.test(word)) : rest.length === 0)
}
