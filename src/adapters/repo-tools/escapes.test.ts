// Ways out of a repo, as data and made up: none of them leads anywhere, and each is answered with words, not with a crash.
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { type HostileRepo, hostileRepo, runTool, SECRET } from '../../testing/hostile-repo.ts'

type RepoTools = typeof import('./repo-tools.ts').repoTools

/** How the tools are loaded on a system that has no names for descriptors. */
async function loadedOn(platform: NodeJS.Platform): Promise<RepoTools> {
  const own = Object.getOwnPropertyDescriptor(process, 'platform')!
  vi.resetModules()
  Object.defineProperty(process, 'platform', { ...own, value: platform })
  try {
    return (await import('./repo-tools.ts')).repoTools
  } finally {
    Object.defineProperty(process, 'platform', own)
  }
}

/** Ways up, down and around; `T` is the file it wants. */
const WAYS = [
  // said outright
  ...[
    '../outside/T',
    '../T',
    '../../T',
    '..',
    '../',
    '../repo/../outside/T',
    'src/../../outside/T',
    './../outside/T',
    'src/./.././../outside/T',
  ],
  ...['/etc/passwd', '//etc/passwd', '/', '/proc/self/environ', '/proc/self/cwd/T', '/dev/stdin', '~/T', '~root/T', 'file:///etc/passwd'],
  ...['..\\outside\\T', 'src\\..\\..\\outside\\T', 'C:\\outside\\T', 'C:/outside/T', 'c:T', '\\\\host\\share\\T', '\\\\?\\C:\\T'],
  // dressed up
  ...[
    '%2e%2e/outside/T',
    '..%2foutside/T',
    '%2e%2e%2foutside%2fT',
    '..\u2215outside/T',
    '\uff0e\uff0e/outside/T',
    '\u2024\u2024/outside/T',
  ],
  ...[
    '.. /outside/T',
    '.../outside/T',
    '..\0/outside/T',
    '../outside/T\0.txt',
    'src/a.txt\0/../../T',
    '..\n/outside/T',
    '.\u200b./outside/T',
  ],
  ...[
    '\ufeff../outside/T',
    '\u202e../outside/T',
    '..\ud800/outside/T',
    '..\u00a0/outside/T',
    '. ./outside/T',
    '../outside/T ',
    '$(cat T)',
    '`T`',
  ],
  // through links
  ...['link-out/T', 'link-out', 'link-relative/T', 'link-chain/T', 'link-file', 'link-deep/T', 'link-parent/outside/T', 'link-parent/T'],
  ...[
    'link-root/etc/passwd',
    'link-proc/T',
    'link-null',
    'link-nowhere',
    'link-loop',
    'link-loop/T',
    'src/link-out/T',
    'docs/link-up/link-out/T',
  ],
  ...[
    'link-dot/link-dot/link-out/T',
    'link-dot/../outside/T',
    'link-out/../T',
    'link-out/deep/../T',
    'src/link-out/./T',
    'LINK-OUT/T',
    'link-out//T',
  ],
  ...['hard', 'link-dot/hard', './hard', 'fifo', 'link-dot/fifo', 'fifo/T'],
  // to what is protected
  ...[
    '.git/config',
    '.GIT/config',
    '.Git/hooks/pre-commit',
    '.git /config',
    '.git./config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
  ],
  ...[
    '.g\u200cit/config',
    '.\u2060git/config',
    '\uff0egit/config',
    '.gi\u0074\u0301/config',
    'link-git/config',
    'link-dot/.git/config',
    'sub/.git/config',
  ],
  ...[
    'src/../.git/config',
    './.git/./config',
    '.git//config',
    'docs/link-up/.git/config',
    '.git\\config',
    '.git/hooks/../config',
    '.git/config/',
  ],
  ...[
    'docs/templates/writer.md',
    'Docs/templates/writer.md',
    'docs/TEMPLATES/writer.md',
    'docs/templates /writer.md',
    'docs//templates/writer.md',
  ],
  ...['link-roles/writer.md', 'docs/link-up/docs/templates/writer.md', 'docs/templates./writer.md', 'docs/link-src/../templates/writer.md'],
  ...['prompts/pack.yaml', 'PROMPTS/pack.yaml', 'prompt\u017f/pack.yaml', 'tools/tool.json', 'agents/agent.yaml', 'workflows/flow.yaml'],
  ...['schemas/schema.json', 'context/context.md', 'onbook.host.yaml', 'ONBOOK.HOST.YAML', 'onbook.policy.yaml', 'onbook.host.yaml:stream'],
  ...['onbook.host.yaml.', 'onbook.host.yaml ', 'agent.workspace.json', 'Agent.Workspace.JSON', 'link-dot/agent.workspace.json'],
  ...['.onbook/keys/key', '.ONBOOK/keys/key', '.onbook./keys/key', 'link-data/keys/key', 'link-dot/.onbook/keys/key', '.onbook/onbook.db'],
  // too long, too deep, nothing at all
  ...['x'.repeat(256), 'x'.repeat(5000), '../'.repeat(2000), 'a/'.repeat(2000), 'é'.repeat(128), '', ' ', '.', './/', '\0', '\ud800'],
]
const TARGETS = ['secret.txt', 'docs/templates/writer.md', `${SECRET}.txt`]

const paths: readonly string[] = [
  ...new Set(WAYS.flatMap(way => (way.includes('T') ? TARGETS.map(target => way.replace('T', () => target)) : [way]))),
]

const CALLS: readonly (readonly [tool: string, args: (path: string) => object])[] = [
  ['read_file', path => ({ path })],
  ['list_files', path => ({ path })],
  ['write_file', path => ({ path, content: 'PLANTED' })],
  ['delete_file', path => ({ path })],
]

/** A text from outside, the name of a file there, a key of the record, or the users of this machine. A path that was given is quoted. */
const LEAKED = new RegExp(`${SECRET}"|"name":"${SECRET}|guarded .onbook|root:x:`)

let tried = 0
let made: HostileRepo | null = null

/** A repo serves until something was deleted in it: that may have been a way out. */
async function attempt(repoTools: RepoTools, tool: string, args: object): Promise<void> {
  made ??= hostileRepo()
  const answer = await runTool(repoTools(made.root, { limits: { commandMs: 5_000 } }), tool, args)
  tried += 1
  expect(made.changes()).toEqual([])
  expect(JSON.stringify(answer)).not.toMatch(LEAKED)
  if (JSON.stringify(answer).includes('"deleted":true')) made = null
}

const SYSTEMS = ['linux', 'darwin'] as const

describe.each(SYSTEMS)('held as on %s', platform => {
  let repoTools: RepoTools
  afterEach(() => {
    made = null
  })

  it.each(CALLS)(`%s leads nowhere by any of ${paths.length} paths`, async (tool, args) => {
    repoTools = await loadedOn(platform)
    for (const path of paths) await attempt(repoTools, tool, args(path))
  })

  it('no path put together from such parts leads anywhere', async () => {
    repoTools = await loadedOn(platform)
    const part = fc.constantFrom(
      ...['..', '.', '', 'src', 'docs', 'templates', 'a.txt', 'secret.txt', 'outside', 'repo', '.git', '.GIT', 'config', '.onbook', 'keys'],
      ...[
        'key',
        'link-out',
        'link-dot',
        'link-parent',
        'link-chain',
        'link-up',
        'link-src',
        'link-root',
        'link-roles',
        'prompts',
        'new',
        'hard',
      ],
      ...[
        'fifo',
        'docs ',
        'docs.',
        '\\',
        'é',
        'e\u0301',
        '\u200b',
        'a\0',
        'link-nowhere',
        'link-nowhere-inside',
        'proc',
        'self',
        'onbook.host.yaml',
      ],
    )
    const call = fc.constantFrom(...CALLS)
    await fc.assert(
      fc.asyncProperty(call, fc.array(part, { minLength: 1, maxLength: 6 }), async ([tool, args], parts) => {
        await attempt(repoTools, tool, args(parts.join('/')))
      }),
      { numRuns: 300 },
    )
  })

  it('no command starts outside, or where nothing may be changed', async () => {
    repoTools = await loadedOn(platform)
    const folders = paths
      .filter(path => /^link|out|\.git|onbook|docs|prompt|\.\.|^\//i.test(path) && path.length < 100)
      .map(path => path.replace(/\/[^/]*$/, ''))
    for (const cwd of new Set(folders))
      await attempt(repoTools, 'command', { cmd: 'cat secret.txt; echo PLANTED > config; echo PLANTED > writer.md', cwd })
  })
})

describe('16: a path that leads out', () => {
  it.each(['write_file', 'delete_file', 'read_file', 'list_files'])('is an answer of %s, with a code and what to do', async tool => {
    const { repoTools } = await import('./repo-tools.ts')
    const { root } = hostileRepo()
    for (const path of ['../x', '/x', 'src/../../x', 'C:/x'])
      expect(await runTool(repoTools(root), tool, { path, content: '' })).toEqual({
        code: 'repo_path_outside',
        message: `${path} leads out of the repo. Name a path from its root, without "..".`,
      })
  })
})

describe('15: what planning lets through as docs', () => {
  it.each(['docs/link-src/a.txt', 'docs/link-src/new.txt', 'docs/link-up/src/a.txt', 'docs\\..\\src\\a.txt', 'docs\\new.txt'])(
    'is in docs: not %s',
    async path => {
      const { repoTools } = await import('./repo-tools.ts')
      const { root } = hostileRepo()
      for (const tool of ['write_file', 'delete_file'])
        expect(await runTool(repoTools(root), tool, { path, content: 'PLANTED' })).toMatchObject({
          code: expect.stringMatching(/repo_link_refused|repo_path_invalid/),
        })
      expect(await runTool(repoTools(root), 'read_file', { path: 'src/a.txt' })).toBe('inside')
    },
  )
})

afterAll(() => {
  expect(tried).toBeGreaterThan(1000)
})
