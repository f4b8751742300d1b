// Computes the change between two trees: the files, and a unified diff. Long ones are truncated and marked. Removes no secrets.
import type { ChangedFile } from '../../core/run/changes.ts'
import type { RepoChange } from '../../ports.ts'
import { pathText } from './byte-path.ts'
import type { PrivateGit } from './private-git.ts'

export interface ChangeLimits {
  readonly diffBytes: number
  /** How many files are listed. */
  readonly listed: number
}

const HOW = ['diff-tree', '-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']

export async function readChange(
  git: PrivateGit,
  before: string,
  after: string,
  { diffBytes, listed }: ChangeLimits,
): Promise<Omit<RepoChange, 'shared'>> {
  const list = await git.run([...HOW, '--raw', '--numstat', '-z', before, after])
  const { out, bytes } = await git.run([...HOW, '--patch', before, after], diffBytes)
  const all = filesIn(list.out.toString('latin1')).map(file => ({ ...file, path: pathText(file.path) }))
  const files = all.slice(0, countWithin(all, listed))
  const text = out.toString('latin1')
  const kept = bytes === out.length ? text : text.slice(0, text.lastIndexOf('\n') + 1)
  const cut = bytes - kept.length
  return {
    diff: Buffer.from(kept + (cut === 0 ? '' : `[${cut} bytes of this diff are left out]\n`), 'latin1'),
    cut,
    files,
    more: all.length - files.length,
  }
}

/** The limit for all paths in one event. */
const MOST_CHARACTERS = 32 * 1024

function countWithin(files: readonly ChangedFile[], listed: number): number {
  let left = MOST_CHARACTERS
  const over = files.findIndex(({ path }, index) => {
    left -= path.length
    return index >= listed || left < 0
  })
  return over === -1 ? files.length : over
}

const CHANGES: Readonly<Record<string, ChangedFile['change']>> = { A: 'added', D: 'deleted' }

/** First the status of every file, with its path behind it; then, in the same order, how many lines of each. */
function filesIn(list: string): readonly ChangedFile[] {
  const pieces = list.split('\0')
  const start = pieces.findIndex((piece, index) => index % 2 === 0 && !piece.startsWith(':'))
  return pieces.slice(start, -1).map((counts, index) => {
    const [added, removed] = counts.split('\t', 2).map(count => (count === '-' ? null : Number(count)))
    const status = pieces[2 * index]!.at(-1)!
    return { path: pieces[2 * index + 1]!, change: CHANGES[status] ?? 'changed', added: added!, removed: removed! }
  })
}
