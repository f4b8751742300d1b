// Ways out of a repo, listed and generated: none succeeds, and each gets an error, not a crash.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeAttempts } from '../../testing/repos/escape-attempts.ts'
import { ESCAPE_WAYS, PATH_CALLS } from '../../testing/repos/escape-corpus.ts'
import { hostileRepo, runTool } from '../../testing/repos/hostile-repo.ts'
import { repoTools } from './repo-tools.ts'

/** The parts of generated paths. */
const PARTS = [
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
  ...['fifo', 'docs ', 'docs.', '\\', 'é', 'e\u0301', '\u200b', 'a\0', 'link-nowhere', 'link-nowhere-inside', 'proc', 'self', 'desk'],
  ...['onbook.host.yaml', 'link-cwd', 'link-slash', 'sparse', 'device'],
]

describe('out of a repo', () => {
  it.each(PATH_CALLS)(`%s leads nowhere by any of ${ESCAPE_WAYS.length} ways`, async (tool, args) => {
    const attempt = await escapeAttempts()
    for (const path of ESCAPE_WAYS) await attempt(tool, args(path))
    expect(ESCAPE_WAYS.length).toBeGreaterThan(200)
  })

  it('no path put together from such parts leads anywhere', async () => {
    const attempt = await escapeAttempts()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PATH_CALLS),
        fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }),
        async ([tool, args], parts) => {
          await attempt(tool, args(parts.join('/')))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('no command starts outside, or where nothing may be changed', async () => {
    const attempt = await escapeAttempts()
    const folders = ESCAPE_WAYS.filter(path => /^link|out|\.git|onbook|docs|prompt|\.\.|^\//i.test(path) && path.length < 100)
    for (const cwd of new Set(folders.map(path => path.replace(/\/[^/]*$/, ''))))
      await attempt('command', { cmd: 'cat secret.txt; echo PLANTED > config; echo PLANTED > writer.md', cwd })
  })
})

describe('bug 16: a path that leads out', () => {
  it.each(['write_file', 'delete_file', 'read_file', 'list_files'])('is an answer of %s, with a code and what to do', async tool => {
    const { root } = hostileRepo()
    for (const path of ['../x', '/x', 'src/../../x', 'C:/x'])
      expect(await runTool(repoTools(root), tool, { path, content: '' })).toEqual({
        code: 'repo_path_outside',
        message: `${path} leads out of the repo. Name a path from its root, without "..".`,
      })
  })
})

describe('bug 15: what planning lets through as docs', () => {
  it.each(['docs/link-src/a.txt', 'docs/link-src/new.txt', 'docs/link-up/src/a.txt', 'docs\\..\\src\\a.txt', 'docs\\new.txt'])(
    'is in docs: not %s',
    async path => {
      const { root } = hostileRepo()
      for (const tool of ['write_file', 'delete_file'])
        expect(await runTool(repoTools(root), tool, { path, content: 'PLANTED' })).toMatchObject({
          code: expect.stringMatching(/repo_link_refused|repo_path_invalid/),
        })
      expect(await runTool(repoTools(root), 'read_file', { path: 'src/a.txt' })).toBe('inside')
    },
  )
})
