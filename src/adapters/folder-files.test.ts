import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { folderFiles } from './folder-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'onbook-files-'))
})

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
    for (const path of ['b/two.yaml', 'a/one.yaml', '.git/x', 'node_modules/y/z.yaml']) {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), '')
    }
    expect(await folderFiles(root).list('')).toEqual(['a/one.yaml', 'b/two.yaml'])
  })

  it('creates only what is not there, and leaves nothing beside it', async () => {
    const files = folderFiles(root)
    expect(await files.createText('deep/new', 'first')).toBe(true)
    expect(await files.createText('deep/new', 'second')).toBe(false)
    expect(readFileSync(join(root, 'deep/new'), 'utf8')).toBe('first')
    expect(readdirSync(join(root, 'deep'))).toEqual(['new'])
  })

  it.skipIf(process.getuid?.() === 0)('reports a folder it may not write to', async () => {
    chmodSync(root, 0o500)
    await expect(folderFiles(root).writeText('x', 'y')).rejects.toMatchObject({ code: 'file_unwritable' })
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
