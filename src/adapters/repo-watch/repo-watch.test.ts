import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { digestText } from '../../core/digest/digest.ts'
import type { RepoChange, RepoWatch } from '../../ports.ts'
import { type Edit, edit, newRepo, type WatchedRepo } from '../../testing/repos/watched-repo.ts'
import { repoWatch, type WatchLimits } from './repo-watch.ts'

let repo: WatchedRepo
beforeEach(() => {
  repo = newRepo()
})
afterEach(() => {
  vi.unstubAllEnvs()
  repo.remove()
})

const open = async (limits: Partial<WatchLimits> = {}, folder = repo.folder): Promise<RepoWatch> =>
  (await repoWatch(repo.root, folder, { limits }))!
const write = (path: string, content: string | Uint8Array = `${path}\n`): void => edit(repo.root, { kind: 'write', path, content })
const editAll = (edits: readonly Edit[]): void => {
  for (const one of edits) edit(repo.root, one)
}
const writeAll = (paths: readonly string[]): void => {
  for (const path of paths) write(path)
}
const diffOf = (change: RepoChange | null): string => Buffer.from(change?.diff ?? []).toString()
const pathsOf = (change: RepoChange | null): readonly string[] => (change?.files ?? []).map(({ path }) => path)

async function changeOf(work: () => void, limits: Partial<WatchLimits> = {}, folder = repo.folder): Promise<RepoChange | null> {
  const watch = await open(limits, folder)
  await watch.before('k')
  work()
  return watch.after('k')
}

const THERE: readonly Edit[] = [
  { kind: 'write', path: 'text', content: 'one\ntwo\nthree\n' },
  { kind: 'write', path: 'binary', content: new Uint8Array([0, 1, 2]) },
  { kind: 'write', path: 'empty', content: '' },
  { kind: 'write', path: 'open end', content: 'one\ntwo' },
  { kind: 'write', path: 'crlf', content: 'one\r\ntwo\r\n' },
  { kind: 'write', path: 'ünï/c\u{1f600}de', content: 'x\n' },
  { kind: 'write', path: 'folder/a', content: 'a\n' },
  { kind: 'write', path: 'folder/b/c', content: 'c\n' },
  { kind: 'link', path: 'link', to: 'text' },
]
const CASES: readonly (readonly [string, readonly Edit[]])[] = [
  ['lines changed', [{ kind: 'write', path: 'text', content: 'one\n2\nthree\nfour\n' }]],
  ['no text', [{ kind: 'write', path: 'binary', content: new Uint8Array([0, 1, 3]) }]],
  ['something in an empty file', [{ kind: 'write', path: 'empty', content: 'x\n' }]],
  ['a file that is empty', [{ kind: 'write', path: 'none', content: '' }]],
  ['a line break at the end', [{ kind: 'write', path: 'open end', content: 'one\ntwo\n' }]],
  ['line breaks', [{ kind: 'write', path: 'crlf', content: 'one\ntwo\n' }]],
  ['a name that is not ASCII', [{ kind: 'write', path: 'ünï/c\u{1f600}de', content: 'y\n' }]],
  ['a name with every kind of quote', [{ kind: 'write', path: 'a "b" \\ \t \n c', content: 'y\n' }]],
  ['a mode', [{ kind: 'write', path: 'text', content: 'one\ntwo\nthree\n', executable: true }]],
  ['a link', [{ kind: 'link', path: 'link', to: 'empty' }]],
  ['a link that becomes a file', [{ kind: 'write', path: 'link', content: 'text' }]],
  ['a folder that is gone', [{ kind: 'remove', path: 'folder' }]],
  ['a folder that becomes a file', [{ kind: 'write', path: 'folder', content: 'x\n' }]],
  ['a file that becomes a folder', [{ kind: 'write', path: 'text/inner', content: 'x\n' }]],
  ['everything', THERE.map(({ path }) => ({ kind: 'remove', path }) as const)],
]

describe('what changed', () => {
  it('is a diff as git would give it, whatever kind of change it is', async () => {
    const watch = await open()
    for (const [what, edits] of CASES) {
      editAll(THERE)
      const before = repo.tree()
      await watch.before('k')
      editAll(edits)
      const change = await watch.after('k')
      const after = repo.tree()
      expect(before, what).not.toBe(after)
      expect(diffOf(change), what).toBe(repo.git('diff', '--no-renames', before, after))
      expect(change, what).toMatchObject({ cut: 0, more: 0, shared: false })
      await watch.forget('k')
    }
  })

  it('is listed by file, with its lines', async () => {
    editAll(THERE)
    const change = await changeOf(() => {
      write('text', 'one\n2\n')
      write('new', 'a\nb\n')
      write('binary', new Uint8Array([0, 9]))
      edit(repo.root, { kind: 'remove', path: 'crlf' })
      chmodSync(join(repo.root, 'empty'), 0o755)
    })
    expect(change?.files).toEqual([
      { path: 'binary', change: 'changed', added: null, removed: null },
      { path: 'crlf', change: 'deleted', added: 0, removed: 2 },
      { path: 'empty', change: 'changed', added: 0, removed: 0 },
      { path: 'new', change: 'added', added: 2, removed: 0 },
      { path: 'text', change: 'changed', added: 1, removed: 2 },
    ])
    expect(diffOf(change)).toContain('Binary files a/binary and b/binary differ')
  })

  it('is nothing when nothing did, and when what was done was undone', async () => {
    write('a')
    expect(await changeOf(() => {})).toBeNull()
    expect(
      await changeOf(() => {
        write('a', 'other\n')
        write('a')
      }),
    ).toBeNull()
  })

  it('is found however quick it was, and however alike it looks', async () => {
    write('a', 'one\n')
    const watch = await open()
    for (let time = 0; time < 20; time++) {
      await watch.before(`k${time}`)
      writeFileSync(join(repo.root, 'a'), time % 2 === 0 ? 'two\n' : 'one\n')
      expect(pathsOf(await watch.after(`k${time}`))).toEqual(['a'])
    }
  })

  it('may be in files with names that are no text, or that look like the name of an object', async () => {
    const name = digestText('x')
    const change = await changeOf(() => {
      writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/`), Buffer.from([0x61, 0xff, 0x22])]), 'x\n')
      write(name)
    })
    expect(pathsOf(change)).toEqual(['"a\\377\\""', `./${name}`])
  })

  it('keeps the bytes of a file that is not UTF-8', async () => {
    write('latin', new Uint8Array([0x61, 0x0a]))
    const { diff } = (await changeOf(() => write('latin', new Uint8Array([0xe9, 0x0a]))))!
    expect(Buffer.from(diff).includes(Buffer.from([0x2b, 0xe9, 0x0a]))).toBe(true)
  })
})

describe('what is looked at', () => {
  it('is neither git’s own, nor the record, nor packages, nor what ignore files name', async () => {
    const folder = join(repo.root, 'kept/here')
    write('.gitignore', '*.log\n/build/\n')
    write('sub/.gitignore', '!kept.log\n')
    write('.git/info/exclude', 'private\n')
    const ignored = ['a.log', 'build/x', '.git/config', '.onbook/db', 'node_modules/p/x', 'sub/node_modules/x', 'private', 'kept/here/x']
    const change = await changeOf(() => writeAll([...ignored, 'sub/kept.log', 'src/build/x', 'kept/x']), {}, folder)
    expect(pathsOf(change)).toEqual(['kept/x', 'src/build/x', 'sub/kept.log'])
  })

  it('is not the folder that is named to be left out', async () => {
    writeAll(['data/db', 'a'])
    const watch = (await repoWatch(repo.root, relative('', repo.folder), { without: [join(repo.root, 'data')] }))!
    await watch.before('k')
    for (const path of ['data/db', 'data/more', 'a']) write(path, 'other\n')
    expect(pathsOf(await watch.after('k'))).toEqual(['a'])
  })

  it('is also what lies in a repository inside the repo', async () => {
    write('inner/a')
    execFileSync('git', ['init', '-q'], { cwd: join(repo.root, 'inner') })
    expect(pathsOf(await changeOf(() => write('inner/a', 'other\n')))).toEqual(['inner/a'])
  })

  it('is not less because an ignore file says so later', async () => {
    write('a', 'one\n')
    const change = await changeOf(() => {
      write('.gitignore', '*\n')
      write('a', 'two\n')
      write('b', 'hidden\n')
    })
    expect(pathsOf(change)).toEqual(['a'])
  })

  it('is shown whatever attributes and settings the repo has', async () => {
    write('a.txt', 'one\n')
    write('.gitattributes', '* binary\n* -diff\n* filter=evil diff=evil ident\n')
    write('.git/config', `[filter "evil"]\n\tclean = touch ${repo.root}/planted\n[diff "evil"]\n\ttextconv = touch ${repo.root}/planted\n`)
    expect(diffOf(await changeOf(() => write('a.txt', '$Id$\n')))).toContain('\n-one\n+$Id$\n')
    expect(existsSync(join(repo.root, 'planted'))).toBe(false)
  })

  it('is left as it is, git’s own folder above all', async () => {
    editAll(THERE)
    execFileSync('git', ['init', '-q'], { cwd: repo.root })
    const looks = () =>
      readdirSync(repo.root, { recursive: true, encoding: 'utf8' })
        .sort()
        .map(path => [path, statSync(join(repo.root, path)).mtimeMs, statSync(join(repo.root, path)).ctimeMs])
    const before = looks()
    await changeOf(() => {})
    expect(looks()).toEqual(before)
  })

  it('is no pipe, and nothing outside that a link leads to', async () => {
    const outside = join(repo.root, '../outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret'), 'secret\n')
    const change = await changeOf(() => {
      execFileSync('mkfifo', [join(repo.root, 'pipe')])
      edit(repo.root, { kind: 'link', path: 'out', to: outside })
    })
    expect(pathsOf(change)).toEqual(['out'])
    expect(diffOf(change)).not.toContain('secret')
  })

  it.skipIf(process.getuid?.() === 0)('may not be readable: that it changed is known, and not how', async () => {
    write('closed/a')
    write('b')
    const change = await changeOf(() => {
      chmodSync(join(repo.root, 'closed'), 0)
      chmodSync(join(repo.root, 'b'), 0)
    })
    chmodSync(join(repo.root, 'closed'), 0o755)
    expect(change?.files).toEqual([{ path: 'b', change: 'changed', added: null, removed: null }])
  })
})

describe('limits', () => {
  it('a file that is too large is named', async () => {
    write('large', 'x'.repeat(2000))
    const change = await changeOf(() => write('large', 'y'.repeat(2000)), { fileBytes: 1000 })
    expect(change?.files).toEqual([{ path: 'large', change: 'changed', added: null, removed: null }])
    expect(diffOf(change)).not.toMatch(/xxx|yyy|bytes,/)
  })

  it('a diff that is too long is cut after a line, and says how much is left out', async () => {
    const change = await changeOf(() => write('long', 'line\n'.repeat(1000)), { diffBytes: 1000 })
    const diff = diffOf(change)
    expect(diff).toMatch(/^diff --git.*\+line\n\[\d+ bytes of this diff are left out\]\n$/s)
    expect(change!.cut).toBe(Number(/\[(\d+) bytes/.exec(diff)![1]))
    expect(change!.files).toEqual([{ path: 'long', change: 'added', added: 1000, removed: 0 }])
  })

  it('of many files the first are listed', async () => {
    const change = await changeOf(() => writeAll(['a', 'b', 'c', 'd']), { listed: 3 })
    expect([pathsOf(change), change?.more]).toEqual([['a', 'b', 'c'], 1])
  })

  it('a repo that has too many files is not watched, and says so', async () => {
    writeAll(['a', 'b', 'c'])
    await expect(changeOf(() => {}, { files: 2 })).rejects.toMatchObject({
      code: 'repo_unwatched',
      message: 'Changes of the repo cannot be observed: it has more than 2 files.',
    })
    await expect(changeOf(() => {}, { bytes: 3 })).rejects.toMatchObject({ code: 'repo_unwatched' })
  })
})

describe('whose change it is', () => {
  it('nobody can tell when another was at work meanwhile', async () => {
    const watch = await open()
    await Promise.all(['a', 'b'].map(key => watch.before(key)))
    write('x')
    expect([await watch.after('a'), await watch.after('b')]).toMatchObject([{ shared: true }, { shared: true }])
    await watch.before('c')
    for (const key of ['a', 'b']) await watch.forget(key)
    write('y')
    expect(await watch.after('c')).toMatchObject({ shared: false })
    await watch.before('d')
    await watch.forget('c')
    write('z')
    expect([pathsOf(await watch.after('d')), (await watch.after('d'))?.shared]).toEqual([['z'], false])
  })

  it('or when the other is another process', async () => {
    const [one, two] = [await open(), await open()]
    await one.before('a')
    await two.before('b')
    await two.forget('b')
    write('x')
    expect(await one.after('a')).toMatchObject({ shared: true })
  })

  it('what was noted is still known to whoever comes next, and who changed what since is not', async () => {
    await (await open()).before('k')
    write('x')
    const next = await open()
    await next.before('k')
    expect(await next.after('k')).toMatchObject({ files: [{ path: 'x' }], shared: true })
    await next.forget('k')
    expect(await next.after('k')).toBeNull()
  })
})

describe('what is kept', () => {
  it('is made anew when git left a lock, or lost something', async () => {
    write('a')
    const watch = await open()
    await watch.before('k')
    const own = join(repo.folder, readdirSync(repo.folder)[0]!)
    writeFileSync(join(own, `store/refs/onbook/${process.pid}.lock`), '')
    write('b')
    await expect(watch.after('k')).rejects.toMatchObject({ code: 'repo_unwatched' })
    await watch.forget('k')
    await watch.before('k')
    write('c')
    expect(pathsOf(await watch.after('k'))).toEqual(['c'])
  })

  it('may be deleted while nobody is at work', async () => {
    write('a')
    const watch = await open()
    await watch.before('k')
    await watch.after('k')
    await watch.forget('k')
    rmSync(repo.folder, { recursive: true })
    await watch.before('k')
    write('b')
    expect(pathsOf(await watch.after('k'))).toEqual(['b'])
  })

  it('is tidied of what ended processes left', async () => {
    const watch = await open()
    const own = join(repo.folder, readdirSync(repo.folder)[0]!)
    await watch.before('k')
    write('a')
    await watch.after('k')
    const ref = (pid: number): string => join(own, `store/refs/onbook/${pid}`)
    writeFileSync(ref(2 ** 30), readFileSync(ref(process.pid)))
    const next = await open()
    write('b')
    expect(pathsOf(await next.after('k'))).toEqual(['a', 'b'])
    expect([ref(2 ** 30), ref(process.pid)].map(existsSync)).toEqual([false, true])
  })

  it('is made anew when it is not whole; only what was under way is not known then', async () => {
    write('a')
    const watch = await open()
    await watch.before('k')
    const own = join(repo.folder, readdirSync(repo.folder)[0]!)
    rmSync(join(own, 'store/objects'), { recursive: true })
    mkdirSync(join(own, 'store/objects'))
    write('a', 'other\n')
    await expect(watch.after('k')).rejects.toMatchObject({ code: 'repo_unwatched' })
    await watch.forget('k')
    await watch.before('k')
    write('a', 'another\n')
    expect(pathsOf(await watch.after('k'))).toEqual(['a'])
    await watch.forget('k')
    writeFileSync(join(own, 'files.json'), '{"v":1,"tree":"x"')
    expect(pathsOf(await changeOf(() => write('b')))).toEqual(['b'])
  })

  it('is only for who owns it', async () => {
    await changeOf(() => {})
    expect(statSync(join(repo.folder, readdirSync(repo.folder)[0]!)).mode & 0o077).toBe(0)
  })
})

it('without git there is no watch', async () => {
  vi.stubEnv('PATH', repo.folder)
  expect(await repoWatch(repo.root, repo.folder)).toBeNull()
})

it('a repo that is moved away while it is watched is told as a fault', async () => {
  write('a')
  const watch = await open()
  await watch.before('k')
  renameSync(repo.root, `${repo.root}-gone`)
  await expect(watch.after('k')).rejects.toMatchObject({ code: 'repo_unwatched', message: expect.stringContaining('it does not exist') })
  expect(readFileSync(`${repo.root}-gone/a`, 'utf8')).toBe('a\n')
})
