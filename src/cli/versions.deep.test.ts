// Tests onbook prompt bump, activate and retire from outside.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('examples/newsroom')
})

const V1 = 'prompts/critic/v1.0.0.yaml'
const V2 = 'prompts/critic/v1.1.0.yaml'
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const edit = (path: string, from: string, to: string) => writeFileSync(join(folder, path), read(path).replace(from, to))
const onbook = (...args: string[]) => runCli(args, { cwd: folder })
const registry = () => JSON.parse(read('onbook.registry.json')).agents.critic

describe('onbook prompt bump', () => {
  it('copies to the next version with version, id and date set, and leaves the rest and the old file as they are', async () => {
    const before = read(V1)
    const { code, out } = await onbook('bump', 'critic', 'minor')
    expect(code).toBe(0)
    expect(out).toContain(V2)
    expect(read(V1)).toBe(before)
    const changed = read(V2)
      .split('\n')
      .flatMap((line, index) => (line === before.split('\n')[index] ? [] : [line]))
    expect(changed).toEqual([
      'id: "prompt-critic-v1.1.0"',
      'version: "1.1.0"',
      expect.stringMatching(/^ {2}lastUpdated: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/),
    ])
  })

  it.each([
    ['a path', V1, 'major', 'prompts/critic/v2.0.0.yaml'],
    ['a ref', 'writer@1.0.0', 'patch', 'prompts/writer/v1.0.1.yaml'],
    ['the newest version of an agent', 'prompt:writer', 'patch', 'prompts/writer/v1.1.1.yaml'],
  ])('takes %s', async (_, ref, step, path) => {
    expect(JSON.parse((await onbook('bump', ref, step, '--json')).out).path).toBe(path)
    expect(existsSync(join(folder, path))).toBe(true)
  })

  it('never overwrites a version', async () => {
    writeFileSync(join(folder, V2), 'precious')
    const { code, err } = await onbook('bump', 'critic@1.0.0', 'minor')
    expect(code).toBe(2)
    expect(err).toContain('exists already')
    expect(read(V2)).toBe('precious')
  })

  it.each([
    ['critic', 'huge', 'patch, minor, major'],
    ['nobody', 'patch', 'critic@1.0.0'],
  ])('refuses %s %s', async (ref, step, message) => {
    const { code, err } = await onbook('bump', ref, step)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})

describe('onbook prompt activate', () => {
  it('registers with digests, moves the active version, keeps a history, and goes back', async () => {
    expect((await onbook('activate', 'critic', '1.0.0', '--why', 'first')).code).toBe(0)
    await onbook('bump', 'critic', 'minor')
    writeFileSync(join(folder, 'prompts/critic/v1.1.0.script.yaml'), read('prompts/critic/v1.0.0.script.yaml'))
    expect((await onbook('activate', 'critic', '1.1.0')).code).toBe(0)
    expect(registry()).toMatchObject({ active: '1.1.0', versions: { '1.0.0': { status: 'deprecated' }, '1.1.0': { status: 'active' } } })
    expect((await onbook('activate', 'critic', '--back', '--why', 'worse')).code).toBe(0)
    const { active, versions, history } = registry()
    expect(active).toBe('1.0.0')
    expect(versions['1.0.0']).toMatchObject({ path: V1, digest: expect.stringMatching(/^sha256:/), status: 'active' })
    expect(Object.keys(versions['1.0.0'].schemas)).toContain('https://newsroom.example/schemas/draft.json')
    expect(history.map(({ from, to, why }: Record<string, unknown>) => [from, to, why])).toEqual([
      [null, '1.0.0', 'first'],
      ['1.0.0', '1.1.0', undefined],
      ['1.1.0', '1.0.0', 'worse'],
    ])
    expect(readdirSync(folder).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('protects what is registered: a changed file, a changed schema', async () => {
    await onbook('activate', 'critic', '1.0.0')
    expect((await onbook('check')).code).toBe(0)
    edit(V1, 'can be printed', 'may be printed')
    expect((await onbook('check')).out).toContain('published-changed')
    edit(V1, 'may be printed', 'can be printed')
    edit('schemas/draft.schema.json', '"minLength": 1', '"minLength": 2')
    expect((await onbook('check')).out).toContain('published-changed')
  })

  it('changes nothing when checks or tests fail', async () => {
    edit(V1, '{{#each constraints}}', '{{#each constraintz}}')
    const unchecked = await onbook('activate', 'critic', '1.0.0')
    expect([unchecked.code, unchecked.err]).toEqual([1, expect.stringContaining('nothing was changed')])
    edit(V1, '{{#each constraintz}}', '{{#each constraints}}')
    edit('prompts/critic/v1.0.0.script.yaml', 'paragraph: 1', 'paragraph: 7')
    const untested = await onbook('activate', 'critic', '1.0.0')
    expect([untested.code, untested.err]).toEqual([1, expect.stringContaining('/remarks/0/paragraph')])
    expect(existsSync(join(folder, 'onbook.registry.json'))).toBe(false)
  })

  it('refuses to go back where there is nothing, to activate twice, or what is retired', async () => {
    expect((await onbook('activate', 'critic', '--back')).code).toBe(1)
    await onbook('activate', 'writer', '1.0.0')
    expect((await onbook('activate', 'writer', '1.0.0')).err).toContain('active already')
    await onbook('activate', 'writer', '1.1.0')
    expect((await onbook('retire', 'writer', '1.0.0')).code).toBe(0)
    expect((await onbook('activate', 'writer', '1.0.0')).err).toContain('retired')
    expect((await onbook('retire', 'writer', '1.1.0')).err).toContain('active')
  })

  it('lets two at once both succeed: neither loses the other', async () => {
    const codes = await Promise.all([
      onbook('activate', 'critic', '1.0.0'),
      onbook('activate', 'writer', '1.0.0'),
      onbook('activate', 'editor', '1.0.0'),
    ])
    expect(codes.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(Object.keys(JSON.parse(read('onbook.registry.json')).agents).sort()).toEqual(['critic', 'editor', 'writer'])
  })

  it('does not touch a registry it cannot read', async () => {
    writeFileSync(join(folder, 'onbook.registry.json'), '{"agents": 1}')
    const { code, err } = await onbook('activate', 'critic', '1.0.0')
    expect(code).toBe(2)
    expect(err).toContain('not a valid registry: line 1, column 12: ')
    expect(read('onbook.registry.json')).toBe('{"agents": 1}')
  })
})
