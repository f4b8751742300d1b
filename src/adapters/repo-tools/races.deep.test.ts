// A second process swaps a folder for a link to outside while the tools work in it. The tools never follow it, on systems that name descriptors.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type HostileRepo, hostileRepo, runTool, SECRET } from '../../testing/repos/hostile-repo.ts'
import { callsInRun } from '../../testing/stories/calls-in-run.ts'
import { repoTools } from './repo-tools.ts'

const SWAPPER = fileURLToPath(new URL('../../testing/repos/swapping-process.mjs', import.meta.url))

interface Swap {
  /** In the repo, and outside. */
  readonly paths: readonly [from: string, to: string]
  readonly times: number
  /** How long it stays so at the most. */
  readonly mostMs: number
}

/** Until it is stopped. */
function swapping({ root, outside }: HostileRepo, { paths, mostMs }: Omit<Swap, 'times'>) {
  const [from, to] = [join(root, paths[0]), join(outside, paths[1])]
  const swapper = spawn(process.execPath, [SWAPPER, from, to, String(mostMs)], { stdio: ['pipe', 'pipe', 'inherit'] })
  let times = 0
  swapper.stdout.on('data', (dots: Buffer) => {
    times += 20 * dots.length
  })
  return {
    times: () => times,
    async stop(): Promise<void> {
      swapper.stdin.end()
      await once(swapper, 'close')
    },
  }
}

/** Calls until it was swapped often, and `want` calls met what belongs there; every answer. */
async function whileSwapped(repo: HostileRepo, swap: Swap, want: number, calls: readonly (readonly [string, object])[]) {
  const swaps = swapping(repo, swap)
  const tools = repoTools(repo.root)
  const answers: string[] = []
  while (swaps.times() < swap.times || answers.filter(isMet).length < want)
    for (const [tool, args] of calls) answers.push(JSON.stringify(await runTool(tools, tool, args)))
  await swaps.stop()
  return answers
}

const isMet = (answer: string): boolean => !answer.startsWith('{"code"')
const answered = (answers: readonly string[], pattern: RegExp): number => answers.filter(answer => pattern.test(answer)).length

describe.runIf(process.platform === 'linux')('while something is swapped for a link and back', () => {
  it('of a folder: what is written, read, listed and deleted is inside, or refused', async () => {
    const repo = hostileRepo()
    mkdirSync(join(repo.root, 'swapped/deep'), { recursive: true })
    writeFileSync(join(repo.root, 'swapped/a.txt'), 'inside')
    const answers = await whileSwapped(repo, { paths: ['swapped', '.'], times: 2_000, mostMs: 0.4 }, 400, [
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
    expect(answered(answers, /repo_link_refused|repo_path_outside|repo_path_moved/)).toBeGreaterThan(50)
  })

  it('of the file itself: it is read from inside, and written in place of the link', async () => {
    const repo = hostileRepo()
    const path = 'src/a.txt'
    const answers = await whileSwapped(repo, { paths: [path, 'a.txt'], times: 2_000, mostMs: 0.4 }, 300, [
      ['read_file', { path }],
      ['write_file', { path, content: 'PLANTED' }],
      ['read_file', { path }],
    ])
    expect(repo.changes()).toEqual([])
    expect(answered(answers, new RegExp(SECRET))).toBe(0)
  })

  it('of the folder it is to start in: a command starts inside, or not at all', async () => {
    const repo = hostileRepo()
    mkdirSync(join(repo.root, 'swapped'))
    const cmd = 'cat a.txt secret.txt 2>/dev/null; echo PLANTED > a.txt; /bin/pwd'
    const answers = await whileSwapped(repo, { paths: ['swapped', '.'], times: 200, mostMs: 2 }, 40, [['command', { cmd, cwd: 'swapped' }]])
    expect(repo.changes()).toEqual([])
    expect(answered(answers, new RegExp(`${SECRET}|/outside`))).toBe(0)
  })

  it('in a run, behind the gate: nothing outside is read or changed', async () => {
    const repo = hostileRepo()
    mkdirSync(join(repo.root, 'swapped'))
    writeFileSync(join(repo.root, 'swapped/a.txt'), 'inside')
    const swaps = swapping(repo, { paths: ['swapped', '.'], mostMs: 2 })
    const round = [
      ['write_file', { path: 'swapped/secret.txt', content: 'PLANTED' }],
      ['read_file', { path: 'swapped/a.txt' }],
      ['list_files', { path: 'swapped' }],
      ['delete_file', { path: 'swapped/secret.txt' }],
    ] as const
    const { told, state } = await callsInRun({ root: repo.root }, Array(60).fill(round).flat())
    await swaps.stop()
    expect(repo.changes()).toEqual([])
    expect(JSON.stringify(told)).not.toContain(SECRET)
    expect([told.length, state.phase]).toEqual([240, 'completed'])
    expect(new Set(told.map(({ isError }) => isError))).toEqual(new Set([true, false]))
    expect(swaps.times()).toBeGreaterThan(100)
  })
})
