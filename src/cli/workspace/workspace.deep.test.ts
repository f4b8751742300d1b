// Tests workspaces on the command line: published, shown, compared and checked out. Nothing in them is ever executed.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
const started = (files: Readonly<Record<string, string>> = { 'desk/a.md': 'A', 'desk/docs/b.md': 'B' }) => {
  const cwd = temporaryFolder(null, files)
  const run = (...args: string[]) => runCli(args, { cwd })
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)
  const publish = (...args: string[]) => run('publish', 'desk', '--workspace', 'writer', ...args)
  return { cwd, desk: join(cwd, 'desk'), run, json, publish }
}
/** Every file below the folder, with its text. */
const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(path => statSync(join(folder, path)).isFile())
      .map(path => [path, readFileSync(join(folder, path), 'utf8')]),
  )

describe('onbook publish --workspace', () => {
  it('commits a folder, again when it changed, and says what happened', async () => {
    const { desk, publish, run, json } = started()
    expect((await publish('--message', 'first')).out).toBe(
      'Workspace writer is at version 1: 2 files, 2 B; 2 added, 0 changed, 0 removed.\n',
    )
    expect((await publish()).out).toBe('Workspace writer stays at version 1: nothing is different (2 files, 2 B).\n')
    write(desk, { 'a.md': 'A, longer', 'new/c.md': 'C' })
    rmSync(join(desk, 'docs'), { recursive: true })
    const second = JSON.parse((await publish('--json', '--expect', '1')).out)
    expect(second).toMatchObject({
      published: [],
      unchanged: [],
      workspace: { outcome: 'committed', version: 2, added: 1, changed: 1, removed: 1, files: 2 },
    })
    const { versions } = await json('workspace', 'log', 'writer')
    expect(versions).toMatchObject([
      { version: 2, root: second.workspace.root, message: null },
      { version: 1, message: 'first' },
    ])
    expect((await run('verify')).code).toBe(0)
  })

  it('publishes the packs that are in it as well, and neither when one has errors', async () => {
    const { cwd, run } = started({})
    await run('init', 'desk')
    const first = JSON.parse((await run('publish', 'desk', '--workspace', 'writer', '--json')).out)
    expect([first.published.length > 0, first.workspace.version]).toEqual([true, 1])
    const pack = join(cwd, 'desk', 'prompts', 'summarizer', 'v1.0.0.yaml')
    writeFileSync(pack, readFileSync(pack, 'utf8').replace('{{', '{{nobody} {{'))
    expect((await run('publish', 'desk', '--workspace', 'writer')).code).toBe(1)
    expect((await run('workspace', 'log', 'writer', '--json')).out).not.toContain('"version": 2')
    expect(JSON.parse((await run('publish', 'desk', '--json')).out)).toMatchObject({ error: 'checks_failed' })
  })

  it('refuses when the newest version is another than expected, before anything is written', async () => {
    const { cwd, run } = started({})
    await run('init', 'desk')
    const refused = await run('publish', 'desk', '--workspace', 'writer', '--expect', '3', '--json')
    expect([refused.code, JSON.parse(refused.out)]).toMatchObject([2, { error: 'workspace_conflict', details: { expected: 3, found: 0 } }])
    expect((await run('streams', '--json')).out).not.toContain('library/')
    expect(existsSync(join(cwd, 'desk', '.onbook'))).toBe(false)
  })

  it('leaves out the record itself, wherever it lies', async () => {
    const { run, json } = started()
    await run('publish', 'desk', '--workspace', 'writer', '--data', 'desk/record')
    const { entries } = await json('workspace', 'show', 'writer', '--data', 'desk/record')
    expect(entries.map(({ path }: { path: string }) => path)).toEqual(['a.md', 'docs', 'docs/b.md'])
  })

  it('refuses a link that leads out, and publishes nothing', async () => {
    const { desk, publish, run } = started()
    symlinkSync('/etc/passwd', join(desk, 'docs', 'passwd'))
    expect(await publish()).toMatchObject({ code: 2, err: expect.stringContaining('docs/passwd leads out of the workspace') })
    expect((await run('workspace', 'list')).out).toContain('No workspaces yet')
  })

  const usage: readonly [string, readonly string[], string][] = [
    ['a name that is none', ['publish', 'desk', '--workspace', '../x'], 'cannot name a workspace'],
    ['two folders', ['publish', 'desk', 'desk/docs', '--workspace', 'w'], 'takes one folder'],
    ['a file', ['publish', 'desk/a.md', '--workspace', 'w'], 'is not a folder'],
    ['a folder that is not there', ['publish', 'nowhere', '--workspace', 'w'], 'nowhere does not exist'],
    ['a message without a workspace', ['publish', 'desk', '--message', 'x'], 'name its workspace'],
    ['a version that is none', ['publish', 'desk', '--workspace', 'w', '--expect', 'two'], 'is not a version'],
    ['a message that is a digest', ['publish', 'desk', '--workspace', 'w', '--message', `sha256:${'0'.repeat(64)}`], 'write it in words'],
  ]
  it.each(usage)('refuses %s', async (_, args, message) => {
    expect(await started().run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  })

  it('reads two thousand files once: the next time only those that changed', async () => {
    const { cwd, desk, publish, json } = started({})
    for (let n = 0; n < 2_000; n++) write(desk, { [`d${n % 100}/f${n}.md`]: `file ${n}` })
    expect(JSON.parse((await publish('--json')).out).workspace).toMatchObject({ version: 1, files: 2_000 })
    for (let n = 0; n < 10; n++) write(desk, { [`d${n}/f${n}.md`]: `changed ${n}` })
    expect(JSON.parse((await publish('--json')).out).workspace).toMatchObject({ version: 2, files: 2_000, changed: 10 })
    expect((await json('workspace', 'diff', 'writer')).changes).toHaveLength(10)
    expect((await runCli(['workspace', 'checkout', 'writer@1', 'out'], { cwd })).out).toContain('2000 files')
    expect(readFileSync(join(cwd, 'out', 'd3', 'f3.md'), 'utf8')).toBe('file 3')
  })
})

describe('onbook workspace', () => {
  it('lists, shows and compares versions in words and as JSON', async () => {
    const { desk, publish, run, json } = started()
    await publish('--message', 'first')
    write(desk, { 'a.md': 'A2', 'über uns.md': 'U', 'run.sh': '' })
    chmodSync(join(desk, 'docs', 'b.md'), 0o755)
    await publish('--message', 'second')
    expect((await run('workspace', 'list')).out).toMatch(/writer\s+2\s+4\s+4 B/)
    expect((await json('workspace', 'list')).workspaces).toMatchObject([{ workspace: 'writer', version: 2, files: 4 }])
    expect((await run('workspace', 'log', 'writer', '--limit', '1')).out).toMatch(/second\n$/)
    expect(await run('workspace', 'diff', 'writer')).toMatchObject({
      code: 1,
      out: 'writer: version 1 to 2\n~ a.md  (1 B → 2 B)\nm docs/b.md  (mode 0644 → 0755)\n+ run.sh  (0 B)\n+ über uns.md  (1 B)\n',
    })
    expect(await run('workspace', 'diff', 'writer', '2', '2')).toMatchObject({
      code: 0,
      out: 'writer: version 2 to 2: nothing is different.\n',
    })
    expect((await json('workspace', 'diff', 'writer', '0', '1', '--path', 'docs')).changes).toMatchObject([
      { path: 'docs/b.md', kind: 'added' },
    ])
    expect((await run('workspace', 'show', 'writer')).out).toMatch(/0755\s+1 {2}docs\/b\.md/)
    expect((await run('workspace', 'show', 'writer@1', 'a.md')).out).toBe('A')
    expect((await run('workspace', 'show', 'writer', 'über uns.md')).out).toBe('U')
    expect(await json('workspace', 'show', 'writer', 'a.md')).toMatchObject({ version: 2, path: 'a.md', size: 2, mode: '0644' })
  })

  it('gives a version back as it was: names, modes, bytes', async () => {
    const { cwd, desk, publish, run, json } = started({
      'desk/a.md': 'A',
      'desk/sub/über uns.md': 'U',
      'desk/~tilde': 'T',
      'desk/.hidden': 'H',
    })
    chmodSync(join(desk, 'a.md'), 0o755)
    await publish()
    const before = filesOf(desk)
    write(desk, { 'a.md': 'changed' })
    await publish()
    expect((await run('workspace', 'checkout', 'writer@1', 'out')).out).toBe('Version 1 of writer is in out: 4 files.\n')
    expect(filesOf(join(cwd, 'out'))).toEqual(before)
    expect(statSync(join(cwd, 'out', 'a.md')).mode & 0o111).toBe(0o111)
    expect(await run('workspace', 'checkout', 'writer', 'out')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not an empty folder'),
    })
    expect(await json('workspace', 'checkout', 'writer', 'out', '--force')).toMatchObject({ version: 2, files: 4 })
    expect(readFileSync(join(cwd, 'out', 'a.md'), 'utf8')).toBe('changed')
  })

  it('never runs what is in a workspace', async () => {
    const { cwd, desk, publish, run } = started()
    const canary = join(cwd, 'canary')
    const script = `#!/bin/sh\ntouch '${canary}'\n`
    const hooks = ['run.sh', 'hooks/post-checkout', 'package.json', 'prompts/x/install.js', 'onbook.config.mjs']
    write(desk, Object.fromEntries(hooks.map(path => [path, script])))
    for (const path of hooks) chmodSync(join(desk, path), 0o755)
    for (const args of [
      ['publish', 'desk', '--workspace', 'writer'],
      ['workspace', 'list'],
      ['workspace', 'log', 'writer'],
      ['workspace', 'show', 'writer'],
      ['workspace', 'show', 'writer', 'run.sh'],
      ['workspace', 'checkout', 'writer', 'out'],
      ['verify'],
    ])
      expect((await run(...args)).code, args.join(' ')).toBe(0)
    expect((await run('workspace', 'diff', 'writer', '0')).code).toBe(1)
    await publish()
    expect(statSync(join(cwd, 'out', 'run.sh')).mode & 0o100).toBe(0o100)
    expect(existsSync(canary)).toBe(false)
  })

  const refusals: readonly [string, readonly string[], string][] = [
    ['a workspace that is not there', ['log', 'editor'], 'There is no workspace editor'],
    ['a version that is not there', ['show', 'writer@9'], 'has no version 9; its latest is 1'],
    ['a file that is not there', ['show', 'writer', 'nope.md'], 'There is no file nope.md in version 1'],
    ['a way out', ['show', 'writer', '../../etc/passwd'], 'is not a path in a workspace'],
    ['a version that is none', ['checkout', 'writer@x', 'out'], 'is not a version'],
    ['too many at signs', ['show', 'writer@1@2'], 'is not NAME or NAME@VERSION'],
  ]
  it.each(refusals)('refuses %s', async (_, args, message) => {
    const { run, publish } = started()
    await publish()
    expect(await run('workspace', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  })

  it('makes no record when there is none', async () => {
    const { cwd, run } = started()
    expect(await run('workspace', 'list')).toMatchObject({ code: 2, err: expect.stringContaining('There is no record') })
    expect(existsSync(join(cwd, '.onbook'))).toBe(false)
  })
})

describe('onbook key', () => {
  it('name the workspaces a key may use', async () => {
    const { run } = started()
    expect((await run('keys', 'create', '--workspaces', 'writer,../x')).code).toBe(2)
    await run('keys', 'create', '--workspaces', 'writer, editor')
    await run('keys', 'create')
    const { keys } = JSON.parse((await run('keys', 'list', '--json')).out)
    expect(keys.map(({ workspaces }: { workspaces: string[] }) => workspaces)).toEqual([['writer', 'editor'], ['*']])
  })
})
