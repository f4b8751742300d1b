// Tests how a report is written: into a file, through a link, into a pipe.
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../testing/hosts/run-cli.ts'
import { deliver } from './terminal.ts'

describe('deliver', () => {
  it('moves a report into place whole', async () => {
    const folder = temporaryFolder(null, { 'report.json': 'old' })
    const before = statSync(join(folder, 'report.json')).ino
    await deliver('new', join(folder, 'report.json'))
    expect(readFileSync(join(folder, 'report.json'), 'utf8')).toBe('new\n')
    expect(statSync(join(folder, 'report.json')).ino).not.toBe(before)
    expect(readdirSync(folder)).toEqual(['report.json'])
  })

  it('writes through a link', async () => {
    const folder = temporaryFolder(null, { 'there/report.json': 'old' })
    symlinkSync('there/report.json', join(folder, 'link'))
    await deliver('new', join(folder, 'link'))
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'there/report.json'), 'utf8')).toBe('new\n')
  })

  it('writes into a pipe instead of replacing it', async () => {
    const pipe = join(temporaryFolder(null), 'pipe')
    execFileSync('mkfifo', [pipe])
    const [heard] = await Promise.all([readFile(pipe, 'utf8'), deliver('new', pipe)])
    expect(heard).toBe('new\n')
    expect(lstatSync(pipe).isFIFO()).toBe(true)
  })

  it.each([
    ['folder', 'it is a folder'],
    ['nowhere/report.json', 'its folder does not exist'],
    ['file/report.json', 'a part of its path is not a folder'],
  ])('says why it cannot write %s, and leaves nothing behind', async (path, reason) => {
    const folder = temporaryFolder(null)
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'file'), '')
    const file = join(folder, path)
    await expect(deliver('new', file)).rejects.toMatchObject({ code: 'file_unwritable', details: { path: file, reason } })
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder'])
  })
})
