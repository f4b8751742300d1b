import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { REPO_DESCRIPTORS, type RepoTool } from './repo-descriptors.ts'

const fits = (tool: RepoTool, args: object): boolean => new Validator({ ...REPO_DESCRIPTORS[tool].inputSchema }).validate(args).valid

describe('the arguments of a tool for repos', () => {
  it.each<[RepoTool, object]>([
    ['command', { cmd: 'ls' }],
    ['command', { cmd: ' ls\n', cwd: 'src' }],
    ['read_file', { path: 'a' }],
    ['write_file', { path: 'a', content: '' }],
    ['list_files', {}],
    ['list_files', { path: '.' }],
    ['delete_file', { path: 'a' }],
  ])('%s takes %j', (tool, args) => expect(fits(tool, args)).toBe(true))

  it.each<[RepoTool, object]>([
    ['command', {}],
    ['command', { cmd: '' }],
    ['command', { cmd: ' \n' }],
    ['command', { cmd: ['ls'] }],
    ['command', { cmd: 'ls', cwd: '' }],
    ['command', { cmd: 'ls', cwd: null }],
    ['command', { cmd: 'ls', timeout: 1 }],
    ['command', { cmd: 'x'.repeat(32_001) }],
    ['read_file', {}],
    ['read_file', { path: '' }],
    ['read_file', { path: 1 }],
    ['read_file', { path: 'a', encoding: 'latin1' }],
    ['read_file', { path: 'a'.repeat(4097) }],
    ['write_file', { path: 'a' }],
    ['write_file', { content: 'a' }],
    ['write_file', { path: 'a', content: null }],
    ['list_files', { path: 'a', depth: 2 }],
    ['list_files', { path: '' }],
    ['delete_file', {}],
    ['delete_file', { path: 'a', recursive: true }],
  ])('%s does not take %j', (tool, args) => expect(fits(tool, args)).toBe(false))

  it('is named in the table as it is in its descriptor', () => {
    for (const [name, descriptor] of Object.entries(REPO_DESCRIPTORS)) expect(descriptor.name).toBe(name)
  })
})
