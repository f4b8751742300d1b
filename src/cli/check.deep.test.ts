// Tests onbook check from outside: findings, reports, --fix, --watch, and the registry.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OTHER_USER } from '../testing/hosts/other-user.ts'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const NEWSROOM = 'examples/newsroom'
const WRITER = 'prompts/writer/v1.0.0.yaml'
const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8')

interface Reported {
  findings: { file: string; rule: string; severity: string; message: string; line: number; column: number; suggestion?: string }[]
  summary: { files: number; errors: number; warnings: number; infos: number }
}
const checkJson = async (args: readonly string[], cwd: string): Promise<Reported & { code: number | null }> => {
  const { out, code } = await runCli(['check', ...args, '--json'], { cwd })
  return { ...JSON.parse(out), code }
}

describe('onbook check', () => {
  it('finds nothing wrong with a sound workspace', async () => {
    const { code, out } = await runCli(['check', NEWSROOM])
    expect(out).toMatch(
      /^examples\/newsroom\/workflows\/newsroom\.yaml: compose graph; Onbook adds up to [\d,]+ bytes.*\n8 files checked: no problems\.\n$/,
    )
    expect(code).toBe(0)
  })

  it('shows the line, a caret and a suggestion', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, WRITER), read(folder, WRITER).replace('{{outlet}}', '{{outlte}}'))
    const { code, out } = await runCli(['check', WRITER], { cwd: folder })
    expect(code).toBe(1)
    expect(out).toContain(`${WRITER}:15:28  error  no-undefined-variables`)
    expect(out).toMatch(/> 15 \| {3}Write a news story for \{\{outlte\}\}.*\n.*\^{6}\n/)
    expect(out).toContain('did you mean "outlet"?')
  })

  it('checks the rest when a folder may not be looked into', async context => {
    const otherUser = { uid: OTHER_USER }
    const folder = temporaryFolder(NEWSROOM)
    chmodSync(folder, 0o755)
    if (process.platform === 'win32') context.skip('needs the modes of POSIX files')
    const closed = ['prompts/critic', 'schemas/closed']
    // In an unreadable folder, onbook check cannot know whether a registered file is missing.
    expect((await runCli(['activate', 'critic', '1.0.0'], { cwd: folder })).code).toBe(0)
    mkdirSync(join(folder, 'schemas/closed'))
    writeFileSync(join(folder, WRITER), read(folder, WRITER).replace('{{outlet}}', '{{outlte}}'))
    for (const path of closed) chmodSync(join(folder, path), 0o000)
    const { out, code } = await runCli(['check', '--json'], { cwd: folder, ...otherUser })
    const { findings } = JSON.parse(out) as Reported
    expect(findings.filter(({ severity }) => severity === 'error').map(({ file, rule, message }) => `${file} ${rule} ${message}`)).toEqual([
      'prompts/critic workspace-file The folder cannot be read: permission is denied',
      'prompts/writer/v1.0.0.yaml no-undefined-variables "outlte" is used but not declared',
      'schemas/closed workspace-file The folder cannot be read: permission is denied',
    ])
    expect(code).toBe(1)
    const only = await runCli(['check', 'prompts/critic', '--quiet'], { cwd: folder, ...otherUser })
    expect([only.out.split('\n')[0], only.code]).toEqual(['prompts/critic:1:1  error  workspace-file', 1])
    for (const path of closed) chmodSync(join(folder, path), 0o755)
  })

  it('names files as they read from where the user stands', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, WRITER), 'id: 1\n')
    const { findings } = await checkJson(['.'], join(folder, 'prompts', 'writer'))
    expect(new Set(findings.map(({ file }) => file))).toEqual(new Set(['v1.0.0.yaml']))
  })

  it('repairs what is mechanical with --fix, and leaves comments alone', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const before = read(folder, WRITER)
    const broken = before
      .replace('"prompt-writer-v1.0.0"', 'prompt-writer-v9 # the id')
      .replace('"2026-03-02T08:00:00Z"', '2026-03-02T08:00:00Z')
    writeFileSync(join(folder, WRITER), broken)
    expect((await runCli(['check', WRITER], { cwd: folder })).code).toBe(1)
    expect((await runCli(['check', WRITER, '--fix'], { cwd: folder })).code).toBe(0)
    expect(read(folder, WRITER)).toBe(before.replace('"prompt-writer-v1.0.0"', '"prompt-writer-v1.0.0" # the id'))
  })

  it('repairs all there is in one pass, also what is too much to be listed', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const list = Array.from({ length: 150 }, () => '      - yes').join('\n')
    const many = read(folder, WRITER).replace('meta:\n', `meta:\n  unknown:\n${list}\n`)
    writeFileSync(join(folder, WRITER), many)
    const { err } = await runCli(['check', WRITER, '--fix'], { cwd: folder })
    expect(err).toContain('repaired 150 places')
    expect(read(folder, WRITER)).toBe(many.replaceAll('- yes', '- "yes"'))
  })

  it('counts warnings against --max-warnings', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, WRITER), read(folder, WRITER).replace('meta:', 'mmeta: 1\nmeta:'))
    expect((await runCli(['check'], { cwd: folder })).code).toBe(0)
    expect((await runCli(['check', '--max-warnings', '0'], { cwd: folder })).code).toBe(1)
  })

  it('writes a report to a file', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const { code, out } = await runCli(['check', '--format', 'sarif', '--output', 'report.sarif'], { cwd: folder })
    expect([code, out]).toEqual([0, ''])
    expect(JSON.parse(read(folder, 'report.sarif')).version).toBe('2.1.0')
  })

  it.each([
    [['check', 'nowhere'], 'nowhere'],
    [['check', '--format', 'html'], '--format must be one of'],
    [['check', '--max-warnings', 'x'], '--max-warnings must be a number'],
    [['check', '--no-such-option'], 'onbook: unknown option'],
    [['chekc'], 'onbook: unknown command'],
    [['approvals', 'frobnicate'], "onbook: unknown command 'approvals frobnicate'"],
  ])('ends with 2 on wrong usage: %j', async (args, message) => {
    const { code, err, out } = await runCli(args)
    expect(code).toBe(2)
    expect(err + out).toContain(message)
  })

  it('says how to start when there are no packs', async () => {
    const { code, err } = await runCli(['check'], { cwd: temporaryFolder(null) })
    expect(code).toBe(2)
    expect(err).toContain('onbook init')
  })
})

describe('onbook check and the registry', () => {
  const activated = async () => {
    const folder = temporaryFolder(NEWSROOM)
    await runCli(['activate', 'writer', '1.0.0'], { cwd: folder })
    return folder
  }

  it('notices that a registered file is gone', async () => {
    const folder = await activated()
    rmSync(join(folder, WRITER))
    const { code, findings } = await checkJson([], folder)
    expect(code).toBe(1)
    expect(findings).toMatchObject([
      { file: 'onbook.registry.json', rule: 'published-changed', message: expect.stringContaining('is gone'), line: 7, column: 19 },
    ])
  })

  it.each([
    ['prompts/critic/v1.0.0.yaml', 'but prompts/critic/v1.0.0.yaml is the file of critic@1.0.0'],
    ['prompts/writer/v1.1.0.yaml', 'but prompts/writer/v1.1.0.yaml is the file of writer@1.1.0'],
    ['prompts/writer/v0.9.0.yaml', 'but prompts/writer/v0.9.0.yaml is gone'],
  ])('notices that a registered path was changed to %s', async (path, said) => {
    const folder = await activated()
    writeFileSync(join(folder, 'onbook.registry.json'), read(folder, 'onbook.registry.json').replace(`"${WRITER}"`, `"${path}"`))
    const { code, findings } = await checkJson([], folder)
    expect(code).toBe(1)
    expect(findings.filter(({ file }) => file === 'onbook.registry.json')).toMatchObject([
      { rule: 'published-changed', severity: 'error', message: `writer@1.0.0 is registered, ${said}`, line: 7, column: 19 },
    ])
  })

  it('repairs nothing that is registered, and says so', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, WRITER), read(folder, WRITER).replace('author: "The newsroom"', 'author: yes'))
    await runCli(['activate', 'writer', '1.0.0'], { cwd: folder })
    const before = read(folder, WRITER)
    const { code, err } = await runCli(['check', '--fix'], { cwd: folder })
    expect([code, err]).toEqual([0, expect.stringContaining('must not change')])
    expect(read(folder, WRITER)).toBe(before)
  })

  it('notices two files for one version', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, 'prompts/critic/v1.0.0.yml'), read(folder, 'prompts/critic/v1.0.0.yaml'))
    expect((await checkJson([], folder)).findings).toMatchObject([{ file: 'prompts/critic/v1.0.0.yml', rule: 'pack-identity' }])
  })

  it('takes versions with build metadata for what they are', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const built = read(folder, 'prompts/critic/v1.0.0.yaml').replaceAll('1.0.0', '1.0.0+b5')
    writeFileSync(join(folder, 'prompts/critic/v1.0.0+b5.yaml'), built)
    writeFileSync(join(folder, 'prompts/critic/v1.0.0+b5.script.yaml'), read(folder, 'prompts/critic/v1.0.0.script.yaml'))
    await runCli(['activate', 'critic', '1.0.0'], { cwd: folder })
    await runCli(['activate', 'critic', '1.0.0+b5'], { cwd: folder })
    const { active, versions } = JSON.parse(read(folder, 'onbook.registry.json')).agents.critic
    expect([active, versions['1.0.0'].path, versions['1.0.0+b5'].path]).toEqual([
      '1.0.0+b5',
      'prompts/critic/v1.0.0.yaml',
      'prompts/critic/v1.0.0+b5.yaml',
    ])
  })
})

describe('onbook check with files named one by one', () => {
  it('skips what is no pack', async () => {
    const names = ['onbook.config.yaml', 'README.md', 'schemas/draft.schema.json', 'prompts/writer/v1.0.0.script.yaml']
    expect((await checkJson([...names, WRITER], NEWSROOM)).summary).toMatchObject({ files: 1, errors: 0 })
    expect((await runCli(['check', ...names], { cwd: NEWSROOM })).code).toBe(0)
  })

  it('checks a folder whatever it is called', async () => {
    const folder = temporaryFolder(NEWSROOM)
    cpSync(join(folder, 'prompts'), join(folder, 'prompts-old'), { recursive: true })
    expect((await checkJson(['prompts-old'], folder)).summary.files).toBe(4)
  })
})

describe('onbook check --watch', () => {
  it('notices every save, also of editors that replace the file', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const [sound, broken] = [read(folder, WRITER), read(folder, WRITER).replace('{{outlet}}', '{{outlte}}')]
    const save = (text: string) => {
      writeFileSync(join(folder, 'prompts/writer/saved.tmp'), text)
      renameSync(join(folder, 'prompts/writer/saved.tmp'), join(folder, WRITER))
    }
    const rounds = [broken, sound, broken, sound]
    const { out, code } = await runCli(['check', '--watch'], {
      cwd: folder,
      during: child => {
        child.stderr!.on('data', chunk => {
          if (!String(chunk).includes('Watching')) return
          const next = rounds.shift()
          setTimeout(() => (next === undefined ? child.kill('SIGINT') : save(next)), 200)
        })
      },
    })
    expect(code).toBe(0)
    expect(out.match(/no problems|1 error/g)).toEqual(['no problems', '1 error', 'no problems', '1 error', 'no problems'])
  })
})

describe('bad input', () => {
  const HOSTILE: Readonly<Record<string, string | Buffer>> = {
    'latin.yaml': Buffer.from([0x69, 0x64, 0x3a, 0xe9]),
    'huge.yaml': Buffer.alloc(100 * 1024 * 1024, '- x\n'),
    'long-example.yaml': `examples:\n  - name: x\n    input: "${'x'.repeat(10 * 1024 * 1024)}"\n`,
    'deep.yaml': `a: ${'['.repeat(100_000)}\n`,
    'bomb.yaml': `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`).join('\n')}\n`,
    'tags.yaml': 'id: !!js/function "x"\n',
    'documents.yaml': 'a: 1\n---\nb: 2\n',
    'twice.yaml': 'id: a\nid: b\n',
    'empty.yaml': '',
    'binary.yaml': Buffer.from(Array.from({ length: 500 }, (_, index) => index % 256)),
    'list.yaml': '- a\n- b\n',
  }

  it('gives each broken file a message with a place, checks the others, and ends with 1', async () => {
    const folder = temporaryFolder(NEWSROOM)
    mkdirSync(join(folder, 'prompts', 'hostile'))
    for (const [name, content] of Object.entries(HOSTILE)) writeFileSync(join(folder, 'prompts', 'hostile', name), content)
    symlinkSync('/etc/passwd', join(folder, 'prompts', 'hostile', 'link.yaml'))
    mkdirSync(join(folder, 'prompts', 'hostile', 'folder.yaml'))
    writeFileSync(join(folder, 'prompts', 'hostile', 'folder.yaml', 'keep'), '')
    const { code, findings, summary } = await checkJson([], folder)
    expect(code).toBe(1)
    expect(summary.files).toBe(8 + Object.keys(HOSTILE).length + 2)
    const files = new Set(findings.filter(({ severity }) => severity === 'error').map(({ file }) => file))
    expect([...files].sort()).toEqual([...Object.keys(HOSTILE), 'link.yaml', 'folder.yaml'].map(name => `prompts/hostile/${name}`).sort())
    for (const { line, column, message } of findings) {
      expect(line).toBeGreaterThan(0)
      expect(column).toBeGreaterThan(0)
      expect(message.length).toBeLessThan(400)
    }
    expect(JSON.stringify(findings)).not.toContain('root:')
  })

  it('stops a schema whose pattern backtracks for ever, and checks the rest', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const path = 'schemas/draft.schema.json'
    writeFileSync(join(folder, path), read(folder, path).replace('"maxLength": 80', '"pattern": "^(\\\\w+\\\\s?)*$", "maxLength": 80'))
    writeFileSync(
      join(folder, WRITER),
      read(folder, WRITER).replace('Night ferry leaves half an hour later from May', `${'a'.repeat(60)}!`),
    )
    const { code, findings } = await checkJson([], folder)
    expect(code).toBe(1)
    expect(findings).toEqual([
      expect.objectContaining({ file: WRITER, rule: 'examples-validate', message: expect.stringContaining('backtrack') }),
    ])
  })

  it('reports broken workspace files where they are broken', async () => {
    const folder = temporaryFolder(NEWSROOM, {
      'schemas/broken.json': '{\n  "a": ,\n}',
      'onbook.config.yaml': 'rules:\n  no-such-rule: error\n',
      'onbook.registry.json': '{"agents": {\n  "writer": {}}}',
    })
    const { code, findings } = await checkJson([], folder)
    expect(code).toBe(1)
    expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'onbook.config.yaml:2',
      'onbook.registry.json:2',
      'schemas/broken.json:2',
    ])
  })
})

describe('each rule on its bad fixture', () => {
  const rules = readdirSync('fixtures/packs/bad')

  it('has a fixture for every rule', () => {
    expect(rules).toEqual(readdirSync('src/core/lint/rules'))
  })
})
