// Folder: Facts about a repo: branch, commit, roles. It runs nothing.
// Reads the repo facts for prompts: its path, its branch and its commit, from git's own files. Runs nothing.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from '../../core/compose/task-payload.ts'

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Unreadable facts are left out: a folder need not be a git repository. */
export async function repoDetails(root: string): Promise<Repository> {
  const git = await gitFolder(root)
  const head = git === null ? null : await lineOf(join(git, 'HEAD'))
  if (git === null || head === null) return { root }
  const ref = /^ref: (refs\/heads\/([^\0]+))$/.exec(head)
  if (ref === null) return COMMIT.test(head) ? { root, commit: head } : { root }
  const commit = await commitAt(git, ref[1]!)
  return { root, branch: ref[2]!, ...(commit === null ? {} : { commit }) }
}

/** In a worktree it lies elsewhere, and a file says where. */
async function gitFolder(root: string): Promise<string | null> {
  const linked = /^gitdir: (.+)$/.exec((await lineOf(join(root, '.git'))) ?? '')
  return linked === null ? join(root, '.git') : linked[1]!
}

async function commitAt(git: string, ref: string): Promise<string | null> {
  const common = (await lineOf(join(git, 'commondir'))) ?? '.'
  for (const folder of [git, join(git, common)]) {
    const loose = ref.split('/').includes('..') ? null : await lineOf(join(folder, ref))
    if (loose !== null && COMMIT.test(loose)) return loose
    const packed = await textOf(join(folder, 'packed-refs'))
    const found = packed?.split('\n').find(line => line.endsWith(` ${ref}`))
    const commit = found?.split(' ')[0] ?? ''
    if (COMMIT.test(commit)) return commit
  }
  return null
}

const textOf = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null)
const lineOf = async (path: string): Promise<string | null> => (await textOf(path))?.split('\n')[0]?.trim() ?? null
