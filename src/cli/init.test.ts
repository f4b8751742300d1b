// Tests the scaffold of onbook init: all files or none, and nothing overwritten.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../testing/hosts/run-cli.ts'
import { scaffold } from './init.ts'

const source = temporaryFolder(null, { 'package.json': '{ "name": "my-prompts" }', 'one.yaml': 'one' })
const sound = [
  { path: 'package.json', from: join(source, 'package.json') },
  { path: 'prompts/one.yaml', from: join(source, 'one.yaml') },
]
const broken = [...sound, { path: 'prompts/two.yaml', from: join(source, 'missing.yaml') }]

describe('scaffold', () => {
  it.each(['demo', 'deep/er/demo'])('makes the folder %s, or leaves no trace', async dir => {
    const folder = temporaryFolder(null)
    await expect(scaffold(join(folder, dir), broken)).rejects.toMatchObject({ code: 'file_unreadable' })
    expect(readdirSync(folder)).toEqual([])
    await scaffold(join(folder, dir), sound)
    expect(readdirSync(join(folder, dir)).sort()).toEqual(['package.json', 'prompts'])
    expect(readdirSync(join(folder, dir, '..'))).toEqual(['demo'])
    expect(JSON.parse(readFileSync(join(folder, dir, 'package.json'), 'utf8'))).toEqual({ name: 'demo' })
  })

  it('fills a folder that holds only .git, or leaves it as it was', async () => {
    const folder = temporaryFolder(null, { '.git/HEAD': 'x' })
    await expect(scaffold(folder, broken)).rejects.toMatchObject({ code: 'file_unreadable' })
    expect(readdirSync(folder)).toEqual(['.git'])
    await scaffold(folder, sound)
    expect(readdirSync(folder).sort()).toEqual(['.git', 'package.json', 'prompts'])
  })

  it('takes back what it moved when somebody else’s file is in the way of the rest', async () => {
    const folder = temporaryFolder(null)
    const late = {
      path: 'zoo.yaml',
      get from() {
        writeFileSync(join(folder, 'zoo.yaml'), 'theirs')
        return join(source, 'one.yaml')
      },
    }
    await expect(scaffold(folder, [...sound, late])).rejects.toMatchObject({ code: 'path_exists' })
    expect(readdirSync(folder)).toEqual(['zoo.yaml'])
    expect(readFileSync(join(folder, 'zoo.yaml'), 'utf8')).toBe('theirs')
  })

  it('starts where a killed init left its temporary folder', async () => {
    const folder = temporaryFolder(null, { '.onbook-init-1/package.json': '{}' })
    await scaffold(folder, sound)
    expect(existsSync(join(folder, 'package.json'))).toBe(true)
  })

  it('packs small: fills a folder that holds something, and refuses where a file would be overwritten', async () => {
    const folder = temporaryFolder(null, {
      file: '',
      'folder/mine.txt': 'x',
      'folder/prompts/mine.yaml': 'x',
      'full/prompts/one.yaml': 'x',
    })
    await expect(scaffold(join(folder, 'file'), sound)).rejects.toMatchObject({ code: 'folder_not_empty' })
    await expect(scaffold(join(folder, 'full'), sound)).rejects.toMatchObject({ code: 'path_exists' })
    expect([readdirSync(join(folder, 'full')), readFileSync(join(folder, 'full/prompts/one.yaml'), 'utf8')]).toEqual([['prompts'], 'x'])
    await scaffold(join(folder, 'folder'), sound)
    expect(readdirSync(join(folder, 'folder')).sort()).toEqual(['mine.txt', 'package.json', 'prompts'])
    expect(readdirSync(join(folder, 'folder/prompts')).sort()).toEqual(['mine.yaml', 'one.yaml'])
  })

  it('says so when the folder cannot be made', async () => {
    const folder = temporaryFolder(null, { file: '' })
    await expect(scaffold(join(folder, 'file/demo'), sound)).rejects.toMatchObject({ code: 'file_unwritable' })
  })

  it('makes folders that others can read as much as any other', async () => {
    const folder = temporaryFolder(null)
    mkdirSync(join(folder, 'plain'))
    await scaffold(join(folder, 'demo'), sound)
    expect(statSync(join(folder, 'demo')).mode).toBe(statSync(join(folder, 'plain')).mode)
  })
})
