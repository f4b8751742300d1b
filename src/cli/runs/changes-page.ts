// Shows the changes of the repo in a step: in one line, and as a diff. Reads only the record.
import pc from 'picocolors'
import type { FilesChange } from '../../core/run/changes.ts'
import type { StepChange } from '../../core/run/reading/reading.ts'
import { visible, visibleLines } from '../report/visible.ts'
import type { Bodies } from './bodies.ts'

/** The greatest number of paths in one line. */
const MOST_NAMED = 5

/** `2 files changed (+10 −3): a.ts, b.ts` */
export function changeText({ by, files, more, shared }: StepChange): string {
  const count = files.length + more
  const sum = (side: 'added' | 'removed'): number => files.reduce((total, file) => total + (file[side] ?? 0), 0)
  const lines = `(${more > 0 ? 'more than ' : ''}+${sum('added')} −${sum('removed')})`
  const named = files.slice(0, MOST_NAMED).map(({ path }) => path)
  const rest = count > named.length ? `, and ${count - named.length} more` : ''
  const who = shared ? ', while others changed files too' : by === 'model' ? ', by the agent itself' : ''
  return `${count} ${count === 1 ? 'file' : 'files'} changed ${lines}${who}: ${named.join(', ')}${rest}`
}

/** A warning for files that the diff can only name: git refuses to apply them. */
export function unappliable(changes: readonly Pick<FilesChange, 'files'>[]): string {
  const paths = new Set(changes.flatMap(({ files }) => files.filter(({ added }) => added === null).map(({ path }) => path)))
  return [...paths]
    .map(path => `onbook: ${visible(path)} is not text, so the diff only names it: apply the diff with git apply --exclude\n`)
    .join('')
}

/** In order; null for a diff whose bytes were erased. */
export const diffsOf = (changes: readonly Pick<FilesChange, 'diff'>[], bodies: Bodies): Promise<readonly (Uint8Array | null)[]> =>
  Promise.all(changes.map(({ diff }) => bodies.bytes(diff)))

/** The diff for a terminal, without control characters. */
export function diffPage(diff: Uint8Array, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const painted = (line: string): string => {
    if (/^(?:diff |index |(?:---|\+\+\+) |(?:new|deleted|old) )/.test(line)) return color.bold(line)
    if (line.startsWith('@@')) return color.cyan(line)
    return line.startsWith('+') ? color.green(line) : line.startsWith('-') ? color.red(line) : line
  }
  return visibleLines(new TextDecoder().decode(diff)).map(painted).join('\n')
}
