// Folders on a real disk: which files are included, ignored or refused, and when a file is not read again.
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Digest, digestBytes, digestText } from '../../core/digest/digest.ts'
import { type FolderTree, folderTree } from './folder-tree.ts'
import { statCache } from './folder-tree-cache.ts'
import { writeFolder } from './folder-tree-write.ts'

const fresh = () => mkdtempSync(join(tmpdir(), 'onbook-tree-'))
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = fresh()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
const noCache = () => statCache(join(fresh(), 'cache.json'))
const open = (folder: string) => folderTree(folder, noCache())
const take = (folder: string) => open(folder).files
const pathsOf = (folder: string) =>
  take(folder)
    .map(({ path }) => path)
    .sort()
const textOf = (tree: FolderTree, wanted?: string) =>
  Buffer.concat([...tree.read(tree.files.find(({ path }) => wanted === undefined || path === wanted)!)]).toString()
const refused = (code: string) => expect.objectContaining({ code })

describe('a folder', () => {
  it('is taken with hidden files, modes and names of any kind', () => {
    const folder = folderWith({ '.env.example': 'x', 'docs/a.md': 'A', 'run.sh': '#!/bin/sh', 'über uns/b c.md': 'B' })
    chmodSync(join(folder, 'run.sh'), 0o744)
    expect(
      take(folder)
        .map(({ path, mode }) => [path, mode])
        .sort(),
    ).toEqual([
      ['.env.example', '0644'],
      ['docs/a.md', '0644'],
      ['run.sh', '0755'],
      ['~C3BC62657220756E73/~6220632E6D64', '0644'],
    ])
  })

  it('is taken without what ignore files name, and never with its own tools', () => {
    const folder = folderWith({
      '.gitignore': '*.log\nbuild/',
      '.onbookignore': '!keep.log\nsecret.md',
      'a.log': '',
      'keep.log': '',
      'build/x': '',
      'docs/.gitignore': '/draft.md',
      'docs/draft.md': '',
      'docs/final.md': '',
      'secret.md': '',
      '.git/config': '',
      '.onbook/onbook.db': '',
      'sub/node_modules/x/index.js': '',
      'data/onbook.db': '',
    })
    expect(
      folderTree(folder, noCache(), { without: [join(folder, 'data')] })
        .files.map(({ path }) => path)
        .sort(),
    ).toEqual(['.gitignore', '.onbookignore', 'docs/.gitignore', 'docs/final.md', 'keep.log'])
  })

  it('is refused when it is none', () => {
    expect(() => take(join(fresh(), 'nowhere'))).toThrow(refused('path_missing'))
    expect(() => take(join(folderWith({ a: '' }), 'a'))).toThrow(refused('usage_invalid'))
  })
})

describe('a link', () => {
  it('to a file inside is that file', () => {
    const folder = folderWith({ 'AGENTS.md': 'read this', 'deep/x': '' })
    symlinkSync('../AGENTS.md', join(folder, 'deep', 'CLAUDE.md'))
    expect(textOf(open(folder), 'deep/CLAUDE.md')).toBe('read this')
  })

  it.each([
    ['a file outside', () => join(folderWith({ secret: 'secret' }), 'secret'), 'path_outside'],
    ['a folder outside', () => folderWith({ secret: 'secret' }), 'path_outside'],
    ['a folder inside', () => 'docs', 'link_refused'],
    ['what is left out', () => '.onbook/local.key', 'link_refused'],
    ['what an ignore file names', () => 'docs/ignored.md', 'link_refused'],
    ['nothing', () => 'nowhere', 'file_unreadable'],
    ['itself', () => 'link', 'file_unreadable'],
  ])('to %s is refused', (_, target, code) => {
    const folder = folderWith({ 'docs/a.md': '', 'docs/ignored.md': '', 'docs/.gitignore': 'ignored.md', '.onbook/local.key': 'key' })
    symlinkSync(target(), join(folder, 'link'))
    expect(() => take(folder)).toThrow(refused(code))
  })

  it('that is ignored is not looked at', () => {
    const folder = folderWith({ '.onbookignore': 'link', a: '' })
    symlinkSync('/etc/passwd', join(folder, 'link'))
    expect(pathsOf(folder)).toEqual(['.onbookignore', 'a'])
  })

  it('put in the place of a file that was found is not followed', () => {
    const folder = folderWith({ a: 'mine' })
    const outside = folderWith({ secret: 'secret' })
    const tree = open(folder)
    symlinkSync(join(outside, 'secret'), join(folder, 'b'))
    renameSync(join(folder, 'b'), join(folder, 'a'))
    expect(() => textOf(tree)).toThrow(expect.objectContaining({ code: expect.stringMatching(/file_unreadable|file_changed/) }))
  })

  it('put in the place of a folder that was found leads to no other file', () => {
    const folder = folderWith({ 'docs/a': 'mine' })
    const tree = open(folder)
    renameSync(join(folder, 'docs'), join(folder, 'old'))
    symlinkSync(folderWith({ a: 'yours' }), join(folder, 'docs'))
    // Before a byte of it is taken.
    expect(() => tree.read(tree.files[0]!)[Symbol.iterator]().next()).toThrow(refused('file_changed'))
  })
})

describe('a file', () => {
  it('that changes while it is read is refused', () => {
    const folder = folderWith({ a: 'x'.repeat(600_000) })
    const tree = open(folder)
    const reading = tree.read(tree.files[0]!)[Symbol.iterator]()
    reading.next()
    writeFileSync(join(folder, 'a'), 'other')
    expect(() => {
      while (!reading.next().done);
    }).toThrow(refused('file_changed'))
  })

  it('that is not plain is refused', async () => {
    const { execFileSync } = await import('node:child_process')
    const folder = fresh()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    expect(() => take(folder)).toThrow(refused('file_unreadable'))
  })
})

describe('what is known of a file', () => {
  /** Long enough ago that a tick cannot matter. */
  const old = (path: string) => utimesSync(path, new Date(1_600_000_000_000), new Date(1_600_000_000_000))
  function publishOnce(folder: string, cacheFile: string): readonly (Digest | null)[] {
    const cache = statCache(cacheFile)
    const { files, read, named } = folderTree(folder, cache)
    const known = files.map(file => file.known)
    for (const file of files) if (file.known === null) named(file, digestBytes(Buffer.concat([...read(file)])))
    cache.save()
    return known
  }
  const settle = () => new Promise(resume => setTimeout(resume, 30))

  it('spares reading it again, until anything about it is different', async () => {
    const folder = folderWith({ a: 'aaaa' })
    const cacheFile = join(fresh(), 'deep', 'cache.json')
    old(join(folder, 'a'))
    await settle()
    expect(publishOnce(folder, cacheFile)).toEqual([null])
    expect(publishOnce(folder, cacheFile)).toEqual([digestText('aaaa')])
    writeFileSync(join(folder, 'a'), 'bbbb')
    old(join(folder, 'a')) // the same size and time, as some tools leave it
    expect(publishOnce(folder, cacheFile)).toEqual([null])
    await settle()
    publishOnce(folder, cacheFile)
    writeFileSync(join(folder, 'new'), 'cccc')
    old(join(folder, 'new'))
    renameSync(join(folder, 'new'), join(folder, 'a'))
    expect(publishOnce(folder, cacheFile)).toEqual([null])
  })

  it('is not kept when it was written within the same tick: it could change once more and look the same', () => {
    const folder = folderWith({})
    const cacheFile = join(fresh(), 'cache.json')
    const cache = statCache(cacheFile)
    writeFileSync(join(folder, 'a'), 'aaaa')
    const { files, named } = folderTree(folder, cache)
    for (const file of files) named(file, digestText('aaaa'))
    cache.save()
    expect(folderTree(folder, statCache(cacheFile)).files.map(({ known }) => known)).toEqual([null])
  })

  it('is only a shortcut: garbage in its place is the same as nothing', async () => {
    const folder = folderWith({ a: 'aaaa' })
    await settle()
    for (const garbage of ['', '{', 'null', '{"v":2,"files":[]}', '{"v":1,"files":[["a",[4,1,1,1,"x"]]]}', '{"v":1,"files":7}']) {
      const cacheFile = join(fresh(), 'cache.json')
      writeFileSync(cacheFile, garbage)
      expect(publishOnce(folder, cacheFile)).toEqual([null])
    }
  })
})

describe('writing a folder', () => {
  const files = async function* (given: Readonly<Record<string, string>>, mode: '0644' | '0755' = '0644') {
    for (const [path, text] of Object.entries(given))
      yield {
        path,
        mode,
        async *bytes() {
          yield Buffer.from(text)
        },
      }
  }

  it('gives names and modes back', async () => {
    const folder = join(fresh(), 'new')
    expect(await writeFolder(folder, files({ '~C3BC62657220756E73/~6220632E6D64': 'B' }, '0755'), false)).toBe(1)
    expect(readFileSync(join(folder, 'über uns', 'b c.md'), 'utf8')).toBe('B')
    expect(statSync(join(folder, 'über uns', 'b c.md')).mode & 0o100).toBe(0o100)
  })

  it('needs an empty folder, or to be told', async () => {
    const folder = folderWith({ a: 'old', b: 'mine' })
    await expect(writeFolder(folder, files({ a: 'new' }), false)).rejects.toEqual(refused('folder_not_empty'))
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old')
    await writeFolder(folder, files({ a: 'new' }), true)
    expect([readFileSync(join(folder, 'a'), 'utf8'), readFileSync(join(folder, 'b'), 'utf8')]).toEqual(['new', 'mine'])
    await expect(writeFolder(join(folder, 'a'), files({ x: '' }), true)).rejects.toEqual(refused('folder_not_empty'))
  })

  it('says which file stands where a folder must be, and not that nothing was written', async () => {
    const folder = folderWith({ docs: 'a file' })
    await expect(writeFolder(folder, files({ a: 'new', 'docs/b': 'x' }), true)).rejects.toEqual(refused('file_unwritable'))
    expect([readFileSync(join(folder, 'a'), 'utf8'), readFileSync(join(folder, 'docs'), 'utf8')]).toEqual(['new', 'a file'])
  })

  it('never writes outside, through links that lie there or names that lead out', async () => {
    const outside = folderWith({ victim: 'safe' })
    const folder = fresh()
    symlinkSync(outside, join(folder, 'docs'))
    symlinkSync(join(outside, 'victim'), join(folder, 'a'))
    await expect(writeFolder(folder, files({ 'docs/victim': 'broken' }), true)).rejects.toEqual(refused('path_outside'))
    await writeFolder(folder, files({ a: 'mine' }), true)
    expect([readFileSync(join(outside, 'victim'), 'utf8'), readFileSync(join(folder, 'a'), 'utf8')]).toEqual(['safe', 'mine'])
    for (const path of ['../x', '~2E2E/x', '/x', 'a//x', '~2F', ''])
      await expect(writeFolder(fresh(), files({ [path]: 'x' }), false)).rejects.toEqual(refused('workspace_path_invalid'))
  })

  it('leaves another name of a file alone', async () => {
    const folder = folderWith({ a: 'old' })
    linkSync(join(folder, 'a'), join(folder, 'b'))
    await writeFolder(folder, files({ a: 'new' }), true)
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('old')
  })
})
