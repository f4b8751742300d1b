import { once } from 'node:events'
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { REPO_DESCRIPTORS } from '../../core/tools/repo-descriptors.ts'
import { temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type HostileRepo, hostileRepo, runTool } from '../../testing/repos/hostile-repo.ts'
import { type RepoToolOptions, repoTools } from './repo-tools.ts'

let repo: HostileRepo
beforeEach(() => {
  repo = hostileRepo()
})

const run = (name: string, args: object, options: RepoToolOptions = {}) => runTool(repoTools(repo.root, options), name, args)
const onDisk = (path: string): string => readFileSync(join(repo.root, path), 'utf8')

it('there are five, each by its descriptor, and only reading may be repeated, and leaves the repo as it is', () => {
  const tools = repoTools(repo.root)
  expect(tools.map(({ descriptor }) => descriptor.name).sort()).toEqual(Object.keys(REPO_DESCRIPTORS).sort())
  for (const marked of ['repeatable', 'reads'] as const)
    expect(tools.filter(tool => tool[marked] === true).map(({ descriptor }) => descriptor.name)).toEqual(['read_file', 'list_files'])
  for (const { descriptor } of tools) expect(descriptor.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
})

describe('read_file', () => {
  it.each(['src/a.txt', './src//a.txt', 'src/./a.txt'])('gives the text of %s, every byte of it', async path => {
    writeFileSync(join(repo.root, 'src/a.txt'), '\ufeffone\r\ntwo')
    expect(await run('read_file', { path })).toBe('\ufeffone\r\ntwo')
  })

  it('follows a link that stays inside', async () => {
    symlinkSync('../src/a.txt', join(repo.root, 'docs/alias.txt'))
    expect(await run('read_file', { path: 'docs/alias.txt' })).toBe('inside')
    expect(await run('read_file', { path: 'link-dot/src/a.txt' })).toBe('inside')
  })

  it('reads what may be read and not be changed', async () => {
    expect(await run('read_file', { path: '.git/config' })).toBe('guarded .git/config')
    expect(await run('read_file', { path: 'prompts/pack.yaml' })).toContain('guarded')
  })

  it.each([
    ['missing.txt', 'path_missing', 'missing.txt does not exist.'],
    ['link-nowhere', 'path_missing', 'link-nowhere does not exist.'],
    ['src', 'file_unreadable', 'src cannot be read: it is a folder.'],
    ['.', 'file_unreadable', '. cannot be read: it is a folder.'],
    ['src/a.txt/b', 'file_unreadable', 'src/a.txt/b cannot be read: a part of its path is not a folder.'],
    ['fifo', 'file_unreadable', 'fifo cannot be read: it is not a plain file.'],
    ['link-loop', 'file_unreadable', 'link-loop cannot be read: its links go round in a circle.'],
    ['link-null', 'repo_path_outside', 'link-null leads out of the repo.'],
    ['.onbook/keys/key', 'repo_path_protected', 'No tool may read .onbook/keys/key: it is protected.'],
    ['link-data/keys/key', 'repo_path_protected', 'No tool may read link-data/keys/key: it is protected.'],
  ])('says of %s that it cannot: %s', async (path, code, message) => {
    expect(await run('read_file', { path })).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it('says how large what is no text is', async () => {
    writeFileSync(join(repo.root, 'a.png'), Buffer.from([0x89, 0x50, 0xff, 0xfe]))
    writeFileSync(join(repo.root, 'zero'), 'a\0b')
    for (const [path, size] of [
      ['a.png', 4],
      ['zero', 3],
    ] as const)
      expect(await run('read_file', { path })).toMatchObject({
        code: 'file_unreadable',
        message: expect.stringContaining(`not text: ${size} bytes`),
      })
  })

  it('reads up to its limit and says what is more', async () => {
    writeFileSync(join(repo.root, 'large'), 'x'.repeat(1001))
    expect(await run('read_file', { path: 'large' }, { limits: { readBytes: 1001 } })).toHaveLength(1001)
    expect(await run('read_file', { path: 'large' }, { limits: { readBytes: 1000 } })).toMatchObject({
      message: expect.stringContaining('it has 1001 bytes; at most 1000 are read'),
    })
    writeFileSync(join(repo.root, 'large'), 'x'.repeat(1024 * 1024 + 1))
    expect(await run('read_file', { path: 'large' })).toMatchObject({ code: 'file_unreadable' })
  })

  it('refuses a file with several names, unless the host says otherwise', async () => {
    linkSync(join(repo.root, 'src/a.txt'), join(repo.root, 'src/b.txt'))
    expect(await run('read_file', { path: 'src/b.txt' })).toMatchObject({ message: expect.stringContaining('several names') })
    expect(await run('read_file', { path: 'src/b.txt' }, { readHardLinks: true })).toBe('inside')
  })

  it('reads nothing of what the host hides, by whatever name', async () => {
    mkdirSync(join(repo.root, 'Data'))
    writeFileSync(join(repo.root, 'Data/key'), 'hidden')
    symlinkSync('Data', join(repo.root, 'alias'))
    for (const hide of ['Data', 'alias', join(repo.root, 'Data')])
      for (const path of ['Data/key', 'alias/key'])
        expect(await run('read_file', { path }, { hide: [hide] })).toMatchObject({ code: 'repo_path_protected' })
    expect(await run('list_files', { path: 'alias' }, { hide: ['Data'] })).toMatchObject({ code: 'repo_path_protected' })
    expect(await run('read_file', { path: 'Data/is-there-one' }, { hide: ['Data'] })).toMatchObject({ code: 'repo_path_protected' })
  })

  it('says that the repo is gone', async () => {
    expect(await runTool(repoTools(join(repo.root, 'gone')), 'read_file', { path: 'a' })).toMatchObject({ code: 'file_unreadable' })
  })
})

describe('list_files', () => {
  it('names what is directly there, by UTF-16 units, each with its type', async () => {
    for (const name of ['b', 'B', 'a', '\u{1f600}', '\uffee', 'é']) writeFileSync(join(repo.root, 'src', name), '')
    mkdirSync(join(repo.root, 'src/z/deep'), { recursive: true })
    const listed = (await run('list_files', { path: 'src' })) as { name: string; type: string }[]
    expect(listed.map(({ name }) => name)).toEqual(['B', 'a', 'a.txt', 'b', 'link-out', 'z', 'é', '\u{1f600}', '\uffee'])
    expect(listed.find(({ name }) => name === 'z')).toEqual({ name: 'z', type: 'dir' })
  })

  it('lists the root when no path is given', async () => {
    const listed = (await run('list_files', {})) as { name: string; type: string }[]
    const types = Object.fromEntries(listed.map(({ name, type }) => [name, type]))
    expect(types).toMatchObject({ src: 'dir', hard: 'file', 'link-out': 'link', fifo: 'other' })
    expect(await run('list_files', { path: '.' })).toEqual(listed)
  })

  it.each([
    ['src/a.txt', 'a part of its path is not a folder'],
    ['missing', 'does not exist'],
    ['link-out', 'leads out of the repo'],
    ['.onbook', 'No tool may read'],
  ])('says of %s that %s', async (path, message) => {
    expect(await run('list_files', { path })).toMatchObject({ message: expect.stringContaining(message) })
  })

  it('says when there is too much to list', async () => {
    expect(await run('list_files', { path: 'content' }, { limits: { entries: 1 } })).toEqual([{ name: 'a.txt', type: 'file' }])
    expect(await run('list_files', { path: 'src' }, { limits: { entries: 1 } })).toMatchObject({
      message: expect.stringContaining('more than 1 entries'),
    })
  })
})

describe('write_file', () => {
  it('writes a file whole, makes the folders above it, and leaves nothing beside it', async () => {
    expect(await run('write_file', { path: 'new/deep/file.txt', content: 'ü\n' })).toEqual({ path: 'new/deep/file.txt', bytes: 3 })
    expect(onDisk('new/deep/file.txt')).toBe('ü\n')
    expect(await run('write_file', { path: 'new/deep/file.txt', content: '' })).toMatchObject({ bytes: 0 })
    expect(onDisk('new/deep/file.txt')).toBe('')
    expect(readdirSync(join(repo.root, 'new/deep'))).toEqual(['file.txt'])
  })

  it('keeps the mode of what it replaces', async () => {
    chmodSync(join(repo.root, 'src/a.txt'), 0o755)
    await run('write_file', { path: 'src/a.txt', content: 'new' })
    expect(statSync(join(repo.root, 'src/a.txt')).mode & 0o777).toBe(0o755)
  })

  it.each([
    ['src', 'it is a folder'],
    ['src/', 'it is a folder'],
    ['.', 'it is a folder'],
    ['src/a.txt/b', 'a part of its path is not a folder'],
    ['fifo', 'it is not a plain file'],
    ['hard', 'several names'],
    ['link-dot/src/x', 'link-dot is a link, and links are not followed'],
    ['docs/link-src/x', 'docs/link-src is a link, and links are not followed'],
    ['link-nowhere', 'link-nowhere is a link, and links are not followed'],
    ['link-file', 'link-file is a link, and links are not followed'],
  ])('says of %s that %s', async (path, message) => {
    expect(await run('write_file', { path, content: 'x' })).toMatchObject({ message: expect.stringContaining(message) })
    expect(repo.changes()).toEqual([])
  })

  it.each([
    ['a'.repeat(256), 'it is too long'],
    ['ü'.repeat(128), 'it is too long'],
    ['a/'.repeat(65), 'more than 64 folders'],
    ['a\nb', 'a control character'],
    ['a\\b', 'a backslash'],
    ['a.', 'another name on other disks'],
    ['a /b', 'another name on other disks'],
    ['file:stream', 'another name on other disks'],
    ['e\u0301', 'another name on other disks'],
    ['a\u200b', 'another name on other disks'],
  ])('does not take %j for a name: %s', async (path, message) => {
    for (const tool of ['write_file', 'delete_file'])
      expect(await run(tool, { path, content: 'x' })).toMatchObject({
        code: 'repo_path_invalid',
        message: expect.stringContaining(message),
      })
  })

  it('writes up to its limit, counted in bytes, and says what is more', async () => {
    expect(await run('write_file', { path: 'a', content: 'üü' }, { limits: { writeBytes: 4 } })).toMatchObject({ bytes: 4 })
    expect(await run('write_file', { path: 'b', content: 'üüx' }, { limits: { writeBytes: 4 } })).toMatchObject({
      message: 'b cannot be written: the content has 5 bytes; at most 4 are written.',
    })
    expect(await run('write_file', { path: 'b', content: 'x'.repeat(1024 * 1024 + 1) })).toMatchObject({ code: 'file_unwritable' })
  })

  it('does nothing when it was stopped before', async () => {
    const binding = repoTools(repo.root).find(({ descriptor }) => descriptor.name === 'write_file')!
    const stopped = AbortSignal.abort(new Error('stop'))
    await expect(async () =>
      binding.run({ tenant: 't', runId: 'r', nodeId: 'n', agent: 'n', arguments: { path: 'x', content: '' } }, stopped),
    ).rejects.toThrow('stop')
    expect(readdirSync(repo.root)).not.toContain('x')
  })
})

it('a socket is neither read nor written, and nobody hears of it', async () => {
  let heard = 0
  const server = createServer(() => {
    heard += 1
  }).listen(join(repo.root, 'socket'))
  await once(server, 'listening')
  for (const tool of ['read_file', 'write_file'])
    expect(await run(tool, { path: 'socket', content: 'x' })).toMatchObject({ message: expect.stringContaining('not a plain file') })
  expect(heard).toBe(0)
  server.close()
})

describe('delete_file', () => {
  it('deletes a file, and is content when there is none', async () => {
    expect(await run('delete_file', { path: 'src/a.txt' })).toEqual({ path: 'src/a.txt', deleted: true })
    expect(await run('delete_file', { path: 'src/a.txt' })).toEqual({ path: 'src/a.txt', deleted: false })
    expect(await run('delete_file', { path: 'no/such/folder' })).toEqual({ path: 'no/such/folder', deleted: false })
  })

  it.each(['src', '.', 'src/'])('never deletes a folder: %s', async path => {
    expect(await run('delete_file', { path })).toMatchObject({ code: 'file_unwritable', message: expect.stringContaining('folder') })
  })

  it('of a link it deletes the link, and of a file with several names this one', async () => {
    for (const path of ['link-file', 'link-out', 'hard']) expect(await run('delete_file', { path })).toEqual({ path, deleted: true })
    expect(repo.changes()).toEqual([])
  })
})

describe('what says what agents are told and allowed', () => {
  it.each([
    ...['.git/config', '.git/hooks/pre-commit', 'sub/.git/config', '.GIT/config', 'git~1/config', '.git'],
    ...['docs/templates/new.md', 'Docs/Templates/new.md', 'docs/templates', 'docs', 'prompts/new.yaml', 'PROMPTS/new.yaml', 'promptſ/new'],
    ...[
      'tools/x.json',
      'agents/x.yaml',
      'workflows/x.yaml',
      'schemas/x.json',
      'context/x.md',
      'agent.workspace.json',
      'sub/agent.workspace.json',
      'desk/prompts/new.yaml',
      'desk/Prompts/new.yaml',
      'desk/prompts',
      'desk/docs/templates/new.md',
      'desk/tools/new/deep.json',
    ],
    ...[
      'onbook.host.yaml',
      'onbook.policy.yaml',
      'sub/onbook.config.yaml',
      'onbook.registry.json',
      'Onbook.Host.YML',
      '.onbook/x',
      'a/.onbook/x',
    ],
  ])('%s is neither written nor deleted', async path => {
    expect(await run('write_file', { path, content: 'x' })).toMatchObject({ code: 'repo_path_protected' })
    expect(await run('delete_file', { path })).toMatchObject({ code: 'repo_path_protected' })
    expect(repo.changes()).toEqual([])
  })

  it.each([
    'src/tools/x.ts',
    'lib/prompts/x',
    'desk/notes.md',
    'desk/src/prompts/x',
    'docs/guide.md',
    'docs/template/x',
    'toolsmith.md',
    '.github/x',
    '.gitignore',
    'onbook.md',
  ])('%s is something else', async path => {
    expect(await run('write_file', { path, content: 'x' })).toMatchObject({ path })
  })

  it('is where its links lead, too', async () => {
    symlinkSync('content', join(repo.root, 'elsewhere'))
    expect(await run('write_file', { path: 'content/x', content: 'x' })).toMatchObject({ path: 'content/x' })
    expect(await run('write_file', { path: 'content/y', content: 'x' }, { protect: ['elsewhere'] })).toMatchObject({
      code: 'repo_path_protected',
    })
  })

  it('is also what the host names, from the root or from the root of the disk', async () => {
    for (const protect of ['src', join(repo.root, 'src'), 'src/a.txt'])
      expect(await run('write_file', { path: 'src/a.txt', content: 'x' }, { protect: [protect] })).toMatchObject({
        code: 'repo_path_protected',
      })
    expect(await run('write_file', { path: 'src/a.txt', content: 'x' }, { protect: ['/', '..', '/etc'] })).toMatchObject({ bytes: 1 })
  })
})

describe('packs D4: a repo without any file of Onbook', () => {
  const plain = () => temporaryFolder(null, { 'README.md': 'A repo.\n' })
  const writes = async (root: string, path: string) => {
    const { run, refuses } = repoTools(root).find(({ descriptor }) => descriptor.name === 'write_file')!
    const call = { tenant: 'default', runId: 'r', nodeId: 'n', agent: 'n', arguments: { path, content: 'x' } }
    const refused = await refuses!(call)
    const code = await run(call, new AbortController().signal).then(
      () => null,
      (error: { readonly code?: string }) => error.code,
    )
    // The gate and the tool agree.
    expect(refused === null).toBe(code !== 'repo_path_protected')
    return code
  }

  it.each([
    'tools/build.py',
    'agents/bot.py',
    'schemas/user.sql',
    'schemas/a.json',
    'context/x.md',
    'prompts/ask.txt',
    'workflows/README.md',
  ])('%s is written', async path => expect(await writes(plain(), path)).toBeNull())

  it.each([
    ...['docs/templates/writer.md', 'agents/evil.yaml', 'workflows/evil.YML', 'prompts/evil/v1.0.0.yaml', 'Agents/evil.json'],
    ...['onbook.config.yaml', 'agent.workspace.json', 'sub/agent.workspace.json', 'onbook.registry.json', '.onbook/x', 'onbook.host.yaml'],
  ])('%s is not: Onbook would read it', async path => expect(await writes(plain(), path)).toBe('repo_path_protected'))

  it('is none once such a file is there, and links lead where they lead', async () => {
    for (const marker of ['onbook.registry.json', '.onbook/onbook.db', 'onbook.policy.yaml'])
      expect(await writes(temporaryFolder(null, { [marker]: '' }), 'tools/build.py')).toBe('repo_path_protected')
    const linked = temporaryFolder(null, { 'src/bots/a.py': '' })
    symlinkSync('src/bots', join(linked, 'agents'))
    expect([await writes(linked, 'src/bots/b.py'), await writes(linked, 'src/bots/b.yaml')]).toEqual([null, 'repo_path_protected'])
  })
})
