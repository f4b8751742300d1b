// Random edits: git applies the diff to the state before and gets the state after. Also the cost of a look.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { edit, newRepo } from '../../testing/repos/watched-repo.ts'
import { repoWatch } from './repo-watch.ts'

const WATCHER = fileURLToPath(new URL('../../testing/repos/watching-process.mjs', import.meta.url))
const SWAPPER = fileURLToPath(new URL('../../testing/repos/swapping-process.mjs', import.meta.url))

it('whatever is edited, the diff leads from what was there to what is there', { timeout: 600_000 }, async () => {
  // Git does not read its own diff of an empty file whose folder ends in a blank.
  const name = fc.constantFrom('a', 'b', 'c', 'ü n', 'tab\t', 'q"q', 'nl\nx', '-x', 'back\\slash', 'a b', '\u{1f600}', '[x]')
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'))
  const line = fc.constantFrom('', 'one', 'two', 'drei ü', '--- a', '+++ b', '@@ -1 +1 @@', '\\ No newline', 'x\r', '\u00a0', '\t')
  const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''))
  const content = fc.oneof(
    { weight: 4, arbitrary: text.map(value => Buffer.from(value)) },
    fc.uint8Array({ min: 1, maxLength: 40 }).map(bytes => Buffer.from(bytes)),
  )
  const change = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), path, content, executable: fc.boolean() }) },
    fc.record({ kind: fc.constant('link' as const), path, to: path }),
    fc.record({ kind: fc.constant('remove' as const), path }),
  )
  const changes = fc.array(change, { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(changes, changes, async (first, second) => {
      const repo = newRepo()
      try {
        for (const one of first) edit(repo.root, one)
        const watch = (await repoWatch(repo.root, repo.folder))!
        await watch.before('k')
        const before = repo.tree()
        for (const one of second) edit(repo.root, one)
        const found = await watch.after('k')
        const after = repo.tree()
        expect(found === null).toBe(before === after)
        const diff = Buffer.from(found?.diff ?? [])
        expect(diff.toString()).toBe(repo.git('diff', '--no-renames', before, after))
        expect(found === null ? before : repo.applied(before, diff)).toBe(after)
      } finally {
        repo.remove()
      }
    }),
    { numRuns: 80 },
  )
})

it('whenever it is killed, no change is lost: the next process tells what it had not told', { timeout: 300_000 }, async () => {
  const repo = newRepo()
  const told = join(repo.root, '../told')
  for (let kill = 0; kill < 30; kill++) {
    const child = spawn(process.execPath, [WATCHER, repo.root, repo.folder, told], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await new Promise(resolve => setTimeout(resolve, Math.random() * 150))
    child.kill('SIGKILL')
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
  }
  const last = await (await repoWatch(repo.root, repo.folder))!.after('k')
  const lines = (text: string): readonly string[] => [...text.matchAll(/^\+?(line \d+)$/gm)].map(([, line]) => line!)
  const known = new Set(lines(readFileSync(told, 'latin1') + Buffer.from(last?.diff ?? []).toString()))
  const there = lines(readFileSync(join(repo.root, 'story'), 'utf8'))
  expect(there.filter(line => !known.has(line))).toEqual([])
  expect(there.length).toBeGreaterThan(30)
  repo.remove()
})

it('nothing outside is ever seen, though a folder is swapped for a link that leads there', { timeout: 120_000 }, async () => {
  const repo = newRepo()
  const outside = join(repo.root, '../outside')
  for (let file = 0; file < 50; file++)
    for (const [folder, text] of [
      [join(repo.root, 'sub'), 'inside\n'],
      [outside, 'SECRET\n'],
    ] as const) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `f${file}`), text)
    }
  const swapper = spawn(process.execPath, [SWAPPER, join(repo.root, 'sub'), outside, '3'], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(swapper.stdout, 'data')
  const watch = (await repoWatch(repo.root, repo.folder))!
  let seen = 0
  for (let time = 0; time < 100; time++) {
    await watch.before('k')
    const change = await watch.after('k')
    await watch.forget('k')
    seen += change === null ? 0 : 1
    expect(Buffer.from(change?.diff ?? []).toString()).not.toContain('SECRET')
  }
  expect(seen).toBeGreaterThan(10)
  swapper.stdin.end()
  swapper.kill()
  await once(swapper, 'close')
  repo.remove()
})

it('a look at a repo of 10,000 files: what it costs', { timeout: 120_000 }, async () => {
  const repo = newRepo()
  for (let file = 0; file < 10_000; file++) {
    const path = join(repo.root, `d${file % 20}/e${file % 500}/f${file}.ts`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `// ${file}\n`.repeat(100))
  }
  writeFileSync(join(repo.root, '.gitignore'), '*.log\ndist/\n/build\ncoverage\n.env*\n')
  const watch = (await repoWatch(repo.root, repo.folder))!
  const told: string[] = []
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const done = await work()
    told.push(`${what}: ${(performance.now() - start).toFixed(0)} ms`)
    return done
  }
  await timed('first look', () => watch.before('k'))
  await timed('look while all files are new', () => watch.after('k'))
  await new Promise(resolve => setTimeout(resolve, 2_500))
  await watch.after('k')
  for (let time = 0; time < 5; time++) await timed('nothing changed', () => watch.after('k'))
  writeFileSync(join(repo.root, 'd1/e1/f1.ts'), 'x\n')
  expect((await timed('one file changed', () => watch.after('k')))?.files).toHaveLength(1)
  const spent = { ...process.cpuUsage() }
  await watch.after('k')
  const { user, system } = process.cpuUsage(spent)
  told.push(`processor time of one look: ${((user + system) / 1000).toFixed(0)} ms`)
  console.log(told.join('\n'))
  repo.remove()
})
