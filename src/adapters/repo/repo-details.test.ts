// Facts about a repo, compared with git's own answers.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repoDetails } from './repo-details.ts'

const fresh = () => mkdtempSync(join(tmpdir(), 'onbook-repo-'))
const git = (root: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main', ...words], {
    cwd: root,
    encoding: 'utf8',
  }).trim()

function repository(): string {
  const root = fresh()
  git(root, 'init', '-q')
  writeFileSync(join(root, 'a'), 'a')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'a')
  return root
}

it('has the branch and the commit that git has, loose and packed', async () => {
  const root = repository()
  git(root, 'checkout', '-qb', 'feature/one')
  const commit = git(root, 'rev-parse', 'HEAD')
  expect(await repoDetails(root)).toEqual({ root, branch: 'feature/one', commit })
  git(root, 'pack-refs', '--all')
  expect(await repoDetails(root)).toEqual({ root, branch: 'feature/one', commit })
})

it('has no branch where none is checked out', async () => {
  const root = repository()
  git(root, 'checkout', '-q', '--detach')
  expect(await repoDetails(root)).toEqual({ root, commit: git(root, 'rev-parse', 'HEAD') })
})

it('knows a worktree', async () => {
  const root = repository()
  const beside = join(fresh(), 'beside')
  git(root, 'worktree', 'add', '-q', '-b', 'other', beside)
  expect(await repoDetails(beside)).toEqual({ root: beside, branch: 'other', commit: git(root, 'rev-parse', 'HEAD') })
})

it('has only the folder where there is no repository, or a broken one, or one without a commit', async () => {
  const root = fresh()
  expect(await repoDetails(root)).toEqual({ root })
  mkdirSync(join(root, '.git'))
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/../../../secret\n')
  expect(await repoDetails(root)).toEqual({ root, branch: '../../../secret' })
  const empty = fresh()
  git(empty, 'init', '-q')
  expect(await repoDetails(empty)).toEqual({ root: empty, branch: 'main' })
})
