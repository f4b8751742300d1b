import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { folderFiles } from './folder-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'onbook-files-'))
})

/** Root may read everything, so the test switches to an unprivileged user for a while. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65534)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

const plant = (...paths: string[]) => {
  for (const path of paths) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}

describe('folderFiles', () => {
  it('says why it cannot read', async () => {
    const files = folderFiles(root)
    mkdirSync(join(root, 'folder'))
    writeFileSync(join(root, 'big'), 'x'.repeat(11))
    writeFileSync(join(root, 'latin'), Buffer.from([0x68, 0xe9]))
    symlinkSync('circle', join(root, 'circle'))
    const reason = async (path: string) => {
      const read = await files.readText(path, 10)
      return read.ok ? read.text : read.message
    }
    expect(await reason('nothing')).toBe('it does not exist')
    expect(await reason('folder')).toBe('it is a folder')
    expect(await reason('big')).toMatch(/^it has .* at most/)
    expect(await reason('latin')).toBe('it is not valid UTF-8')
    expect(await reason('circle')).toBe('its links go round in a circle')
  })

  it('follows no link out of the folder, for reading or writing', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'onbook-outside-'))
    writeFileSync(join(outside, 'secret'), 'secret')
    symlinkSync(outside, join(root, 'door'))
    const files = folderFiles(root)
    expect(await files.readText('door/secret', 100)).toEqual({ ok: false, missing: false, message: 'it leads out of the workspace' })
    expect(await files.readText('../secret', 100)).toMatchObject({ ok: false })
    await expect(files.writeText('door/planted', 'x')).rejects.toMatchObject({ code: 'path_outside' })
    await expect(files.writeText('../planted', 'x')).rejects.toMatchObject({ code: 'path_outside' })
    expect(readdirSync(outside)).toEqual(['secret'])
  })

  it('lists files in order, without hidden folders and node_modules', async () => {
    plant('b/two.yaml', 'a/one.yaml', '.git/x', 'node_modules/y/z.yaml')
    expect(await folderFiles(root).list('')).toEqual(['a/one.yaml', 'b/two.yaml'])
  })

  it.each([
    ['prompts/secret', 0o000],
    ['prompts', 0o444], // its names can be read, but nothing in it can be opened
  ])('lists the folder that it may not look into because of %s, and goes on', async (closed, mode) => {
    plant('prompts/a.yaml', 'prompts/secret/two.yaml', 'prompts/z/one.yaml')
    chmodSync(root, 0o755)
    chmodSync(join(root, closed), mode)
    await asNobody(async () => {
      const files = folderFiles(root)
      const rest = mode === 0 ? 'prompts/z/one.yaml' : 'prompts/z/'
      expect(await files.list('')).toEqual(['prompts/a.yaml', 'prompts/secret/', rest])
      expect(await files.list('prompts/secret')).toEqual(['prompts/secret/'])
      expect(await files.readText('prompts/secret/', 100)).toEqual({ ok: false, missing: false, message: 'permission is denied' })
    })
    chmodSync(join(root, closed), 0o700)
  })

  it('has nothing to list when it may not look at all', async () => {
    plant('prompts/a.yaml')
    chmodSync(root, 0o000)
    await asNobody(async () => {
      await expect(folderFiles(root).list('')).rejects.toMatchObject({ code: 'file_unreadable' })
    })
    chmodSync(root, 0o700)
  })

  it('visits a linked folder inside the workspace, and each folder once', async () => {
    plant('prompts/b/two.yaml', 'shared/deep/one.yaml')
    symlinkSync('../shared', join(root, 'prompts/common'))
    symlinkSync('b', join(root, 'prompts/alias'))
    symlinkSync('.', join(root, 'prompts/self'))
    symlinkSync('../../prompts', join(root, 'shared/deep/round'))
    symlinkSync('../prompts/b/two.yaml', join(root, 'prompts/linked.yaml'))
    expect(await folderFiles(root).list('prompts')).toEqual(['prompts/b/two.yaml', 'prompts/common/deep/one.yaml', 'prompts/linked.yaml'])
    expect(await folderFiles(root).list('prompts/alias')).toEqual(['prompts/alias/two.yaml'])
  })

  it('lists a link that leads out or nowhere only where somebody would miss it', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'onbook-outside-'))
    writeFileSync(join(outside, 'pack.yaml'), '')
    symlinkSync(outside, join(root, 'door'))
    symlinkSync(outside, join(root, 'door.json'))
    symlinkSync(join(outside, 'pack.yaml'), join(root, 'pack.yaml'))
    symlinkSync('nowhere', join(root, 'gone'))
    symlinkSync('nowhere', join(root, 'gone.yml'))
    expect(await folderFiles(root).list('')).toEqual(['door.json', 'gone.yml', 'pack.yaml'])
    await expect(folderFiles(root).list('door')).rejects.toMatchObject({ code: 'path_outside' })
  })

  it('leaves nothing beside a file that could not be replaced', async () => {
    mkdirSync(join(root, 'folder/full'), { recursive: true })
    await expect(folderFiles(root).writeText('folder', 'x')).rejects.toMatchObject({ code: 'file_unwritable' })
    expect(readdirSync(root)).toEqual(['folder'])
  })

  it.each([
    ['0600', 0o600],
    ['0664', 0o664],
    ['0755', 0o755],
  ])('keeps the mode %s of a file that it replaces', async (_, mode) => {
    plant('file')
    chmodSync(join(root, 'file'), mode)
    await folderFiles(root).writeText('file', 'new')
    expect(statSync(join(root, 'file')).mode & 0o777).toBe(mode)
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('new')
  })

  it('creates only what is not there, and leaves nothing beside it', async () => {
    const files = folderFiles(root)
    expect(await files.createText('deep/new', 'first')).toBe(true)
    expect(await files.createText('deep/new', 'second')).toBe(false)
    expect(readFileSync(join(root, 'deep/new'), 'utf8')).toBe('first')
    expect(readdirSync(join(root, 'deep'))).toEqual(['new'])
    await expect(files.createText('deep/new/er', 'x')).rejects.toMatchObject({ code: 'file_unwritable' })
  })

  it('reports a folder it may not write to', async () => {
    chmodSync(root, 0o555)
    await asNobody(async () => {
      await expect(folderFiles(root).writeText('x', 'y')).rejects.toMatchObject({ code: 'file_unwritable' })
    })
  })

  it('lets one at a time into the same work, and takes over a lock whose owner is gone', async () => {
    const files = folderFiles(root)
    writeFileSync(join(root, '.job.lock'), '999999999')
    let inside = 0
    let most = 0
    const work = () =>
      files.exclusively('job', async () => {
        most = Math.max(most, ++inside)
        await new Promise(resume => setTimeout(resume, 20))
        inside--
      })
    await Promise.all([work(), work(), work()])
    expect(most).toBe(1)
    expect(existsSync(join(root, '.job.lock'))).toBe(false)
  })
})
