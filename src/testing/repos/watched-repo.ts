// A repo in a folder of its own, to be changed and looked at, and git as the judge of what changed in it.
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface WatchedRepo {
  readonly root: string
  /** The folder where the watch stores its data. */
  readonly folder: string
  /** Runs git without user settings, and not with the repository that may be in the repo. */
  git(...words: readonly string[]): string
  /** All that is there now, ignored or not, as git names it. */
  tree(): string
  /** Applies a diff to a tree. */
  applied(tree: string, diff: Uint8Array): string
  remove(): void
}

export function newRepo(): WatchedRepo {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-watch-'))
  const [root, judge] = [join(folder, 'repo'), join(folder, 'judge')]
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_DIR: judge, GIT_WORK_TREE: root }
  const run = (words: readonly string[], input: Uint8Array = new Uint8Array()): string =>
    execFileSync('git', ['-c', 'core.quotePath=false', '-c', 'apply.whitespace=nowarn', ...words], {
      cwd: root,
      env,
      input,
      encoding: 'utf8',
    })
  mkdirSync(root)
  run(['init', '-q'])
  return {
    root,
    folder: join(folder, 'kept'),
    git: (...words) => run(words),
    tree() {
      run(['add', '-A', '-f', '.'])
      return run(['write-tree']).trim()
    },
    applied(tree, diff) {
      run(['read-tree', tree])
      run(['apply', '--cached', '-'], diff)
      return run(['write-tree']).trim()
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly content: string | Uint8Array; readonly executable?: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }

/** Removes an obstacle at the path first. */
export function edit(root: string, change: Edit): void {
  const path = join(root, change.path)
  let above = root
  for (const name of change.path.split('/').slice(0, -1)) {
    above = join(above, name)
    if (lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(above)
  }
  rmSync(path, { recursive: true, force: true })
  if (change.kind === 'remove') return
  mkdirSync(dirname(path), { recursive: true })
  if (change.kind === 'link') return symlinkSync(change.to, path)
  writeFileSync(path, change.content)
  chmodSync(path, change.executable === true ? 0o755 : 0o644)
}
