// A second process swaps a folder for a link to outside while the tools work in it. What it swaps is never followed, on systems that name descriptors.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { type HostileRepo, hostileRepo, runTool, SECRET } from '../../testing/hostile-repo.ts'
import { repoTools } from './repo-tools.ts'

const SWAPPER = new URL('../../testing/swapping-process.mjs', import.meta.url).pathname

interface Swap {
  /** In the repo, and outside. */
  readonly paths: readonly [from: string, to: string]
  /** How long it stays so at the most. */
  readonly mostMs: number
}

/** Calls until `want` of them met what belongs there; how often it was swapped meanwhile, and every answer. */
async function whileSwapped({ root, outside }: HostileRepo, swap: Swap, want: number, calls: readonly (readonly [string, object])[]) {
  const [from, to] = [join(root, swap.paths[0]), join(outside, swap.paths[1])]
  const swapper = spawn(process.execPath, [SWAPPER, from, to, String(swap.mostMs)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = createInterface(swapper.stdout)[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    await said.next()
    const tools = repoTools(root)
    while (answers.filter(isMet).length < want)
      for (const [tool, args] of calls) answers.push(JSON.stringify(await runTool(tools, tool, args)))
  } finally {
    swapper.stdin.end()
  }
  return { swaps: Number((await said.next()).value), answers }
}

const isMet = (answer: string): boolean => !answer.startsWith('{"code"')
const answered = (answers: readonly string[], pattern: RegExp): number => answers.filter(answer => pattern.test(answer)).length

describe.runIf(process.platform === 'linux')('while something is swapped for a link and back', () => {
  it('of a folder: what is written, read, listed and deleted is inside, or refused', async () => {
    const repo = hostileRepo()
    mkdirSync(join(repo.root, 'swapped/deep'), { recursive: true })
    writeFileSync(join(repo.root, 'swapped/a.txt'), 'inside')
    const { swaps, answers } = await whileSwapped(repo, { paths: ['swapped', '.'], mostMs: 0.4 }, 600, [
      ['write_file', { path: 'swapped/secret.txt', content: 'PLANTED' }],
      ['write_file', { path: 'swapped/deep/secret.txt', content: 'PLANTED' }],
      ['write_file', { path: 'swapped/made/new.txt', content: 'PLANTED' }],
      ['read_file', { path: 'swapped/a.txt' }],
      ['list_files', { path: 'swapped' }],
      ['delete_file', { path: 'swapped/secret.txt' }],
      ['delete_file', { path: 'swapped/deep/secret.txt' }],
    ])
    expect(repo.changes()).toEqual([])
    expect(answered(answers, new RegExp(SECRET))).toBe(0)
    expect(swaps).toBeGreaterThan(1_000)
    expect(answered(answers, /repo_link_refused|repo_path_outside|repo_path_moved/)).toBeGreaterThan(50)
  })

  it('of the file itself: it is read from inside, and written in place of the link', async () => {
    const repo = hostileRepo()
    const path = 'src/a.txt'
    const { swaps, answers } = await whileSwapped(repo, { paths: [path, 'a.txt'], mostMs: 0.4 }, 400, [
      ['read_file', { path }],
      ['write_file', { path, content: 'PLANTED' }],
      ['read_file', { path }],
    ])
    expect(repo.changes()).toEqual([])
    expect(answered(answers, new RegExp(SECRET))).toBe(0)
    expect(swaps).toBeGreaterThan(500)
  })

  it('of the folder it is to start in: a command starts inside, or not at all', async () => {
    const repo = hostileRepo()
    mkdirSync(join(repo.root, 'swapped'))
    const cmd = 'cat a.txt secret.txt 2>/dev/null; echo PLANTED > a.txt; /bin/pwd'
    const { swaps, answers } = await whileSwapped(repo, { paths: ['swapped', '.'], mostMs: 2 }, 40, [['command', { cmd, cwd: 'swapped' }]])
    expect(repo.changes()).toEqual([])
    expect(answered(answers, new RegExp(`${SECRET}|/outside`))).toBe(0)
    expect(swaps).toBeGreaterThan(200)
  })
})
