// Edits that nobody thought of: the diff, applied by git to what was there before, gives what is there afterwards. And what a look costs.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { edit, newRepo } from '../../testing/watched-repo.ts'
import { repoWatch } from './repo-watch.ts'

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
  told.push(execFileSync('du', ['-sh', repo.folder], { encoding: 'utf8' }).trim())
  console.log(told.join('\n'))
  repo.remove()
})
