import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { repoRoles } from './repo-roles.ts'

let root: string
let outside: string
const OWN = '## Identity\n\nYou are ours.\n'
const SECRET = 'a secret of this machine'

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'onbook-repo-'))
  outside = mkdtempSync(join(tmpdir(), 'onbook-outside-'))
  for (const folder of ['', 'docs', 'docs/templates', 'templates']) mkdirSync(join(outside, folder), { recursive: true })
  for (const folder of ['', 'docs/templates', 'templates']) writeFileSync(join(outside, folder, 'writer.md'), SECRET)
})

const plant = (path: string, text: string | Uint8Array = OWN): void => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

const refusal = async (name: string): Promise<unknown> =>
  repoRoles(root)
    .read(name)
    .then(
      text => ({ text }),
      error => `${error.code}: ${error.message}`,
    )

describe('a role of a repo', () => {
  it('is the file, every byte of it, the mark at its start too', async () => {
    plant('docs/templates/writer.md', `\uFEFF${OWN}\r\n`)
    expect(await repoRoles(root).read('writer')).toBe(`\uFEFF${OWN}\r\n`)
  })

  it('is none where there is no file, no folder or no docs', async () => {
    expect(await repoRoles(root).read('writer')).toBeNull()
    mkdirSync(join(root, 'docs'))
    expect(await repoRoles(root).read('writer')).toBeNull()
    mkdirSync(join(root, 'docs/templates'))
    expect(await repoRoles(root).read('writer')).toBeNull()
    expect(await repoRoles(root).list()).toEqual([])
  })

  it('13: is read anew each time: changed, removed and back again', async () => {
    const roles = repoRoles(root)
    expect(await roles.read('writer')).toBeNull()
    plant('docs/templates/writer.md', 'one')
    expect(await roles.read('writer')).toBe('one')
    plant('docs/templates/writer.md', 'two')
    expect(await roles.read('writer')).toBe('two')
    rmSync(join(root, 'docs/templates/writer.md'))
    expect(await roles.read('writer')).toBeNull()
  })
})

describe('12: nothing outside the repo is read', () => {
  it.each([
    '../writer',
    '../../writer',
    'a/../../../writer',
    '/etc/hostname',
    'C:writer',
    '..\\writer',
    '\\\\host\\share',
    '%2e%2e%2fwriter',
    '.',
    '..',
    '',
    'writer.md',
    'writer\0',
    'writer\n',
    'Writer',
    'WRITER',
    'wrıter',
    'ｗriter',
    'writer ',
    'con',
    'nul',
    'com1',
    'lpt9',
    '__proto__',
    'x'.repeat(65),
  ])('not by the name %j', async name => {
    plant('docs/templates/writer.md')
    expect(await refusal(name)).toMatch(/^role_name_invalid: /)
  })

  it.each([
    ['the file', 'docs/templates/writer.md', 'writer.md'],
    ['docs/templates', 'docs/templates', 'templates'],
    ['docs', 'docs', 'docs'],
  ])('not by a link in the place of %s', async (_, place, target) => {
    mkdirSync(join(root, place, '..'), { recursive: true })
    symlinkSync(join(outside, target), join(root, place))
    expect(await refusal('writer')).toMatch(
      /^role_template_unreadable: docs\/templates\/writer\.md cannot be read: it leads out of the repo/,
    )
  })

  it('not by links that lead out through several, nor by a folder whose name only begins alike', async () => {
    renameSync(outside, `${root}-too`)
    mkdirSync(join(root, 'docs/templates'), { recursive: true })
    symlinkSync(`${root}-too`, join(root, 'door'))
    symlinkSync('../../door/writer.md', join(root, 'docs/templates/writer.md'))
    expect(await refusal('writer')).toMatch(/leads out/)
  })

  it('lists nothing of a folder that lies outside', async () => {
    symlinkSync(join(outside, 'docs'), join(root, 'docs'))
    await expect(repoRoles(root).list()).rejects.toMatchObject({ code: 'role_template_unreadable' })
  })

  it('follows links that stay inside, and a repo that is itself reached by one', async () => {
    plant('shared/house.md')
    mkdirSync(join(root, 'docs/templates'), { recursive: true })
    symlinkSync('../../shared/house.md', join(root, 'docs/templates/writer.md'))
    symlinkSync(root, join(outside, 'repo'))
    expect(await repoRoles(root).read('writer')).toBe(OWN)
    expect(await repoRoles(join(outside, 'repo')).read('writer')).toBe(OWN)
  })

  it.skipIf(process.platform !== 'linux')('takes a file in other case for another file', async () => {
    plant('docs/templates/Writer.md')
    plant('Docs/templates/editor.md')
    expect(await repoRoles(root).read('writer')).toBeNull()
    expect(await repoRoles(root).read('editor')).toBeNull()
    expect(await repoRoles(root).list()).toEqual(['Writer'])
  })
})

describe('what cannot be read is said, and is never "none"', () => {
  const reasons: readonly (readonly [reason: string, make: () => void])[] = [
    ['it is a folder', () => mkdirSync(join(root, 'docs/templates/writer.md'), { recursive: true })],
    ['it has 257 kB; at most 256 kB are read', () => plant('docs/templates/writer.md', 'x'.repeat(256 * 1024 + 1))],
    ['it is not valid UTF-8', () => plant('docs/templates/writer.md', Uint8Array.of(0x68, 0xe9))],
    ['a part of its path is not a folder', () => plant('docs', '')],
    [
      'its links go round in a circle',
      () => {
        mkdirSync(join(root, 'docs/templates'), { recursive: true })
        symlinkSync('writer.md', join(root, 'docs/templates/writer.md'))
      },
    ],
    [
      'a link leads nowhere',
      () => {
        mkdirSync(join(root, 'docs/templates'), { recursive: true })
        symlinkSync('gone.md', join(root, 'docs/templates/writer.md'))
      },
    ],
    ['a link leads nowhere', () => symlinkSync('gone', join(root, 'docs'))],
    ['the repo is not there', () => rmSync(root, { recursive: true })],
  ]
  it.each(reasons)('%s', async (reason, make) => {
    make()
    expect(await refusal('writer')).toContain(`role_template_unreadable: docs/templates/writer.md cannot be read: ${reason}.`)
  })

  it('permission is denied', async () => {
    plant('docs/templates/writer.md')
    chmodSync(root, 0o755)
    chmodSync(join(root, 'docs/templates/writer.md'), 0o000)
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65534)
    try {
      expect(await refusal('writer')).toContain('permission is denied')
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  })

  it('a file of just 256 kB is read', async () => {
    plant('docs/templates/writer.md', 'x'.repeat(256 * 1024))
    expect(await repoRoles(root).read('writer')).toHaveLength(256 * 1024)
  })
})

it('lists what its files are called, sorted by UTF-16 units, whatever they are', async () => {
  for (const name of ['b.md', 'a.md', 'Z.md', 'ä.md', 'a_b.md', 'a-b.md', '.hidden.md', 'notes.txt', '.md', 'one\ntwo.md'])
    plant(`docs/templates/${name}`)
  mkdirSync(join(root, 'docs/templates/folder.md'))
  expect(await repoRoles(root).list()).toEqual(['Z', 'a', 'a-b', 'a_b', 'b', 'folder', 'one\ntwo', 'ä'])
})
